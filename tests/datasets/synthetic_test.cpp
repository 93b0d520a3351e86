#include <datasets/synthetic.hpp>

#include <datasets/random.hpp>

#include <algorithm>
#include <cmath>
#include <future>
#include <set>
#include <tuple>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

using namespace parte::datasets;

namespace {

using Points = std::vector<Eigen::Vector3f>;

// Distances from outside: never more than the true distance, and at least half of it near the surface.
double distance(const Box& box, const Eigen::Vector3d& p) {
  return ((box.T_world_box.inverse() * p).cwiseAbs() - box.half).cwiseMax(0.0).norm();
}
double distance(const Cylinder& c, const Eigen::Vector3d& p) {
  return std::hypot(std::max(0.0, (p.head<2>() - c.center).norm() - c.radius),
                    std::max({0.0, c.bottom - p.z(), p.z() - c.top}));
}
double distance(const Blob& blob, const Eigen::Vector3d& p) {
  return std::max(0.0, (p - blob.center).cwiseQuotient(blob.radii).norm() - 1.0) * blob.radii.minCoeff();
}
double distance(const Ground& ground, const Eigen::Vector3d& p) {
  constexpr double kSteepest = 0.5;  // cosine of more than a kerb's slope
  return std::max(0.0, p.z() - ground.height(p.x(), p.y())) * kSteepest;
}
double distance(const Scene& scene, const Eigen::Vector3d& p) {
  double nearest = distance(scene.ground, p);
  for (const Shape& shape : scene.shapes)
    nearest = std::min(nearest, std::visit([&](const auto& s) { return distance(s, p); }, shape));
  return nearest;
}

/// The same scene without what is out of reach.
Scene around(const Scene& scene, const Eigen::Vector3d& place, double reach) {
  Scene near{scene.ground, {}};
  for (const Shape& shape : scene.shapes)
    if (std::visit([&](const auto& s) { return distance(s, place); }, shape) < reach) near.shapes.push_back(shape);
  return near;
}

/// A ray cast without any intersection formula: go as far as nothing can be, again and again.
double march(const Scene& scene, const Eigen::Vector3d& origin, const Eigen::Vector3d& direction, double range) {
  double t = 0.0;
  for (double free = 1.0; t < range && free > 1e-4; t += free) free = distance(scene, origin + t * direction);
  return t;
}

std::set<std::tuple<int, int, int>> voxels(const Points& points, const Eigen::Isometry3d& T, double edge) {
  std::set<std::tuple<int, int, int>> cells;
  for (const auto& point : points) {
    if (point.z() < -1.2f) continue;  // the ground fits anywhere
    const Eigen::Array3i cell = ((T * point.cast<double>()) / edge).array().floor().cast<int>();
    cells.emplace(cell.x(), cell.y(), cell.z());
  }
  return cells;
}

/// The part of a's voxels that b has, too.
double shared(const std::set<std::tuple<int, int, int>>& a, const std::set<std::tuple<int, int, int>>& b) {
  const auto count = std::count_if(a.begin(), a.end(), [&](const auto& cell) { return b.contains(cell); });
  return static_cast<double>(count) / static_cast<double>(a.size());
}

/// The farthest that any of some points of a scan is from the scene.
double worst_distance(const Scene& scene, const Points& points, const Eigen::Isometry3d& T_world_sensor) {
  double worst = 0.0;
  for (std::size_t i = 0; i < points.size(); i += 97)
    worst = std::max(worst, distance(scene, T_world_sensor * points[i].cast<double>()));
  return worst;
}

}  // namespace

TEST_CASE("random draws are the same everywhere and spread as they should", "[synthetic]") {
  Random random(1);
  REQUIRE(random.next() == 0x5858fc074ef2cb9c);
  double sum = 0.0, squares = 0.0, largest = 0.0;
  constexpr int kDraws = 100'000;
  for (int i = 0; i < kDraws; ++i) {
    const double draw = Random(7, static_cast<std::uint64_t>(i)).normal();  // streams must be as good as one sequence
    sum += draw;
    squares += draw * draw;
    largest = std::max(largest, std::abs(draw));
  }
  REQUIRE(std::abs(sum / kDraws) < 0.02);
  REQUIRE(squares / kDraws == Catch::Approx(1.0).margin(0.02));
  REQUIRE(largest <= Random::kNormalBound);
  for (int i = 0; i < 1000; ++i) {
    const int number = random.integer(-2, 3);
    REQUIRE((number >= -2 && number <= 3));
  }
}

TEST_CASE("a scene depends on its seed alone", "[synthetic]") {
  const Scene street = make_street(1);
  REQUIRE(street.shapes.size() == 5407);  // a compiler that evaluates draws in another order makes another street
  const Eigen::Isometry3d T = street_pose(street, 50.0, 0.0, 0.0);
  REQUIRE(scan_lidar(street, T) == scan_lidar(make_street(1), T));
  REQUIRE(scan_lidar(street, T) != scan_lidar(make_street(2), T));
  REQUIRE(scan_lidar(street, T, {.seed = 1}) != scan_lidar(street, T, {.seed = 2}));
  REQUIRE(make_room(3).shapes.size() == 156);
}

TEST_CASE("threads do not disturb each other's scans", "[synthetic]") {
  const Scene street = make_street(4);
  const auto scan = [&] { return scan_lidar(street, street_pose(street, 20.0, 0.0, 0.0), {.azimuth_steps = 300}); };
  std::vector<std::future<Points>> scans;
  for (int i = 0; i < 4; ++i) scans.push_back(std::async(std::launch::async, scan));
  const Points alone = scan();
  for (auto& other : scans) REQUIRE(other.get() == alone);
}

TEST_CASE("a LiDAR scan lies on the street, up to its noise", "[synthetic]") {
  const Scene street = make_street(GENERATE(range(1u, 4u)));
  const Eigen::Isometry3d T = street_pose(street, 80.0, 1.0, 0.4);
  const Points exact = scan_lidar(street, T, {.range_noise_m = 0.0, .dropout = 0.0});
  const Points noisy = scan_lidar(street, T, {.range_noise_m = 0.05});
  REQUIRE(exact.size() > 80'000);
  REQUIRE(noisy.size() < exact.size());
  REQUIRE(worst_distance(street, exact, T) < 0.003);
  REQUIRE(worst_distance(street, noisy, T) < 0.05 * Random::kNormalBound + 0.003);
  REQUIRE(worst_distance(street, noisy, T) > 0.02);
  REQUIRE(std::all_of(exact.begin(), exact.end(), [](const auto& p) { return p.norm() < 80.01f; }));
}

TEST_CASE("rays end at the first thing they meet", "[synthetic][oracle]") {
  const bool outdoors = GENERATE(false, true);
  const double range = outdoors ? 25.0 : 5.0;
  const Scene scene = outdoors ? make_street(5) : make_room(5);
  const Eigen::Vector3d origin =
      outdoors ? street_pose(scene, 33.0, 0.0, 0.0).translation() : Eigen::Vector3d(3, 1.6, 1.8);
  const Scene near = around(scene, origin, range);
  const RayCaster caster(scene);
  Random random(9);
  int hits = 0;
  for (int i = 0; i < 200; ++i) {
    const double azimuth = random.uniform(0.0, 6.283);
    const Eigen::Vector3d direction =
        Eigen::Vector3d(std::cos(azimuth), std::sin(azimuth), random.uniform(-0.5, 0.2)).normalized();
    const double cast = caster.cast(origin, direction, range), marched = march(near, origin, direction, range);
    hits += std::isfinite(cast) ? 1 : 0;
    REQUIRE(std::min(marched, range) == Catch::Approx(std::min(cast, range)).margin(0.01));
  }
  REQUIRE(hits > 100);
}

TEST_CASE("a street pose stands on the ground, upright and at the height of the sensor", "[synthetic]") {
  const Scene street = make_street(6);
  for (const double s : {0.0, 70.0, 200.0}) {
    const Eigen::Isometry3d T = street_pose(street, s, -1.0, 2.0);
    REQUIRE((T.linear() * T.linear().transpose()).isIdentity(1e-12));
    REQUIRE(T(2, 2) > 0.99);
    const double height = T.translation().z() - street.ground.height(T.translation().x(), T.translation().y());
    REQUIRE(height == Catch::Approx(1.73).margin(0.01));
    REQUIRE(street.ground.center_line.lateral(T.translation().x(), T.translation().y()) ==
            Catch::Approx(-1.0).margin(0.05));
  }
}

TEST_CASE("two scans of a street overlap under their poses and not otherwise", "[synthetic]") {
  const Scene street = make_street(GENERATE(range(1u, 4u)));
  const Eigen::Isometry3d T_world_a = street_pose(street, 100.0, -1.0, 0.0);
  const Eigen::Isometry3d T_world_b = street_pose(street, 110.0, 1.0, 2.6);
  const Points a = scan_lidar(street, T_world_a, {.seed = 1}), b = scan_lidar(street, T_world_b, {.seed = 2});
  const auto in_b = voxels(b, T_world_b, 0.5);
  REQUIRE(shared(voxels(a, T_world_a, 0.5), in_b) > 0.4);
  REQUIRE(shared(voxels(a, T_world_b, 0.5), in_b) < 0.2);
}

TEST_CASE("a depth image lies on the room and ahead of the camera", "[synthetic]") {
  const Scene room = make_room(GENERATE(range(1u, 4u)));
  const Eigen::Isometry3d T = look_at({1.0, 1.2, 1.6}, {5.0, 4.0, 1.0});
  const Points exact = scan_depth(room, T, {.depth_noise = 0.0, .dropout = 0.0});
  REQUIRE(exact.size() > 60'000);
  REQUIRE(worst_distance(room, exact, T) < 0.002);
  REQUIRE(worst_distance(room, scan_depth(room, T), T) < 0.0015 * 36.0 * Random::kNormalBound);
  REQUIRE(std::all_of(exact.begin(), exact.end(), [](const auto& p) { return p.z() > 0.0f && p.z() <= 6.001f; }));
  // The camera looks ahead, and its picture is upright: y points down.
  REQUIRE((T.linear().col(2) - Eigen::Vector3d(4.0, 2.8, -0.6).normalized()).norm() < 1e-12);
  REQUIRE(T.linear().col(1).z() < -0.9);
  REQUIRE(T.linear().determinant() == Catch::Approx(1.0));
}

TEST_CASE("scans that make no sense are refused", "[synthetic]") {
  const Scene empty;
  const Eigen::Isometry3d T = Eigen::Isometry3d(Eigen::Translation3d(0.0, 0.0, 1.0));
  for (const LidarOptions& bad :
       {LidarOptions{.rings = 1}, LidarOptions{.azimuth_steps = 0}, LidarOptions{.dropout = 2.0},
        LidarOptions{.range_noise_m = -1.0}, LidarOptions{.max_range_m = 0.0}})
    REQUIRE_THROWS_AS(scan_lidar(empty, T, bad), std::invalid_argument);
  for (const DepthOptions& bad : {DepthOptions{.width = 0}, DepthOptions{.horizontal_fov_deg = 180.0},
                                  DepthOptions{.depth_noise = NAN}, DepthOptions{.dropout = -0.1}})
    REQUIRE_THROWS_AS(scan_depth(empty, T, bad), std::invalid_argument);
}

TEST_CASE("an empty scene has ground and nothing else", "[synthetic]") {
  const Eigen::Isometry3d T = Eigen::Isometry3d(Eigen::Translation3d(0.0, 0.0, 1.0));
  const Points points = scan_lidar(Scene{}, T, {.range_noise_m = 0.0});
  REQUIRE_FALSE(points.empty());
  REQUIRE(std::all_of(points.begin(), points.end(), [](const auto& p) { return std::abs(p.z() + 1.0f) < 1e-4f; }));
}
