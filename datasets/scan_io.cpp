#include <datasets/scan_io.hpp>

#include <datasets/bytes.hpp>
#include <datasets/file.hpp>
#include <datasets/io_error.hpp>
#include <datasets/pcd.hpp>
#include <datasets/ply.hpp>
#include <datasets/text.hpp>
#include <datasets/xyz.hpp>

#include <stdexcept>

namespace parte::datasets {
namespace {

constexpr std::size_t kRecord = 4 * sizeof(float);

Points parse_text(const std::string& bytes, const std::filesystem::path& path) { return parse_xyz(bytes, path); }

struct Format {
  std::string_view extension;
  Points (*parse)(const std::string& bytes, const std::filesystem::path& path);
};

constexpr Format kFormats[] = {{".bin", parse_bin},  {".ply", parse_ply},  {".pcd", parse_pcd},
                               {".xyz", parse_text}, {".txt", parse_text}, {".csv", parse_text}};

const Format* format_of(const std::filesystem::path& path) {
  const std::string extension = lower_case(path.extension().string());
  for (const Format& format : kFormats)
    if (extension == format.extension) return &format;
  return nullptr;
}

}  // namespace

Points parse_bin(const std::string& bytes, const std::filesystem::path& path) {
  if (const std::size_t rest = bytes.size() % kRecord; rest != 0) {
    throw IoError(path, Place::byte(bytes.size() - rest),
                  "the last point has " + std::to_string(rest) +
                      " of 16 bytes; expected float32 x y z intensity (is the file truncated?)");
  }
  Points points(bytes.size() / kRecord);
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      points[i][static_cast<Eigen::Index>(axis)] =
          load<float>(bytes.data() + i * kRecord + axis * sizeof(float), std::endian::little);
    }
  }
  return points;
}

bool is_scan_file(const std::filesystem::path& path) { return format_of(path) != nullptr; }

Points read_scan(const std::filesystem::path& path) {
  if (const Format* format = format_of(path)) return format->parse(read_file(path), path);
  const std::string extension = path.extension().string();
  throw IoError(path, Place::whole_file(),
                (extension.empty() ? "no extension" : "extension " + quoted(extension) + " is not supported") +
                    "; expected .bin (KITTI), .ply, .pcd, .xyz, .txt or .csv");
}

void write_ply(const std::filesystem::path& path, const Points& points) {
  std::string bytes = "ply\nformat binary_little_endian 1.0\nelement vertex " + std::to_string(points.size()) +
                      "\nproperty float x\nproperty float y\nproperty float z\nend_header\n";
  bytes.reserve(bytes.size() + points.size() * 3 * sizeof(float));
  for (const Eigen::Vector3f& point : points)
    for (const float value : point) append(bytes, value, std::endian::little);
  write_file(path, bytes);
}

void write_bin(const std::filesystem::path& path, const Points& points, std::span<const float> intensities) {
  if (!intensities.empty() && intensities.size() != points.size())
    throw std::invalid_argument("write_bin: " + std::to_string(intensities.size()) + " intensities for " +
                                std::to_string(points.size()) + " points");
  std::string bytes;
  bytes.reserve(points.size() * kRecord);
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (const float value : points[i]) append(bytes, value, std::endian::little);
    append(bytes, intensities.empty() ? 0.0f : intensities[i], std::endian::little);
  }
  write_file(path, bytes);
}

}  // namespace parte::datasets
