#include <apps/eval_curves.hpp>

#include <datasets/file.hpp>
#include <tests/datasets/files.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

namespace parte::apps {
namespace {

PlaneTally tally() {
  PlaneTally t;
  t.pairs = 1;
  t.candidates = {{0.25, 0.75, true, true}, {0.5, 0.125, true, false}, {0.75, 0.0, false, true}};
  return t;
}

std::string picture(const TemporaryFolder& folder, const std::vector<PlaneCurves>& curves) {
  draw_curves(folder / "curves.png", curves);
  return datasets::read_file(folder / "curves.png");
}

}  // namespace

TEST_CASE("curves as text", "[eval]") {
  PlaneCurves curves = plane_curves(PlaneDescriptor::pch_two_level, tally());
  REQUIRE(curves.name == "PCH-2L");
  REQUIRE(curves.precision_recall.size() == 2);
  curves.precision_recall.pop_back();  // its precision, 2/3, has many digits
  REQUIRE(curves_csv({curves}) ==
          "descriptor,curve,x,y,count\n"
          "PCH-2L,precision-recall,0.5,1,1\n"
          "PCH-2L,confidence,0.15,0,1\n"
          "PCH-2L,confidence,0.75,1,1\n");
  REQUIRE(curves_csv({}) == "descriptor,curve,x,y,count\n");
}

TEST_CASE("curves as a picture", "[eval]") {
  const TemporaryFolder folder;
  const PlaneCurves a = plane_curves(PlaneDescriptor::pch_two_level, tally());
  PlaneCurves lower = a;
  for (CurvePoint& p : lower.precision_recall) p.y *= 0.5;
  const std::string empty = picture(folder, {}), one = picture(folder, {a}), other = picture(folder, {lower});
  REQUIRE(empty.substr(1, 3) == "PNG");
  REQUIRE(one != empty);
  REQUIRE(other != one);
  REQUIRE(picture(folder, {a}) == one);
  REQUIRE(picture(folder, {a, {"Area", {}, {}}}) != one);  // a line in the legend, though there is nothing to draw
  REQUIRE_THAT(io_error_of([&] { draw_curves(folder / "none" / "curves.png", {a}); }),
               Catch::Matchers::ContainsSubstring("curves.png"));
}

}  // namespace parte::apps
