#include <datasets/world/sensors.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <vector>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

using namespace parte::datasets;

namespace {

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

}  // namespace

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
