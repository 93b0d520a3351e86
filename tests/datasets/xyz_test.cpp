#include <datasets/xyz.hpp>

#include "files.hpp"

#include <cmath>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using parte::datasets::Points;

namespace {

Points parse(const std::string& text) { return parte::datasets::parse_xyz(text, "a.csv"); }
std::string error_of(const std::string& text) {
  return io_error_of([&] { (void)parse(text); });
}

}  // namespace

TEST_CASE("every way to write two points gives the same two", "[xyz]") {
  const std::string text = GENERATE(as<std::string>(),  //
                                    "1 2 3\n-4 5.5 6e-1\n", "1,2,3\n-4,5.5,6e-1", "1;2;3\n-4;5.5;6e-1\n",
                                    "# a note\r\n\r\n  1\t,2 , 3\r\n-4, 5.5, 0.6\r\n", "1 2 3 9 9\n-4 5.5 .6 8 8\n",
                                    "x y z\n1 2 3\n-4 5.5 0.6\n", "i,Z,time,Y,X\n7,3,7,2,1\n7,0.6,,5.5,-4\n",
                                    "\"Points:0\",\"Points:1\",\"Points:2\",\"a b\"\n1,2,3,7\n-4,5.5,0.6,7\n",
                                    "t;'points_2';'points_1';'points_0'\n0;3;2;1\n1;0.6;5.5;-4\n",
                                    "//X Y Z I\n1 2 3 0\n-4 5.5 0.6 0\n", "\xef\xbb\xbfx,y,z\n1,2,3\n-4,5.5,0.6\n");
  const Points points = parse(text);
  REQUIRE(points.size() == 2);
  REQUIRE(points[0] == Eigen::Vector3f(1, 2, 3));
  REQUIRE(points[1] == Eigen::Vector3f(-4, 5.5f, 0.6f));
}

TEST_CASE("values that are not finite stay in a text cloud", "[xyz]") {
  const Points points = parse("nan inf -inf\n1 2 3\n");
  REQUIRE(points.size() == 2);
  REQUIRE((std::isnan(points[0].x()) && std::isinf(points[0].y()) && points[0].z() < 0.0f));
}

TEST_CASE("a header alone is a cloud without points, an empty file is none", "[xyz]") {
  REQUIRE(parse("x,y,z\n").empty());
  REQUIRE_THAT(error_of(""), ContainsSubstring("is empty"));
  REQUIRE_THAT(error_of("# nothing\n\n"), ContainsSubstring("is empty"));
}

TEST_CASE("a bad line of a text cloud is named", "[xyz]") {
  const auto [text, expected] = GENERATE(table<std::string, std::string>({
      {"1 2\n", "line 1: expected at least the three values x y z, found 2"},
      {"1 2 3\n4 5\n", "line 2: expected 3 values as in the first line, found 2"},
      {"1 2 3 4\n\n4 5 6\n", "line 3: expected 4 values"},
      {"x,y,z\n1,2,3,4\n", "line 2: expected 3 values"},
      {"1,2,3\n1,,3\n", "line 2: \"\" is not a number"},
      {"1,2,3\n1,2,\n", "line 2: \"\" is not a number"},
      {"1 2 3\n1 2 three\n", "line 2: \"three\" is not a number"},
      {"1;2;3\n1,5;2;3\n", "line 2: \"1,5\" is not a number"},
      {"+1,2,3,red\n", "line 1: the header names no column \"x\""},  // a word in the first line makes it a header
      {"x,y,i\n", "line 1: the header names no column \"z\""},
      {"x,y,z,X\n", "line 1: two columns are named \"x\""},
      {"1 2 3\nx y z\n", "line 2: \"x\" is not a number"},
      {"1 2 3\n500000.5 4 5\n", "line 2: a coordinate beyond 100 km"},
      {"1 2 3\n1 1e400 5\n", "line 2: \"1e400\" is not a number"},
  }));
  REQUIRE_THAT(error_of(text), StartsWith("a.csv: ") && ContainsSubstring(expected));
}
