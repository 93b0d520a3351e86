#include <datasets/pcd.hpp>

#include <datasets/bytes.hpp>
#include <datasets/coordinate.hpp>
#include <datasets/lines.hpp>
#include <datasets/lzf.hpp>
#include <datasets/pcd_header.hpp>

#include <array>
#include <cstdint>

namespace parte::datasets {
namespace {

using Coordinates = std::array<const PcdField*, 3>;

struct Source {
  const std::string& bytes;
  const std::filesystem::path& path;
  const PcdHeader& header;
  Coordinates xyz;

  [[nodiscard]] std::string_view data() const { return std::string_view(bytes).substr(header.bytes); }
  [[noreturn]] void fail(std::size_t byte, const std::string& problem) const {
    throw IoError(path, Place::byte(byte), problem);
  }
};

const PcdField* find_field(const PcdHeader& header, std::string_view name, const std::filesystem::path& path) {
  const PcdField* found = nullptr;
  for (const PcdField& field : header.fields) {
    if (field.name != name) continue;
    if (found != nullptr || field.count != 1)
      throw IoError(path, Place::whole_file(), "expected one field " + quoted(name) + " with COUNT 1");
    found = &field;
  }
  if (found == nullptr)
    throw IoError(path, Place::whole_file(), "FIELDS needs x, y and z; there is no " + quoted(name));
  return found;
}

/// Some writers fill their last page. Anything else means that the header does not tell the whole truth.
void expect_padding(const Source& source, std::size_t begin) {
  constexpr std::string_view kPadding("\0 \t\r\n", 5);
  const std::size_t surplus = std::string_view(source.bytes).find_first_not_of(kPadding, begin);
  if (surplus != std::string_view::npos)
    source.fail(surplus, "data beyond the " + std::to_string(source.header.points) +
                             " points of the header; expected the end of the file");
}

void check_size(const Source& source, std::size_t least_bytes) {
  const std::size_t left = source.data().size();
  // The last number of a text may lack its separator.
  if (source.header.points > (left + 1) / least_bytes)
    source.fail(source.header.bytes, "the header promises " + std::to_string(source.header.points) +
                                         " points of at least " + std::to_string(least_bytes) + " bytes, but only " +
                                         std::to_string(left) + " bytes are left (is the file truncated?)");
}

Eigen::Vector3f ascii_point(const Line& line, const Coordinates& xyz) {
  Eigen::Vector3f point;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::string_view word = line.words[xyz[axis]->first_column];
    const auto value = parse_number<double>(word);
    if (!value) line.fail(quoted(word) + " is not a number");
    point[static_cast<Eigen::Index>(axis)] =
        coordinate(*value, xyz[axis]->single, [&](const std::string& problem) { line.fail(problem); });
  }
  return point;
}

Points read_ascii(const Source& source) {
  const PcdHeader& header = source.header;
  check_size(source, 2 * header.point_values);  // a digit and what separates it from the next one
  Points points;
  points.reserve(header.points);
  for_each_line(
      source.data(), source.path,
      [&](const Line& line) {
        if (points.size() == header.points)
          line.fail("more lines than the " + std::to_string(header.points) + " points of the header");
        if (line.words.size() != header.point_values)
          line.fail("expected the " + std::to_string(header.point_values) + " values of a point, found " +
                    std::to_string(line.words.size()));
        points.push_back(ascii_point(line, source.xyz));
      },
      header.lines);
  if (points.size() != header.points)
    source.fail(source.bytes.size(), "the file ends after " + std::to_string(points.size()) + " of " +
                                         std::to_string(header.points) + " points (is it truncated?)");
  return points;
}

/// The values of a field: from there on, one every so many bytes.
struct Column {
  const char* first;
  std::size_t stride;
};

Points gather(const Source& source, const std::array<Column, 3>& columns) {
  Points points(source.header.points);
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const PcdField& field = *source.xyz[axis];
      const double value = field.load(columns[axis].first + i * columns[axis].stride, std::endian::little);
      points[i][static_cast<Eigen::Index>(axis)] = coordinate(value, field.single, [&](const std::string& problem) {
        throw IoError(source.path, Place{"point " + std::to_string(i)}, problem);
      });
    }
  }
  return points;
}

Points read_binary(const Source& source) {
  const PcdHeader& header = source.header;
  const std::size_t left = source.data().size();
  if (header.points > left / header.point_bytes)
    source.fail(source.bytes.size(), "the file ends after " + std::to_string(left / header.point_bytes) + " of " +
                                         std::to_string(header.points) + " points of " +
                                         std::to_string(header.point_bytes) + " bytes (is it truncated?)");
  expect_padding(source, header.bytes + header.points * header.point_bytes);
  std::array<Column, 3> columns;
  for (std::size_t axis = 0; axis < 3; ++axis)
    columns[axis] = {source.data().data() + source.xyz[axis]->offset, header.point_bytes};
  return gather(source, columns);
}

/// Two sizes, then the compressed values: all of the first field, all of the second one, ...
Points read_compressed(const Source& source) {
  constexpr std::size_t kSizes = 2 * sizeof(std::uint32_t);
  const PcdHeader& header = source.header;
  if (header.points == 0) {  // some writers leave the sizes out
    expect_padding(source, header.bytes);
    return {};
  }
  const std::string_view data = source.data();
  if (data.size() < kSizes) source.fail(source.bytes.size(), "expected the sizes of the compressed data, 8 bytes");
  const std::size_t packed = load<std::uint32_t>(data.data(), std::endian::little);
  const std::size_t size = load<std::uint32_t>(data.data() + sizeof(std::uint32_t), std::endian::little);
  if (header.points > size / header.point_bytes || size != header.points * header.point_bytes)
    source.fail(header.bytes, "the compressed data should hold " + std::to_string(header.points) + " points of " +
                                  std::to_string(header.point_bytes) + " bytes, not " + std::to_string(size) +
                                  " bytes");
  if (packed > data.size() - kSizes)
    source.fail(source.bytes.size(), "the file has " + std::to_string(data.size() - kSizes) + " of " +
                                         std::to_string(packed) + " bytes of compressed data (is it truncated?)");
  expect_padding(source, header.bytes + kSizes + packed);
  const std::string values = lzf_decompress(data.substr(kSizes, packed), size, source.path, header.bytes + kSizes);
  std::array<Column, 3> columns;
  for (std::size_t axis = 0; axis < 3; ++axis)
    columns[axis] = {values.data() + source.xyz[axis]->offset * header.points, source.xyz[axis]->size};
  return gather(source, columns);
}

}  // namespace

Points parse_pcd(const std::string& bytes, const std::filesystem::path& path) {
  const PcdHeader header = parse_pcd_header(bytes, path);
  const Source source{bytes,
                      path,
                      header,
                      {find_field(header, "x", path), find_field(header, "y", path), find_field(header, "z", path)}};
  switch (header.data) {
    case PcdData::ascii:
      return read_ascii(source);
    case PcdData::binary:
      return read_binary(source);
    case PcdData::binary_compressed:
      return read_compressed(source);
  }
  throw std::logic_error("a kind of PCD data that is not handled");
}

}  // namespace parte::datasets
