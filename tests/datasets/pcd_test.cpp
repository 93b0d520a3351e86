#include <datasets/pcd.hpp>

#include <datasets/bytes.hpp>
#include <datasets/random.hpp>

#include "files.hpp"
#include "lzf_packer.hpp"

#include <bit>
#include <cmath>
#include <cstdint>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using parte::datasets::append;
using parte::datasets::Points;

namespace {

constexpr auto kLittle = std::endian::little;

Points parse(const std::string& bytes) { return parte::datasets::parse_pcd(bytes, "a.pcd"); }
std::string error_of(const std::string& bytes) {
  return io_error_of([&] { (void)parse(bytes); });
}

std::string header(std::size_t points, const std::string& data,
                   const std::string& fields = "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\n") {
  const std::string count = std::to_string(points);
  return "# .PCD v0.7 - Point Cloud Data file format\nVERSION 0.7\n" + fields + "WIDTH " + count +
         "\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS " + count + "\nDATA " + data + "\n";
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  return text.replace(text.find(what), what.size(), by);
}

/// Fields of every type around x (float), y (double) and z (float), written point by point or field by field.
const std::string kMixed =
    "FIELDS a y _ b x c d e z f g\nSIZE 1 8 2 4 4 8 1 2 4 4 8\nTYPE I F U I F U U I F U I\n"
    "COUNT 1 1 3 1 1 1 2 1 1 1 1\n";

std::vector<std::string> mixed_fields(const Eigen::Vector3f& p, int k) {
  std::vector<std::string> fields(11);
  append(fields[0], static_cast<std::int8_t>(-k), kLittle);
  append(fields[1], static_cast<double>(p.y()), kLittle);
  for (int i = 0; i < 3; ++i) append(fields[2], static_cast<std::uint16_t>(k + i), kLittle);
  append(fields[3], std::int32_t{-70'000}, kLittle);
  append(fields[4], p.x(), kLittle);
  append(fields[5], ~std::uint64_t{0}, kLittle);
  for (int i = 0; i < 2; ++i) append(fields[6], static_cast<std::uint8_t>(k), kLittle);
  append(fields[7], std::int16_t{-300}, kLittle);
  append(fields[8], p.z(), kLittle);
  append(fields[9], std::uint32_t{4'000'000'000}, kLittle);
  append(fields[10], std::int64_t{-5}, kLittle);
  return fields;
}

std::string by_point(const Points& points) {
  std::string data;
  for (std::size_t i = 0; i < points.size(); ++i)
    for (const std::string& field : mixed_fields(points[i], static_cast<int>(i))) data += field;
  return data;
}

std::string by_field(const Points& points) {
  std::string data;
  for (std::size_t f = 0; f < 11; ++f)
    for (std::size_t i = 0; i < points.size(); ++i) data += mixed_fields(points[i], static_cast<int>(i))[f];
  return data;
}

std::string with_sizes(const std::string& packed, std::size_t size) {
  std::string data;
  append(data, static_cast<std::uint32_t>(packed.size()), kLittle);
  append(data, static_cast<std::uint32_t>(size), kLittle);
  return data + packed;
}

Points random_points(std::uint64_t seed, std::size_t count) {
  parte::datasets::Random random(seed);
  Points points(count);
  for (Eigen::Vector3f& p : points)
    for (float& value : p) value = static_cast<float>(random.uniform(-100.0, 100.0));
  return points;
}

const std::string kTwo = "1 2 3\n-4 5.5 nan\n";

}  // namespace

TEST_CASE("an ascii PCD gives its points, whatever the line ends", "[pcd]") {
  for (const std::string& text :
       {header(2, "ascii") + kTwo,
        replaced(header(2, "ascii"), "0.7\nFIELDS", ".6\r\nFIELDS") + "1\t2 3\r\n\n-4 5.5 nan",
        replaced(header(2, "ascii") + kTwo, "COUNT 1 1 1\n", ""),
        replaced(header(2, "ascii") + kTwo, "POINTS 2\n", "# none\n")}) {
    const Points points = parse(text);
    REQUIRE(points.size() == 2);
    REQUIRE(points[0] == Eigen::Vector3f(1, 2, 3));
    REQUIRE(points[1].head<2>() == Eigen::Vector2f(-4, 5.5f));
    REQUIRE(std::isnan(points[1].z()));
  }
}

TEST_CASE("fields may have any order, type, size and count", "[pcd]") {
  const Points points = random_points(GENERATE(range(0u, 20u)), GENERATE(1u, 2u, 50u));
  const std::string values = by_field(points);
  std::string literal;
  lzf_literal(literal, values);
  const std::string compressed = header(points.size(), "binary_compressed", kMixed);
  REQUIRE(parse(header(points.size(), "binary", kMixed) + by_point(points)) == points);
  REQUIRE(parse(compressed + with_sizes(literal, values.size())) == points);
  REQUIRE(parse(compressed + with_sizes(lzf_pack(values), values.size())) == points);
}

TEST_CASE("ascii columns follow the counts of the fields", "[pcd]") {
  REQUIRE(parse(header(1, "ascii", kMixed) + "-1 2 7 7 7 4 1 5 6 6 8 3 9 10\n")[0] == Eigen::Vector3f(1, 2, 3));
}

TEST_CASE("integer coordinates are numbers, too", "[pcd]") {
  const std::string fields = "FIELDS x y z\nSIZE 2 1 4\nTYPE I U I\n";
  std::string data;
  append(data, std::int16_t{-5}, kLittle);
  append(data, std::uint8_t{200}, kLittle);
  append(data, std::int32_t{70'000}, kLittle);
  REQUIRE(parse(header(1, "binary", fields) + data)[0] == Eigen::Vector3f(-5, 200, 70'000));
}

TEST_CASE("organised clouds are read row by row", "[pcd]") {
  const std::string organised = replaced(replaced(header(2, "ascii"), "WIDTH 2\nHEIGHT 1", "WIDTH 1\nHEIGHT 2"),
                                         "VIEWPOINT 0 0", "VIEWPOINT 9 8");
  REQUIRE(parse(organised + kTwo)[0] == Eigen::Vector3f(1, 2, 3));  // the viewpoint moves nothing
}

TEST_CASE("clouds without points are clouds", "[pcd]") {
  for (const char* kind : {"ascii", "binary", "binary_compressed"}) REQUIRE(parse(header(0, kind)).empty());
  REQUIRE(parse(header(0, "binary_compressed") + std::string(8, '\0')).empty());
}

TEST_CASE("padding after the data is no data", "[pcd]") {
  const Points points = random_points(3, 4);
  const std::string binary = header(4, "binary", kMixed) + by_point(points);
  REQUIRE(parse(binary + std::string(100, '\0') + "\n") == points);
  REQUIRE_THAT(error_of(binary + "x"), ContainsSubstring("beyond the 4 points"));
  REQUIRE_THAT(error_of(header(0, "binary_compressed") + "xxxx"), ContainsSubstring("beyond the 0 points"));
}

TEST_CASE("a bad header of a PCD file is refused at its line", "[pcd]") {
  const auto [what, by, expected] = GENERATE(table<std::string, std::string, std::string>({
      {"VERSION 0.7", "VERSION 0.5", "line 2: expected \"VERSION 0.7\""},
      {"VERSION 0.7", "version 0.7", "line 2: unknown keyword \"version\""},
      {"VERSION 0.7\n", "", "no line \"VERSION\""},
      {"FIELDS x y z\n", "", "no line \"FIELDS\""},
      {"FIELDS x y z", "FIELDS x y i", "there is no \"z\""},
      {"FIELDS x y z", "FIELDS x y", "line 4: SIZE has 3 values, FIELDS 2"},
      {"FIELDS x y z", "FIELDS", "SIZE has 3 values, FIELDS 0"},
      {"SIZE 4 4 4", "SIZE 4 4", "line 4: SIZE has 2 values"},
      {"SIZE 4 4 4", "SIZE 4 4 3", "unknown type \"F\" of 3 bytes"},
      {"SIZE 4 4 4", "SIZE 4 4 -4", "line 4: \"-4\" is not a whole number"},
      {"TYPE F F F", "TYPE F F X", "line 5: unknown type \"X\" of 4 bytes"},
      {"COUNT 1 1 1", "COUNT 1 1 0", "line 6: a COUNT of 0"},
      {"COUNT 1 1 1", "COUNT 1 1 2", "one field \"z\" with COUNT 1"},
      {"FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1", "FIELDS x y z x\nSIZE 4 4 4 4\nTYPE F F F F\nCOUNT 1 1 1 1",
       "one field \"x\""},
      {"WIDTH 2", "WIDTH two", "line 7: \"two\" is not a whole number"},
      {"WIDTH 2", "WIDTH 2 2", "line 7: expected \"WIDTH NUMBER\""},
      {"HEIGHT 1", "HEIGHT 4294967296", "line 8: \"4294967296\" is not"},
      {"HEIGHT 1\n", "", "no line \"HEIGHT\""},
      {"HEIGHT 1", "HEIGHT 2", "line 10: expected WIDTH x HEIGHT = 4, found 2"},
      {"HEIGHT 1", "HEIGHT 1\nHEIGHT 1", "line 9: HEIGHT a second time"},
      {"VIEWPOINT 0 0 0 1 0 0 0", "VIEWPOINT 0 0 0", "line 9: expected \"VIEWPOINT tx"},
      {"VIEWPOINT 0 0 0 1 0 0 0", "VIEWPOINT 0 0 0 nan 0 0 0", "line 9: \"nan\" is not a finite"},
      {"DATA ascii", "DATA asci", "line 11: expected \"DATA ascii\""},
      {"DATA ascii", "DATA", "line 11: expected \"DATA ascii\""},
  }));
  REQUIRE_THAT(error_of(replaced(header(2, "ascii") + kTwo, what, by)),
               StartsWith("a.pcd: ") && ContainsSubstring(expected));
}

TEST_CASE("what is no PCD file at all is refused", "[pcd]") {
  REQUIRE_THAT(error_of(""), ContainsSubstring("line 1: ") && ContainsSubstring("is this a PCD file?"));
  REQUIRE_THAT(error_of("ply\nformat ascii 1.0\n"), ContainsSubstring("line 1: unknown keyword \"ply\""));
  const std::string whole = header(2, "ascii");
  for (std::size_t size = 0; size < whole.size(); ++size)
    REQUIRE_THAT(error_of(whole.substr(0, size)), StartsWith("a.pcd: "));
}

TEST_CASE("a PCD file that ends too early is refused at every byte", "[pcd]") {
  const Points points = random_points(5, 6);
  const std::string start = header(6, "binary_compressed", kMixed), values = by_field(points);
  const std::string compressed = start + with_sizes(lzf_pack(values), values.size());
  for (std::size_t size = start.size(); size < compressed.size(); ++size)
    REQUIRE_THAT(error_of(compressed.substr(0, size)), StartsWith("a.pcd: byte "));
  const std::string binary = header(6, "binary", kMixed) + by_point(points);
  for (std::size_t size = start.size(); size < binary.size(); ++size)
    REQUIRE_THAT(error_of(binary.substr(0, size)), ContainsSubstring("ends after") && ContainsSubstring("truncated"));
}

TEST_CASE("counts that no file could hold take no memory", "[pcd]") {
  for (const char* kind : {"ascii", "binary", "binary_compressed"}) {
    const std::string huge = replaced(
        replaced(header(2, kind), "WIDTH 2\nHEIGHT 1", "WIDTH 4000000000\nHEIGHT 4000000000"), "POINTS 2\n", "");
    REQUIRE_THAT(error_of(huge + std::string(12, '\1')), ContainsSubstring("16000000000000000000 points"));
    const std::string wide = replaced(header(1, kind, kMixed), "COUNT 1 1 3", "COUNT 1 1 4000000000");
    REQUIRE_THAT(error_of(wide + by_point(random_points(1, 1))), StartsWith("a.pcd: byte "));
  }
  const std::string one =
      replaced(replaced(header(1, "binary_compressed"), "WIDTH 1", "WIDTH 300000000"), "POINTS 1", "POINTS 300000000");
  REQUIRE_THAT(error_of(one + with_sizes("x", 3'600'000'000u)), ContainsSubstring("cannot come from 1"));
}

TEST_CASE("the sizes of compressed data must fit the header", "[pcd]") {
  const std::string start = header(1, "binary_compressed");
  std::string packed;
  lzf_literal(packed, std::string(12, '\0'));
  REQUIRE(parse(start + with_sizes(packed, 12)).size() == 1);
  REQUIRE_THAT(error_of(start + with_sizes(packed, 24)), ContainsSubstring("1 points of 12 bytes, not 24"));
  REQUIRE_THAT(error_of(start + with_sizes(packed, 0)), ContainsSubstring("1 points of 12 bytes, not 0"));
}

TEST_CASE("ascii rows of a PCD must hold what the header says", "[pcd]") {
  const std::string start = header(2, "ascii");
  REQUIRE_THAT(error_of(start + "1 2 3\n4 5 6 7\n"), ContainsSubstring("line 13: expected the 3 values"));
  REQUIRE_THAT(error_of(start + "1 2 3\n4 5 6\n7 8 9\n"), ContainsSubstring("line 14: more lines than the 2"));
  REQUIRE_THAT(error_of(start + "1 2 three\n4 5 6\n"), ContainsSubstring("line 12: \"three\" is not a number"));
  REQUIRE_THAT(error_of(start + "1.00000 2.00000 3.00000\n"), ContainsSubstring("ends after 1 of 2"));
}

TEST_CASE("PCD coordinates too large for single precision are refused, not blurred", "[pcd]") {
  const std::string doubles = "FIELDS x y z\nSIZE 8 8 8\nTYPE F F F\n";
  REQUIRE(parse(header(1, "ascii", doubles) + "99999 -99999 inf\n").size() == 1);
  REQUIRE_THAT(error_of(header(1, "ascii", doubles) + "0 5432100.25 0\n"), ContainsSubstring("100 km"));
  REQUIRE(parse(header(1, "ascii") + "0 5432100.25 0\n").size() == 1);
  REQUIRE_THAT(error_of(header(1, "ascii") + "0 1e39 0\n"), ContainsSubstring("too large"));
  std::string data;
  for (const double value : {0.0, 0.0, -100'001.0}) append(data, value, kLittle);
  REQUIRE_THAT(error_of(header(1, "binary", doubles) + data), StartsWith("a.pcd: point 0: a coordinate beyond 100 km"));
}
