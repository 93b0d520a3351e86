#include <datasets/world/presets.hpp>
#include <datasets/world/synthetic.hpp>

#include <datasets/random.hpp>

#include <algorithm>
#include <cmath>
#include <future>
#include <limits>
#include <set>
#include <tuple>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

using namespace parte::datasets;

namespace {

std::array<Eigen::Vector3d, 3> corners(const Mesh& mesh, const Mesh::Triangle& t) {
  return {mesh.vertices[t.corners[0]].cast<double>(), mesh.vertices[t.corners[1]].cast<double>(),
          mesh.vertices[t.corners[2]].cast<double>()};
}

/// By solving for the point in the triangle's plane, for every triangle there is.
double brute_force_cast(const Mesh& mesh, const Eigen::Vector3d& origin, const Eigen::Vector3d& direction) {
  double nearest = std::numeric_limits<double>::infinity();
  for (const Mesh::Triangle& t : mesh.triangles) {
    const auto [a, b, c] = corners(mesh, t);
    Eigen::Matrix3d A;
    A << b - a, c - a, -direction;
    if (std::abs(A.determinant()) < 1e-14) continue;
    const Eigen::Vector3d solution = A.inverse() * (origin - a);
    if (solution.x() >= 0.0 && solution.y() >= 0.0 && solution.x() + solution.y() <= 1.0 && solution.z() > 0.0)
      nearest = std::min(nearest, solution.z());
  }
  return nearest;
}

double distance_to_segment(const Eigen::Vector3d& p, const Eigen::Vector3d& a, const Eigen::Vector3d& b) {
  const Eigen::Vector3d ab = b - a;
  const double t = ab.squaredNorm() > 0.0 ? std::clamp(ab.dot(p - a) / ab.squaredNorm(), 0.0, 1.0) : 0.0;
  return (p - a - t * ab).norm();
}

double distance_to_mesh(const Mesh& mesh, const Eigen::Vector3d& p) {
  double nearest = std::numeric_limits<double>::infinity();
  for (const Mesh::Triangle& t : mesh.triangles) {
    const auto [a, b, c] = corners(mesh, t);
    if ((a - p).norm() > 12.0) continue;  // no triangle is that large around what the tests look at
    const Eigen::Vector3d normal = (b - a).cross(c - a);
    Eigen::Matrix3d A;
    A << b - a, c - a, normal;
    const Eigen::Vector3d at =
        normal.norm() > 1e-12 ? Eigen::Vector3d(A.inverse() * (p - a)) : Eigen::Vector3d(-1, 0, 0);
    if (at.x() >= 0.0 && at.y() >= 0.0 && at.x() + at.y() <= 1.0)
      nearest = std::min(nearest, std::abs(at.z()) * normal.norm());
    else
      nearest =
          std::min({nearest, distance_to_segment(p, a, b), distance_to_segment(p, b, c), distance_to_segment(p, c, a)});
  }
  return nearest;
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

bool same(const LabelledScan& a, const LabelledScan& b) {
  return a.points == b.points && a.labels == b.labels && a.intensities == b.intensities;
}

const LidarOptions kExact{.range_noise_m = 0.0, .laser_bias_m = 0.0, .dropout = 0.0, .weak_returns = false};

}  // namespace

TEST_CASE("random draws are the same everywhere", "[world]") {
  Random random(1);
  REQUIRE(random.next() == 0x5858fc074ef2cb9c);
  REQUIRE(Random(7).normal() == Catch::Approx(-0.62908550641766392).epsilon(1e-14));
  for (int i = 0; i < 1000; ++i) {
    const int number = random.integer(-2, 3);
    REQUIRE((number >= -2 && number <= 3));
  }
}

TEST_CASE("normal draws are distributed as the error function says", "[world][oracle]") {
  constexpr int kDraws = 1'000'000;
  std::vector<double> draws;
  for (int i = 0; i < kDraws; ++i)  // streams must be as good as one sequence
    draws.push_back(Random(7, static_cast<std::uint64_t>(i)).normal());
  double sum = 0.0, squares = 0.0;
  for (const double draw : draws) sum += draw, squares += draw * draw;
  REQUIRE(std::abs(sum / kDraws) < 4.0 / std::sqrt(kDraws));
  REQUIRE(std::abs(squares / kDraws - 1.0) < 4.0 * std::sqrt(2.0 / kDraws));
  std::sort(draws.begin(), draws.end());
  double apart = 0.0;  // Kolmogorov and Smirnov
  for (int i = 0; i < kDraws; ++i)
    apart = std::max(
        apart, std::abs((i + 0.5) / kDraws - 0.5 * std::erfc(-draws[static_cast<std::size_t>(i)] / std::sqrt(2.0))));
  REQUIRE(apart < 1.95 / std::sqrt(kDraws));  // exceeded by one sample in a thousand
  for (const double reach : {2.0, 3.0, 4.0}) {
    const double expected = kDraws * std::erfc(reach / std::sqrt(2.0));
    const auto beyond = std::count_if(draws.begin(), draws.end(), [&](double draw) { return std::abs(draw) > reach; });
    REQUIRE(std::abs(static_cast<double>(beyond) - expected) < 4.0 * std::sqrt(expected));
  }
}

TEST_CASE("rays end at the first triangle they meet", "[world][oracle]") {
  const bool outdoors = GENERATE(false, true);
  const World street = make_street(5);
  const Mesh mesh = outdoors ? street.mesh : make_room(5);
  const Eigen::Vector3d origin =
      outdoors ? street_pose(street, 33.0, 0.0, 0.0).translation() : Eigen::Vector3d(3, 1.6, 1.8);
  const RayTracer tracer(mesh);
  Random random(9);
  int hits = 0;
  for (int i = 0; i < (outdoors ? 12 : 100); ++i) {
    const double azimuth = random.uniform(0.0, 6.283);
    const Eigen::Vector3d direction =
        Eigen::Vector3d(std::cos(azimuth), std::sin(azimuth), random.uniform(-0.5, 0.2)).normalized();
    RayTracer::Hit hit;
    const bool found = tracer.cast(origin.cast<float>(), direction.cast<float>(), 60.0f, hit);
    const double expected = brute_force_cast(mesh, origin, direction);
    REQUIRE(found == (expected < 60.0));
    if (found) REQUIRE(hit.range == Catch::Approx(expected).margin(0.002));
    hits += found ? 1 : 0;
  }
  REQUIRE(hits > 5);
}

TEST_CASE("a scan lies on the world's surfaces, in the frame of the sensor", "[world][oracle]") {
  const World street = make_street(GENERATE(1u, 2u));
  const RayTracer tracer(street.mesh);
  const Eigen::Isometry3d T = street_pose(street, 80.0, 1.0, 0.4);
  const Points exact = scan_lidar(tracer, T, kExact), usual = scan_lidar(tracer, T);
  REQUIRE(exact.size() > 100'000);
  REQUIRE(usual.size() > 80'000);
  REQUIRE(usual.size() < exact.size());
  double worst_exact = 0.0, worst_usual = 0.0;
  const auto worst = [&](const Points& points, double& result) {
    for (std::size_t i = 0; i < points.size(); i += points.size() / 40)
      if (points[i].norm() < 40.0f)
        result = std::max(result, distance_to_mesh(street.mesh, T * points[i].cast<double>()));
  };
  worst(exact, worst_exact);
  worst(usual, worst_usual);
  REQUIRE(worst_exact < 0.003);                                 // the sensor's resolution and single precision
  REQUIRE(worst_usual < 5.0 * std::hypot(0.02, 0.01) + 0.003);  // noise and the bias of a laser
  REQUIRE(worst_usual > 0.005);
  for (const auto& p : usual) REQUIRE((p.norm() > 1.8f && p.norm() < 120.2f));
}

TEST_CASE("weak returns are lost: far, dark and grazed surfaces", "[world]") {
  Mesh wall;
  wall.quad({60.0, -40.0, -40.0}, {60.0, 40.0, -40.0}, {60.0, 40.0, 40.0}, {60.0, -40.0, 40.0}, Surface::building);
  const auto returns = [&](const Mesh& mesh) {
    return scan_lidar(RayTracer(mesh), Eigen::Isometry3d::Identity(), {.own_roof = false, .seed = 3}).size();
  };
  Mesh glass = wall;
  for (auto& t : glass.triangles) t.surface = Surface::window;
  REQUIRE(returns(wall) > 1000);
  REQUIRE(returns(glass) == 0);
}

TEST_CASE("a world and its scans depend on preset and seed alone", "[world]") {
  SyntheticOptions options{.preset = Preset::forest, .seed = 3, .motion_distortion = false, .lidar = {}};
  options.lidar.azimuth_steps = 200;
  const SyntheticDrive a(options), b(options);
  REQUIRE(a.world().mesh.vertices == b.world().mesh.vertices);
  REQUIRE(same(a.scan(100), b.scan(100)));
  options.seed = 4;
  REQUIRE_FALSE(same(a.scan(100), SyntheticDrive(options).scan(100)));
  std::vector<std::future<LabelledScan>> scans;
  for (int i = 0; i < 3; ++i) scans.push_back(std::async(std::launch::async, [&] { return a.scan(100); }));
  for (auto& scan : scans) REQUIRE(same(scan.get(), b.scan(100)));
}

TEST_CASE("two scans of a street overlap under their poses and not otherwise", "[world]") {
  const World street = make_street(GENERATE(range(1u, 4u)));
  const RayTracer tracer(street.mesh);
  const Eigen::Isometry3d T_world_a = street_pose(street, 100.0, -1.0, 0.0);
  const Eigen::Isometry3d T_world_b = street_pose(street, 110.0, 1.0, 2.6);
  const Points a = scan_lidar(tracer, T_world_a, {.seed = 1}), b = scan_lidar(tracer, T_world_b, {.seed = 2});
  const auto in_b = voxels(b, T_world_b, 0.5);
  REQUIRE(shared(voxels(a, T_world_a, 0.5), in_b) > 0.4);
  REQUIRE(shared(voxels(a, T_world_b, 0.5), in_b) < 0.25);
}

TEST_CASE("a street pose stands on the ground, upright and at the height of the sensor", "[world]") {
  const World street = make_street(6);
  for (const double s : {0.0, 70.0, 200.0}) {
    const Eigen::Isometry3d T = street_pose(street, s, -1.0, 2.0);
    REQUIRE((T.linear() * T.linear().transpose()).isIdentity(1e-12));
    REQUIRE(T(2, 2) > 0.99);
    REQUIRE(T.translation().z() - street.ground.height(T.translation().head<2>()) == Catch::Approx(1.73).margin(0.03));
  }
}

TEST_CASE("a depth image lies on the room and ahead of the camera", "[world]") {
  const Mesh room = make_room(GENERATE(range(1u, 4u)));
  const RayTracer tracer(room);
  const Eigen::Isometry3d T = look_at({1.0, 1.2, 1.6}, {5.0, 4.0, 1.0});
  const Points exact = scan_depth(tracer, T, {.depth_noise = 0.0, .dropout = 0.0});
  REQUIRE(exact.size() > 60'000);
  double worst = 0.0;
  for (std::size_t i = 0; i < exact.size(); i += 997)
    worst = std::max(worst, distance_to_mesh(room, T * exact[i].cast<double>()));
  REQUIRE(worst < 0.001);
  REQUIRE(std::all_of(exact.begin(), exact.end(), [](const auto& p) { return p.z() > 0.0f && p.z() <= 6.001f; }));
  // The camera looks ahead, and its picture is upright: y points down.
  REQUIRE((T.linear().col(2) - Eigen::Vector3d(4.0, 2.8, -0.6).normalized()).norm() < 1e-12);
  REQUIRE(T.linear().col(1).z() < -0.9);
  REQUIRE(T.linear().determinant() == Catch::Approx(1.0));
}

TEST_CASE("sensors that make no sense are refused", "[world]") {
  const RayTracer empty{Mesh{}};
  const Eigen::Isometry3d T = Eigen::Isometry3d::Identity();
  REQUIRE(scan_lidar(empty, T).empty());
  for (const LidarOptions& bad :
       {LidarOptions{.azimuth_steps = 0}, LidarOptions{.range_noise_m = -1.0}, LidarOptions{.laser_bias_m = NAN},
        LidarOptions{.angle_noise_deg = -1.0}, LidarOptions{.resolution_m = 0.0}, LidarOptions{.max_range_m = 0.0},
        LidarOptions{.dark_range_m = NAN}, LidarOptions{.dropout = 2.0}})
    REQUIRE_THROWS_AS(scan_lidar(empty, T, bad), std::invalid_argument);
  for (const DepthOptions& bad : {DepthOptions{.width = 0}, DepthOptions{.horizontal_fov_deg = 180.0},
                                  DepthOptions{.depth_noise = NAN}, DepthOptions{.dropout = -0.1}})
    REQUIRE_THROWS_AS(scan_depth(empty, T, bad), std::invalid_argument);
  for (const double length : {999.0, 4001.0, static_cast<double>(NAN)})
    REQUIRE_THROWS_AS(make_world(Preset::circuit, 1, length), std::invalid_argument);
  REQUIRE_THROWS_AS(preset_named("moon"), std::invalid_argument);
  for (const Preset preset : {Preset::town, Preset::reverse, Preset::highway, Preset::forest, Preset::indoor,
                              Preset::circuit, Preset::circuit_reverse, Preset::ambiguous})
    REQUIRE(preset_named(to_string(preset)) == preset);
  REQUIRE_THROWS_AS(lidar_named("sonar"), std::invalid_argument);
  for (const LidarModel model : {LidarModel::hdl64e, LidarModel::vlp16, LidarModel::hdl32e, LidarModel::os1_128,
                                 LidarModel::mid360, LidarModel::tls}) {
    REQUIRE(lidar_named(to_string(model)) == model);
    REQUIRE_NOTHROW(LidarOptions::of(model).validate());
  }
  SyntheticOptions tripod;
  tripod.lidar = LidarOptions::of(LidarModel::tls);
  tripod.motion_distortion = true;
  REQUIRE_THROWS_AS(SyntheticDrive(tripod), std::invalid_argument);
  REQUIRE_THROWS_AS(open_synthetic({.preset = Preset::indoor, .seed = 1, .lidar = LidarOptions::of(LidarModel::vlp16)}),
                    std::invalid_argument);
}
