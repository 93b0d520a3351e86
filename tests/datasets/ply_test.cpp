#include <datasets/ply.hpp>

#include <datasets/bytes.hpp>

#include "files.hpp"

#include <cstdint>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using parte::datasets::append;

namespace {

const std::string kXyz = "property float x\nproperty float y\nproperty float z\n";

std::vector<Eigen::Vector3f> parse(const std::string& bytes) { return parte::datasets::parse_ply(bytes, "a.ply"); }
std::string error_of(const std::string& bytes) {
  return io_error_of([&] { (void)parse(bytes); });
}

std::string header(const std::string& format, const std::string& elements) {
  return "ply\nformat " + format + " 1.0\n" + elements + "end_header\n";
}
std::string ascii(const std::string& elements, const std::string& data) { return header("ascii", elements) + data; }
std::string vertices(std::size_t count, const std::string& properties = kXyz) {
  return "element vertex " + std::to_string(count) + "\n" + properties;
}

/// Rows of: int8 a, double y, list of ushort, float z, uint b, float x.
std::string shuffled_rows(std::endian order) {
  std::string data;
  for (const float k : {0.0f, 1.0f}) {
    append(data, std::int8_t{-7}, order);
    append(data, static_cast<double>(k) + 0.25, order);
    append(data, static_cast<std::uint8_t>(k == 0.0f ? 0 : 3), order);
    for (int i = 0; k != 0.0f && i < 3; ++i) append(data, std::uint16_t{500}, order);
    append(data, k + 0.5f, order);
    append(data, std::uint32_t{4'000'000'000}, order);
    append(data, k - 8.0f, order);
  }
  return data;
}

const std::string kShuffled =
    "comment written by hand\nobj_info nothing\nelement vertex 2\nproperty int8 a\nproperty double y\n"
    "property list uchar ushort neighbours\nproperty float32 z\nproperty uint b\nproperty float x\n"
    "element face 1\nproperty list uchar int vertex_indices\n";

}  // namespace

TEST_CASE("coordinates are found among other properties, in every encoding", "[ply]") {
  const std::string text = "-7 0.25 0 0.5 4000000000 -8\n-7 1.25 3 500 500 500 1.5 4000000000 -7\n3 0 1 1\n";
  const std::string bytes = GENERATE_COPY(
      header("ascii", kShuffled) + text, header("binary_little_endian", kShuffled) + shuffled_rows(std::endian::little),
      header("binary_big_endian", kShuffled) + shuffled_rows(std::endian::big));
  const auto points = parse(bytes);
  REQUIRE(points.size() == 2);
  REQUIRE(points[0] == Eigen::Vector3f(-8.0f, 0.25f, 0.5f));
  REQUIRE(points[1] == Eigen::Vector3f(-7.0f, 1.25f, 1.5f));
}

TEST_CASE("elements before the vertices are passed over", "[ply]") {
  const std::string elements =
      "element camera 2\nproperty float f\nproperty list int short l\nelement empty 99999999999\n";
  REQUIRE(parse(ascii(elements + vertices(1), "1 2 5 6\n1 0\n1 2 3\n"))[0] == Eigen::Vector3f(1, 2, 3));
  std::string data;
  for (const std::int32_t length : {2, 0}) {
    append(data, 1.0f, std::endian::big);
    append(data, length, std::endian::big);
    for (std::int32_t i = 0; i < length; ++i) append(data, std::int16_t{5}, std::endian::big);
  }
  for (const float value : {1.0f, 2.0f, 3.0f}) append(data, value, std::endian::big);
  REQUIRE(parse(header("binary_big_endian", elements + vertices(1)) + data)[0] == Eigen::Vector3f(1, 2, 3));
}

TEST_CASE("text may have any line ends, blank lines, signs and special values", "[ply]") {
  const auto points = parse(
      "ply\r\nformat ascii 1.0\r\nelement vertex 3\r\nproperty float x\r\nproperty float y\r\n"
      "property float z\r\nend_header\r\n+1 2e1 -3\r\n\r\n\t 4  5 6 \r\nnan inf -inf");
  REQUIRE(points.size() == 3);
  REQUIRE(points[0] == Eigen::Vector3f(1, 20, -3));
  REQUIRE(points[1] == Eigen::Vector3f(4, 5, 6));
  REQUIRE_FALSE(points[2].allFinite());
  REQUIRE(parse(ascii(vertices(0), "")).empty());
}

TEST_CASE("a wrong header is refused at its line", "[ply]") {
  const auto [line, bytes] = GENERATE(table<int, std::string>({
      {1, ""},
      {1, "plyx\n"},
      {1, "ply"},
      {2, "ply\nformat ascii 2.0\n"},
      {2, "ply\nformat binary_middle_endian 1.0\n"},
      {3, "ply\nformat ascii 1.0\nelement vertex\n"},
      {3, "ply\nformat ascii 1.0\nelement vertex -1\n"},
      {3, "ply\nformat ascii 1.0\nelement vertex 1e3\n"},
      {3, "ply\nformat ascii 1.0\nelement vertex 99999999999999999999999\n"},
      {3, "ply\nformat ascii 1.0\nproperty float x\n"},
      {3, "ply\nformat ascii 1.0\nvertex 3\n"},
      {4, "ply\nformat ascii 1.0\nelement vertex 1\nproperty real x\n"},
      {4, "ply\nformat ascii 1.0\nelement vertex 1\nproperty float\n"},
      {4, "ply\nformat ascii 1.0\nelement vertex 1\nproperty list float int x\n"},
      {5, "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y"},
  }));
  INFO(bytes);
  REQUIRE_THAT(error_of(bytes), StartsWith("a.ply: line " + std::to_string(line) + ": "));
}

TEST_CASE("vertices without usable coordinates are refused", "[ply]") {
  REQUIRE_THAT(error_of(ascii("element face 0\n", "")), ContainsSubstring("no \"element vertex\""));
  for (const char* bad :
       {"property float x\nproperty float y\n", "property float x\nproperty float y\nproperty int z\n",
        "property float x\nproperty float y\nproperty list uchar float z\n"})
    REQUIRE_THAT(error_of(ascii(vertices(1, bad), "1 2 3\n")), ContainsSubstring("\"float z\" or \"double z\""));
  REQUIRE_THAT(error_of(ascii(vertices(1, kXyz + "property float x\n"), "1 2 3 4\n")), ContainsSubstring("two"));
}

TEST_CASE("counts that the file cannot hold are refused before memory is taken", "[ply]") {
  const std::string format = GENERATE("ascii", "binary_little_endian", "binary_big_endian");
  for (const std::size_t count : {std::size_t{3}, std::size_t{1'000'000'000'000}, std::size_t(-1)}) {
    REQUIRE_THAT(error_of(header(format, vertices(count)) + "1 2 3 4 5 6\n"),
                 StartsWith("a.ply: line 3: ") && ContainsSubstring("truncated"));
  }
  REQUIRE_THAT(error_of(header(format, "element face 100\nproperty list uchar int l\n" + vertices(0)) + "1 "),
               ContainsSubstring("element face"));
}

TEST_CASE("data that ends too early is refused where it ends", "[ply]") {
  const std::string list = "property list uchar double l\n";
  const std::string start = header("binary_little_endian", vertices(1, list + kXyz));
  REQUIRE_THAT(error_of(start + "\xff" + std::string(20, '\0')), ContainsSubstring("ends within its data"));
  REQUIRE_THAT(error_of(ascii(vertices(2), "1.00000000 2.00000000 3.00000000\n")), ContainsSubstring("line 8"));
}

TEST_CASE("text rows must hold as many numbers as declared", "[ply]") {
  REQUIRE_THAT(error_of(ascii(vertices(2), "1 2 3\n4 5\n6 7 8\n")),
               StartsWith("a.ply: line 9: ") && ContainsSubstring("few"));
  REQUIRE_THAT(error_of(ascii(vertices(1), "1 2 3 4\n")), StartsWith("a.ply: line 8: ") && ContainsSubstring("many"));
  REQUIRE_THAT(error_of(ascii(vertices(1), "1 2 3,5\n")), ContainsSubstring("\"3,5\" is not a number"));
  REQUIRE_THAT(error_of(ascii(vertices(1, "property list char float l\n" + kXyz), "-1 1 2 3\n")),
               ContainsSubstring("negative"));
}

TEST_CASE("doubles too large for single precision are refused, not blurred", "[ply]") {
  const std::string properties = "property double x\nproperty double y\nproperty double z\n";
  REQUIRE(parse(ascii(vertices(1, properties), "99999 -99999 0\n")).size() == 1);
  REQUIRE_THAT(error_of(ascii(vertices(1, properties), "0 5432100.25 0\n")), ContainsSubstring("100 km"));
}
