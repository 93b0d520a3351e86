#include <parte/registration.hpp>

#include <tests/parte/scenes.hpp>

#include <functional>
#include <limits>
#include <stdexcept>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

namespace {

using namespace parte;
using namespace parte::testing;
using Eigen::Vector3d;
using Eigen::Vector3f;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInfinity = std::numeric_limits<float>::infinity();

const ScanPair& street() {
  static const ScanPair pair = street_pair(1, 10.0, 2.0);
  return pair;
}

Result align(const Options& options, const Points& source, const Points& target) {
  const Registration registration(options);
  return registration.align(registration.extract(source), registration.extract(target));
}

void require_right(const Result& result, const ScanPair& pair) {
  REQUIRE(result.success());
  REQUIRE(displacement_m(result.T_target_source, pair.T_target_source, pair.source) < 0.3);
}

/// Whatever the reason, the result says that there is none and holds only numbers.
void require_refused(const Result& result) {
  CAPTURE(result.clique_points.size(), result.clique_planes.size(), result.overlap.sharpness());
  REQUIRE_FALSE(result.success());
  REQUIRE_FALSE(to_string(result.status).empty());
  REQUIRE(result.T_target_source.matrix().allFinite());
  REQUIRE(result.information.allFinite());
}

/// A wall across x, in front of the origin, with a little noise.
Points wall(Draw& draw, int count, double half) {
  Points points;
  for (int i = 0; i < count; ++i)
    points.emplace_back(
        Vector3d(8.0 + draw.uniform(-0.01, 0.01), draw.uniform(-half, half), draw.uniform(-half, half)).cast<float>());
  return points;
}

Points line(Draw& draw, int count, double noise) {
  const Vector3d start = draw.in_cube(5.0), along = draw.direction();
  Points points;
  for (int i = 0; i < count; ++i)
    points.emplace_back((start + draw.uniform(-20.0, 20.0) * along + draw.in_ball(noise)).cast<float>());
  return points;
}

Points scattered(Draw& draw, int count, double half) {
  Points points;
  for (int i = 0; i < count; ++i) points.emplace_back(draw.in_cube(half).cast<float>());
  return points;
}

}  // namespace

TEST_CASE("points that are no numbers are left out", "[bad_input]") {
  ScanPair pair = street();
  Draw draw(1);
  const std::size_t clean = pair.source.size();
  const Vector3f bad[] = {{kNan, 0, 0}, {0, kInfinity, 0}, {1, 2, -kInfinity}, {kNan, kNan, kNan}, {1e30f, 0, 0}};
  for (int k = 0; k < 5000; ++k) pair.source.push_back(bad[k % 5]), pair.target.push_back(bad[k % 5]);
  draw.shuffle(pair.source);
  const Registration registration(Options::lidar());
  const Features source = registration.extract(pair.source);
  REQUIRE(source.status == Status::success);
  REQUIRE(source.cloud.dropped == pair.source.size() - clean);
  require_right(registration.align(source, registration.extract(pair.target)),
                {street().source, {}, pair.T_target_source});
}

TEST_CASE("clouds of nothing but bad points are empty", "[bad_input]") {
  const Vector3f bad = GENERATE(Vector3f(kNan, 0, 0), Vector3f(kInfinity, 0, 0), Vector3f(0, 0, -kInfinity));
  const Result result = align(Options::lidar(), Points(10'000, bad), street().target);
  require_refused(result);
  REQUIRE(result.status == Status::too_few_points);
}

TEST_CASE("a few points are too few, on either side or both", "[bad_input]") {
  Draw draw(2);
  const Points few = scattered(draw, GENERATE(0, 1, 2, 3, 10), 10.0);
  const Options options = GENERATE(Options::lidar(), Options::rgbd());
  for (const Result& result :
       {align(options, few, street().target), align(options, street().target, few), align(options, few, few)}) {
    require_refused(result);
    if (few.size() < 10) REQUIRE(result.status == Status::too_few_points);
  }
}

TEST_CASE("points on one line are no success", "[bad_input]") {
  Draw draw(GENERATE(range(0u, 3u)));
  const double noise = GENERATE(0.0, 0.02);
  const Points points = line(draw, 2000, noise), other = line(draw, 2000, noise);
  const Options options = GENERATE(Options::lidar(), Options::rgbd());
  require_refused(align(options, points, points));
  require_refused(align(options, points, other));
  require_refused(align(options, points, street().target));
}

TEST_CASE("two views of one bare plane are no success", "[bad_input]") {
  Draw draw(GENERATE(range(0u, 8u)));
  Options options = GENERATE(Options::lidar(), Options::rgbd());
  options.verification.refine = GENERATE(true, false);
  CAPTURE(options.voxel, options.verification.refine);
  const Points points = wall(draw, 30'000, 6.0), other = wall(draw, 30'000, 5.0);
  const auto laid_down = [](Points cloud) {
    for (Vector3f& p : cloud) p = Vector3f(p.y(), p.z(), 0.25f * (p.x() - 16.0f));
    return cloud;
  };
  require_refused(align(options, points, other));
  require_refused(align(options, laid_down(points), laid_down(other)));
  require_refused(align(options, points, laid_down(other)));
}

TEST_CASE("duplicates are one point", "[bad_input]") {
  const Points same(100'000, Vector3f(3, 4, 5));
  const Result result = align(Options::lidar(), same, same);
  require_refused(result);
  REQUIRE(result.status == Status::too_few_points);
  ScanPair pair = street();
  pair.source.insert(pair.source.end(), street().source.begin(), street().source.end());
  require_right(align(Options::lidar(), pair.source, pair.target), pair);
}

TEST_CASE("noise without surfaces is no success", "[bad_input]") {
  Draw draw(3);
  const Points points = scattered(draw, 20'000, 15.0), other = scattered(draw, 20'000, 15.0);
  require_refused(align(Options::lidar(), points, other));
  require_refused(align(Options::rgbd(), points, other));
}

TEST_CASE("voxels far too large or too small are answered by a status", "[bad_input]") {
  REQUIRE(align(Options::lidar(1000.0), street().source, street().target).status == Status::too_few_points);
  require_refused(align(Options::lidar(30.0), street().source, street().target));
  require_refused(align(Options::lidar(1e-3), street().source, street().target));
  REQUIRE(align(Options::lidar(1e-9), street().source, street().target).status == Status::too_few_points);
}

TEST_CASE("too many points ask for a larger voxel", "[bad_input]") {
  Options options = Options::lidar();
  options.max_points = 1000;
  const Registration registration(options);
  REQUIRE(registration.extract(street().source).status == Status::too_many_points);
  REQUIRE(align(options, street().source, street().target).status == Status::too_many_points);
}

TEST_CASE("features of unusable scans know their viewpoint and no ground", "[bad_input]") {
  Options options = Options::lidar();
  options.max_points = 1000;
  const Vector3d viewpoint(1.0, 2.0, 3.0);
  for (const Points& points : {street().source, Points(5, Vector3f(7, 8, 9))}) {
    const Features features = Registration(options).extract(points, viewpoint);
    REQUIRE(features.status != Status::success);
    REQUIRE((features.cloud.origin + features.sensor - viewpoint).norm() < 1e-9);
    REQUIRE(features.ground == std::vector<bool>(features.cloud.size(), false));
  }
}

TEST_CASE("viewpoints beyond single precision do no harm", "[bad_input]") {
  const Registration registration(Options::lidar());
  const Features features = registration.extract(street().source, Vector3d(1e300, 1e300, 1e300));
  REQUIRE(features.status == Status::success);
  REQUIRE(registration.align(features, features).T_target_source.matrix().allFinite());
}

TEST_CASE("correspondences that say nothing are no success", "[bad_input]") {
  const Registration registration(Options::lidar());
  Draw draw(4);
  const Features source = registration.extract(wall(draw, 20'000, 8.0)), target = source;
  REQUIRE(source.status == Status::success);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Correspondence one{{8, 1, 1}, {8, 1, 1}}, bad{{nan, 0, 0}, {0, nan, 0}};
  require_refused(registration.align(source, target, {}));
  require_refused(registration.align(source, target, std::vector{one}));
  require_refused(registration.align(source, target, std::vector(500, one)));
  require_refused(registration.align(source, target, std::vector(500, bad)));
}

TEST_CASE("ten million points fit into memory", "[bad_input][slow]") {
  constexpr std::size_t kPoints = 10'000'000;
  Draw draw(5);
  ScanPair pair = street();
  SECTION("a dense scan gives the right answer") {
    const std::size_t scanned = pair.source.size();
    for (std::size_t i = 0; pair.source.size() < kPoints; ++i)
      pair.source.emplace_back(pair.source[i % scanned] + draw.in_cube(0.02).cast<float>());
    require_right(align(Options::lidar(), pair.source, pair.target), pair);
  }
  SECTION("a wide one asks for a larger voxel") {
    pair.source.clear();
    while (pair.source.size() < kPoints) pair.source.emplace_back(draw.in_cube(500.0).cast<float>());
    const Result result = align(Options::lidar(), pair.source, pair.target);
    require_refused(result);
    REQUIRE(result.status == Status::too_many_points);
  }
  REQUIRE(peak_memory_mb() < 2000.0);
}

TEST_CASE("wrong options are refused by name", "[bad_input]") {
  using Catch::Matchers::ContainsSubstring;
  using Catch::Matchers::MessageMatches;
  constexpr double kBad = std::numeric_limits<double>::quiet_NaN(), kEndless = std::numeric_limits<double>::infinity();
  const std::vector<std::pair<std::string, std::function<void(Options&)>>> wrong{
      {"voxel", [](Options& o) { o.voxel = 0.0; }},
      {"voxel", [](Options& o) { o.voxel = kEndless; }},
      {"voxel", [](Options& o) { o.voxel = kBad; }},
      {"threads", [](Options& o) { o.threads = -1; }},
      {"threads", [](Options& o) { o.threads = 1025; }},
      {"radius", [](Options& o) { o.normal_radius = -1.0; }},
      {"normal_max_neighbors", [](Options& o) { o.normal_max_neighbors = 0; }},
      {"thickness", [](Options& o) { o.plane_thickness = 0.0; }},
      {"plane_dispersion", [](Options& o) { o.plane_dispersion = kBad; }},
      {"plane_min_points", [](Options& o) { o.plane_min_points = -5; }},
      {"radius", [](Options& o) { o.fpfh_radius = kBad; }},
      {"fpfh_max_neighbors", [](Options& o) { o.fpfh_max_neighbors = -1; }},
      {"half_range", [](Options& o) { o.pch_half_range = 0.0; }},
      {"spatial_tolerance", [](Options& o) { o.spatial_tolerance = -1.0; }},
      {"angular_tolerance_deg", [](Options& o) { o.angular_tolerance_deg = -1.0; }},
      {"plane_weight", [](Options& o) { o.plane_weight = -1.0; }},
      {"plane_weight", [](Options& o) { o.plane_weight = 3e9; }},
      {"cell", [](Options& o) { o.ground.cell = 0.0; }},
      {"cell", [](Options& o) { o.ground.cell = 1e-9; }},
      {"cell", [](Options& o) { o.ground.cell = kEndless; }},
      {"tolerance", [](Options& o) { o.ground.tolerance = kEndless; }},
      {"max_bend_deg", [](Options& o) { o.ground.max_bend_deg = kEndless; }},
      {"max_step", [](Options& o) { o.ground.max_step = kEndless; }},
      {"max_slope_deg", [](Options& o) { o.ground.max_slope_deg = kBad; }},
      {"time_limit_s", [](Options& o) { o.clique.time_limit_s = -1.0; }},
      {"time_limit_s", [](Options& o) { o.clique.time_limit_s = kEndless; }},
      {"max_work", [](Options& o) { o.clique.max_work = -1; }},
      {"max_hypotheses", [](Options& o) { o.verification.max_hypotheses = -1; }},
      {"radius", [](Options& o) { o.verification.radius = kEndless; }},
      {"radius", [](Options& o) { o.verification.radius = 1e300; }},
      {"min_confidence", [](Options& o) { o.verification.min_confidence = 2.0; }},
      {"min_confidence", [](Options& o) { o.verification.min_confidence = kBad; }},
      {"coarse_levels", [](Options& o) { o.coarse_levels = -1; }},
      {"coarse_levels", [](Options& o) { o.coarse_levels = 9; }},
  };
  REQUIRE_NOTHROW(Options::lidar().validate());
  REQUIRE_NOTHROW(Options::rgbd().validate());
  for (const auto& [field, spoil] : wrong) {
    Options options;
    spoil(options);
    CAPTURE(field);
    CHECK_THROWS_MATCHES(options.validate(), std::invalid_argument, MessageMatches(ContainsSubstring(field)));
    CHECK_THROWS_AS(Registration(options), std::invalid_argument);
  }
}
