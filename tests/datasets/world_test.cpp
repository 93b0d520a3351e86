#include <datasets/world/presets.hpp>
#include <datasets/world/synthetic.hpp>

#include <datasets/random.hpp>

#include <algorithm>
#include <cmath>
#include <future>
#include <limits>
#include <map>
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

constexpr double kDegree = std::numbers::pi / 180.0;
constexpr double kWall = 10.0;  // [m] ahead of the sensor

Mesh wall_ahead() {
  Mesh mesh;
  mesh.quad({kWall, -60.0, -60.0}, {kWall, 60.0, -60.0}, {kWall, 60.0, 60.0}, {kWall, -60.0, 60.0}, Surface::building);
  return mesh;
}

/// Where the lasers meet the wall within reach, in the order of a scan.
Points rays_to_wall(const LidarOptions& o) {
  const LidarPattern pattern(o);
  Points points;
  for (int ring = 0; ring < pattern.rings(); ++ring)
    for (int step = 0; step < o.azimuth_steps; ++step) {
      const Eigen::AngleAxisd yaw(2.0 * std::numbers::pi * step / o.azimuth_steps, Eigen::Vector3d::UnitZ());
      const Eigen::AngleAxisd pitch(-pattern.elevation_deg(ring, step) * kDegree, Eigen::Vector3d::UnitY());
      const Eigen::Vector3d direction = yaw * (pitch * Eigen::Vector3d::UnitX());
      if (direction.x() > 0.0 && kWall / direction.x() < o.max_range_m)
        points.emplace_back((kWall / direction.x() * direction).cast<float>());
    }
  return points;
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

TEST_CASE("every LiDAR sees a plane along its rays and with its errors", "[world][oracle]") {
  const LidarModel model = GENERATE(LidarModel::hdl64e, LidarModel::vlp16, LidarModel::hdl32e, LidarModel::os1_128,
                                    LidarModel::mid360, LidarModel::tls);
  CAPTURE(to_string(model));
  LidarOptions usual = LidarOptions::of(model);
  usual.weak_returns = usual.own_roof = false;
  usual.dropout = 0.0;
  usual.max_range_m = 14.0;  // all within 45 deg of head-on, where errors of angle act nearly linearly
  const auto see = [&](double noise, double bias, double angle) {
    LidarOptions options = usual;
    options.range_noise_m = noise, options.laser_bias_m = bias, options.angle_noise_deg = angle;
    return scan_lidar(RayTracer(wall_ahead()), Eigen::Isometry3d::Identity(), options);
  };
  const Points expected = rays_to_wall(usual);
  REQUIRE(expected.size() > 3000);
  const Points exact = see(0.0, 0.0, 0.0);
  REQUIRE(exact.size() == expected.size());
  for (std::size_t i = 0; i < exact.size(); ++i) {
    REQUIRE(exact[i].normalized().dot(expected[i].normalized()) > 1.0f - 1e-6f);
    REQUIRE(std::abs(exact[i].norm() - expected[i].norm()) < 0.5 * usual.resolution_m + 1e-4);
  }

  const Points noisy = see(usual.range_noise_m, 0.0, usual.angle_noise_deg);
  double squares = 0.0, beyond = 0.0;
  for (const auto& p : noisy) {
    const double cosine = p.normalized().x(), range = kWall / cosine;  // of what the scan says of the direction
    const double tilt = range * std::sqrt(1.0 / (cosine * cosine) - 1.0) * usual.angle_noise_deg * kDegree;
    const double sigma = std::hypot(usual.range_noise_m, tilt, usual.resolution_m / std::sqrt(12.0));
    const double error = (p.norm() - range) / sigma;
    squares += error * error;
    beyond += std::abs(error) > 3.0 ? 1.0 : 0.0;
  }
  const auto n = static_cast<double>(noisy.size());
  REQUIRE(std::abs(squares / n - 1.0) < 4.0 * std::sqrt(2.0 / n));
  REQUIRE(std::abs(beyond - 0.0027 * n) < 4.0 * std::sqrt(0.0027 * n));

  if (usual.laser_bias_m == 0.0) return;
  const Points biased = see(0.0, usual.laser_bias_m, 0.0);
  std::map<int, double> bias;  // by elevation [0.01 deg]
  for (const auto& p : biased) {
    const int ring = static_cast<int>(std::lround(100.0 * std::asin(p.normalized().z()) / kDegree));
    const double error = p.norm() - kWall / p.normalized().x();
    if (!bias.contains(ring)) bias[ring] = error;
    REQUIRE(std::abs(error - bias[ring]) < usual.resolution_m + 1e-4);
  }
  double spread = 0.0;
  for (const auto& [ring, error] : bias) spread += error * error / static_cast<double>(bias.size());
  REQUIRE(std::sqrt(spread) == Catch::Approx(usual.laser_bias_m).epsilon(0.5));
}

TEST_CASE("no scan of the Mid-360 has the pattern of another", "[world]") {
  LidarOptions options = LidarOptions::of(LidarModel::mid360);
  const auto elevations = [&](std::uint64_t seed) {
    options.seed = seed;
    const LidarPattern pattern(options);
    std::vector<double> result;
    for (int ring = 0; ring < pattern.rings(); ++ring)
      for (int step = 0; step < options.azimuth_steps; ++step) result.push_back(pattern.elevation_deg(ring, step));
    return result;
  };
  const std::vector<double> first = elevations(1);
  REQUIRE(first.size() == 20'000);
  REQUIRE(first == elevations(1));
  REQUIRE(*std::max_element(first.begin(), first.end()) == Catch::Approx(52.0).margin(0.1));
  REQUIRE(*std::min_element(first.begin(), first.end()) == Catch::Approx(-7.0).margin(0.1));
  for (int tenth = 0; tenth < 10; ++tenth) {  // as many in each tenth of the field of view
    const double low = -7.0 + 5.9 * tenth;
    const auto within = std::count_if(first.begin(), first.end(), [&](double e) { return e >= low && e < low + 5.9; });
    REQUIRE(within == Catch::Approx(2000).epsilon(0.05));
  }
  for (std::uint64_t seed = 2; seed < 50; ++seed) {
    const std::vector<double> other = elevations(seed);
    int alike = 0;
    for (std::size_t i = 0; i < first.size(); ++i) alike += std::abs(first[i] - other[i]) < 0.05 ? 1 : 0;
    REQUIRE(alike < 400);
  }
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
