#include <datasets/scan_io.hpp>

#include <datasets/asl_csv.hpp>
#include <datasets/bytes.hpp>
#include <datasets/file.hpp>
#include <datasets/io_error.hpp>
#include <datasets/ply.hpp>

#include <algorithm>
#include <cctype>
#include <string>

namespace parte::datasets {
namespace {

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::vector<Eigen::Vector3f> read_kitti(const std::filesystem::path& path) {
  constexpr std::size_t kRecord = 4 * sizeof(float);
  const std::string bytes = read_file(path);
  if (const std::size_t rest = bytes.size() % kRecord; rest != 0) {
    throw IoError(path, Place::byte(bytes.size() - rest),
                  "the last point has " + std::to_string(rest) +
                      " of 16 bytes; expected float32 x y z intensity (is the file truncated?)");
  }
  std::vector<Eigen::Vector3f> points(bytes.size() / kRecord);
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      points[i][static_cast<Eigen::Index>(axis)] =
          load<float>(bytes.data() + i * kRecord + axis * sizeof(float), std::endian::little);
    }
  }
  return points;
}

}  // namespace

std::vector<Eigen::Vector3f> read_scan(const std::filesystem::path& path) {
  const std::string extension = lower_case(path.extension().string());
  if (extension == ".bin") return read_kitti(path);
  if (extension == ".ply") return parse_ply(read_file(path), path);
  if (extension == ".csv") return parse_asl_scan(read_file(path), path);
  throw IoError(path, Place::whole_file(),
                (extension.empty() ? "no extension" : "extension \"" + extension + "\" is not supported") +
                    "; expected .bin (KITTI), .ply or .csv (ETH)");
}

void write_ply(const std::filesystem::path& path, const std::vector<Eigen::Vector3f>& points) {
  std::string bytes = "ply\nformat binary_little_endian 1.0\nelement vertex " + std::to_string(points.size()) +
                      "\nproperty float x\nproperty float y\nproperty float z\nend_header\n";
  bytes.reserve(bytes.size() + points.size() * 3 * sizeof(float));
  for (const Eigen::Vector3f& point : points)
    for (const float value : point) append(bytes, value, std::endian::little);
  write_file(path, bytes);
}

}  // namespace parte::datasets
