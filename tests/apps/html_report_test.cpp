#include <apps/html_report.hpp>
#include <apps/loop_detail.hpp>
#include <apps/report_cloud.hpp>
#include <apps/report_template.hpp>
#include <apps/run_app.hpp>
#include <datasets/random.hpp>

#include "../datasets/files.hpp"
#include "report_page.hpp"

#include <algorithm>
#include <limits>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

namespace {

using namespace parte;
using Points = std::vector<Eigen::Vector3f>;

Points random_points(std::size_t count, double extent, std::uint64_t seed) {
  datasets::Random random(seed);
  Points points;
  for (std::size_t i = 0; i < count; ++i)
    points.emplace_back(Eigen::Vector3d(random.uniform(-extent, extent), random.uniform(-extent, extent),
                                        random.uniform(-0.1 * extent, 0.1 * extent))
                            .cast<float>());
  return points;
}

/// How far a point is from the nearest of the others, along the axis where it is farthest.
double nearest(const Eigen::Vector3d& point, const std::vector<Eigen::Vector3d>& others) {
  double least = std::numeric_limits<double>::infinity();
  for (const Eigen::Vector3d& other : others) least = std::min(least, (point - other).lpNorm<Eigen::Infinity>());
  return least;
}

}  // namespace

TEST_CASE("a cloud comes out of the page within half a step", "[report][oracle]") {
  const double extent = GENERATE(1.0, 40.0, 5000.0);  // the last one needs a coarser step
  const Points points = random_points(1500, extent, 7);
  const PageJson cloud = apps::encode_cloud(points, 0.05);
  const double step = cloud.at("step");
  CHECK(step == Catch::Approx(extent > 1000.0 ? 2.0 * extent / 65535.0 : 0.05).epsilon(0.01));
  const std::vector<Eigen::Vector3d> decoded = decode_cloud(cloud);
  REQUIRE(decoded.size() == points.size());
  std::vector<Eigen::Vector3d> originals;
  for (const Eigen::Vector3f& p : points) originals.push_back(p.cast<double>());
  // Both ways: nothing is far from where it was, and nothing is lost.
  for (const Eigen::Vector3d& p : decoded) REQUIRE(nearest(p, originals) <= 0.5001 * step);
  for (const Eigen::Vector3d& p : originals) REQUIRE(nearest(p, decoded) <= 0.5001 * step);
  // Whatever the order of the points.
  Points shuffled(points.rbegin(), points.rend());
  CHECK(apps::encode_cloud(shuffled, 0.05) == cloud);
}

TEST_CASE("small clouds and points that are not finite", "[report]") {
  CHECK(decode_cloud(apps::encode_cloud({}, 0.1)).empty());
  const Points one = {{3.0f, -2.0f, 700.0f}};
  REQUIRE(decode_cloud(apps::encode_cloud(one, 0.1)).size() == 1);
  CHECK((decode_cloud(apps::encode_cloud(one, 0.1))[0] - Eigen::Vector3d(3, -2, 700)).norm() < 1e-9);
  const float nan = std::numeric_limits<float>::quiet_NaN(), infinite = std::numeric_limits<float>::infinity();
  const Points some = {{nan, 0, 0}, {1, 2, 3}, {0, -infinite, 0}, {1, 2, 4}};
  CHECK(decode_cloud(apps::encode_cloud(some, 0.1)).size() == 2);
}

TEST_CASE("clouds are thinned out to a limit", "[report]") {
  const Points points = random_points(5000, 20.0, 3);
  CHECK(apps::thinned(points, 0.1, 5000) == points);
  const Points fewer = apps::thinned(points, 0.1, 700);
  CHECK(fewer.size() <= 700);
  CHECK(fewer.size() > 300);
}

TEST_CASE("base64 is that of RFC 4648", "[report]") {
  CHECK(apps::base64("") == "");
  CHECK(apps::base64("f") == "Zg==");
  CHECK(apps::base64("fo") == "Zm8=");
  CHECK(apps::base64("foo") == "Zm9v");
  CHECK(apps::base64("foobar") == "Zm9vYmFy");
  CHECK(apps::base64("\xff\xfe\xfd") == "//79");
}

TEST_CASE("nothing breaks out of its place in the page", "[report]") {
  const TemporaryFolder folder;
  const std::string hostile = "</script><script>alert(1)</script><!-- \xff\xe2\x80\xa8 \" \\ ";
  apps::write_report(folder.path(), {{hostile, hostile}});
  const std::string page = datasets::read_file(folder / "report.html");
  CHECK(page.find("alert(1)<") == page.npos);
  CHECK(std::all_of(page.begin() + static_cast<std::ptrdiff_t>(page.find("alert(1)")),
                    page.begin() + static_cast<std::ptrdiff_t>(page.find("alert(1)") + 40),
                    [](char c) { return c >= ' ' && c < 127; }));
  const PageJson data = page_data(folder / "report.html");
  REQUIRE(data.size() == 1);
  const std::string read = data.begin().value();
  CHECK(read.substr(0, 33) == hostile.substr(0, 33));
  CHECK(read.find("\xe2\x80\xa8 \" \\") != read.npos);  // but for the byte that was no UTF-8
}

TEST_CASE("the template is embedded as it is", "[report]") {
  std::string embedded;
  for (const std::string_view piece : apps::report_template()) embedded += piece;
  CHECK(embedded == datasets::read_file(std::filesystem::path(PARTE_SOURCE_DIR) / "apps/report/template.html"));
}

TEST_CASE("a command line can be typed again", "[report]") {
  std::vector<std::string> words = {"parte_slam", "--replay", "a b", "it's", "", "x=1"};
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  CHECK(apps::command_line(static_cast<int>(argv.size()), argv.data()) ==
        "parte_slam --replay 'a b' 'it'\\''s' '' x=1");
}

TEST_CASE("a patch is drawn as the rectangle that holds it", "[report]") {
  // A rectangle of 6 m x 2 m, turned and tilted, far from the origin.
  const Eigen::Isometry3d T =
      Eigen::Translation3d(1000.0, 20.0, 3.0) * Eigen::AngleAxisd(0.7, Eigen::Vector3d(0.3, -0.5, 0.8).normalized());
  PointCloud cloud;
  cloud.origin = {1000.0, 0.0, 0.0};
  std::vector<Index> indices;
  for (int i = 0; i <= 30; ++i)
    for (int j = 0; j <= 10; ++j) {
      const Eigen::Vector3d p = T * Eigen::Vector3d(0.2 * i, 0.2 * j, 0.0);
      indices.push_back(static_cast<Index>(cloud.points.size()));
      cloud.points.push_back((p - cloud.origin).cast<float>());
      cloud.normals.push_back((T.linear() * Eigen::Vector3d::UnitZ()).cast<float>());
    }
  const PlanarPatch patch = fit_patch(cloud, indices, T.linear() * Eigen::Vector3d(0, 0, 100));
  const apps::PatchCorners corners = apps::patch_corners(cloud, patch);
  for (const Eigen::Vector2d& corner : {Eigen::Vector2d(0, 0), {6, 0}, {6, 2}, {0, 2}}) {
    const Eigen::Vector3d expected = T * Eigen::Vector3d(corner.x(), corner.y(), 0.0);
    CHECK(std::any_of(corners.begin(), corners.end(),
                      [&](const Eigen::Vector3f& c) { return (c.cast<double>() - expected).norm() < 0.01; }));
  }
  CHECK((corners[1] - corners[0]).norm() + (corners[2] - corners[1]).norm() == Catch::Approx(8.0).epsilon(0.001));
}
