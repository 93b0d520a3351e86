#include <datasets/world/presets.hpp>
#include <datasets/world/synthetic.hpp>

#include <datasets/random.hpp>

#include <algorithm>
#include <cmath>
#include <future>
#include <limits>
#include <numbers>
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

TEST_CASE("random draws are the same everywhere and spread as they should", "[world]") {
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
  REQUIRE(worst_exact < 0.003);  // the sensor's resolution and single precision
  REQUIRE(worst_usual < 0.03 * Random::kNormalBound + 0.003);
  REQUIRE(worst_usual > 0.005);
  for (const auto& p : usual) REQUIRE((p.norm() > 1.8f && p.norm() < 120.2f));
}

TEST_CASE("the lasers are those of the data sheets", "[world]") {
  struct Sheet {
    LidarModel model;
    int rings, steps;
    double highest, lowest;
  };
  for (const Sheet& sheet :
       {Sheet{LidarModel::hdl64e, 64, 2083, 2.0, -24.37}, Sheet{LidarModel::vlp16, 16, 1808, 15.0, -15.0},
        Sheet{LidarModel::hdl32e, 32, 2170, 10.67, -30.67}, Sheet{LidarModel::os1_128, 128, 1024, 22.5, -22.5},
        Sheet{LidarModel::tls, 601, 1440, 90.0, -60.0}}) {
    CAPTURE(to_string(sheet.model));
    const LidarOptions options = LidarOptions::of(sheet.model);
    const LidarPattern pattern(options);
    REQUIRE(options.azimuth_steps == sheet.steps);
    REQUIRE(pattern.rings() == sheet.rings);
    REQUIRE(pattern.elevation_deg(0, 7) == Catch::Approx(sheet.highest).margin(0.005));
    REQUIRE(pattern.elevation_deg(sheet.rings - 1, 7) == Catch::Approx(sheet.lowest).margin(0.005));
    for (int ring = 1; ring < sheet.rings; ++ring)
      REQUIRE(pattern.elevation_deg(ring, 0) < pattern.elevation_deg(ring - 1, 0));
  }
  const LidarPattern hdl64e{LidarOptions{}};
  REQUIRE(hdl64e.elevation_deg(31, 0) == Catch::Approx(-8.33).margin(0.01));
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
        LidarOptions{.max_range_m = 0.0}, LidarOptions{.dropout = 2.0}})
    REQUIRE_THROWS_AS(scan_lidar(empty, T, bad), std::invalid_argument);
  for (const DepthOptions& bad : {DepthOptions{.width = 0}, DepthOptions{.horizontal_fov_deg = 180.0},
                                  DepthOptions{.depth_noise = NAN}, DepthOptions{.dropout = -0.1}})
    REQUIRE_THROWS_AS(scan_depth(empty, T, bad), std::invalid_argument);
  REQUIRE_THROWS_AS(preset_named("moon"), std::invalid_argument);
  for (const Preset preset : {Preset::town, Preset::reverse, Preset::highway, Preset::forest, Preset::indoor})
    REQUIRE(preset_named(to_string(preset)) == preset);
}
