#include <slam/icp.hpp>
#include <slam/icp_information.hpp>

#include <tests/slam/numerics.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <map>

using namespace parte::slam;
using Eigen::Isometry3d;
using Eigen::Vector3d;
using parte::Matrix6d;
using parte::Vector6d;

TEST_CASE("the normal equations are the second derivative of the cost", "[odometry][oracle]") {
  Draw draw(GENERATE(range(0u, 5u)));
  const Isometry3d T = parte::motion((Vector6d() << draw.in_box(1.0), draw.in_box(10.0)).finished());
  std::vector<SurfaceMatch> matches;
  for (int k = 0; k < 40; ++k) {
    const Vector3d p = draw.in_box(20.0), nowhere = 1e-6 * draw.in_box(1.0);  // residuals would bend the cost
    matches.push_back({p, T * p + nowhere, k % 3 == 0 ? Vector3d(Vector3d::Zero()) : draw.in_box(1.0).normalized()});
  }
  NormalEquations sum;
  for (const SurfaceMatch& match : matches) accumulate(match, T, 0.5, sum);
  const auto cost = [&](const Vector6d& xi) {
    double total = 0.0;
    for (const SurfaceMatch& match : matches) {
      const Vector3d error = perturbed(T, xi) * match.source - match.target;
      const double plane = match.normal.dot(error);
      total += match.normal.isZero() ? error.squaredNorm() : plane * plane;
    }
    return 0.5 * total;
  };
  const Matrix6d expected = hessian(cost, 1e-4);
  REQUIRE((sum.H - expected).norm() < 1e-4 * expected.norm());
}

TEST_CASE("the gradient is the first derivative of the robust cost", "[odometry][oracle]") {
  Draw draw(GENERATE(range(0u, 5u)));
  constexpr double kKernel = 0.5;
  const Isometry3d T = parte::motion((Vector6d() << draw.in_box(1.0), draw.in_box(10.0)).finished());
  std::vector<SurfaceMatch> matches;
  for (int k = 0; k < 40; ++k) {
    const Vector3d p = draw.in_box(20.0), beside = draw.in_box(0.8);
    matches.push_back({p, T * p + beside, k % 3 == 0 ? Vector3d(Vector3d::Zero()) : draw.in_box(1.0).normalized(),
                       draw.uniform(0.2, 1.0)});
  }
  NormalEquations sum;
  for (const SurfaceMatch& match : matches) accumulate(match, T, kKernel, sum);
  const auto cost = [&](const Vector6d& xi) {  // Geman and McClure: rho(r) = r^2 / (1 + r^2 / k^2) / 2
    double total = 0.0;
    for (const SurfaceMatch& match : matches) {
      const Vector3d error = perturbed(T, xi) * match.source - match.target;
      const double plane = match.normal.dot(error);
      const double squared = match.normal.isZero() ? error.squaredNorm() : plane * plane;
      total += 0.5 * match.weight * squared / (1.0 + squared / (kKernel * kKernel));
    }
    return total;
  };
  Vector6d expected;
  for (int k = 0; k < 6; ++k) {
    const Vector6d step = 1e-5 * Vector6d::Unit(k);
    expected[k] = (cost(step) - cost(-step)) / 2e-5;
  }
  REQUIRE((sum.g - expected).norm() < 1e-5 * expected.norm());
}

TEST_CASE("a scan of three walls is moved to where it was taken, from a guess that is off", "[odometry][oracle]") {
  Draw draw(GENERATE(range(0u, 10u)));
  const double kNoise = 0.01;
  const auto corner = [&] {
    std::vector<Vector3d> points;
    for (int k = 0; k < 3000; ++k) {
      Vector3d p(draw.uniform(0.0, 12.0), draw.uniform(0.0, 12.0), draw.uniform(0.0, 6.0));
      p[k % 3] = draw.normal(kNoise);
      points.push_back(p);
    }
    return points;
  };
  VoxelMap map(1.0);
  map.add(corner());
  const Isometry3d truth = parte::motion((Vector6d() << draw.in_box(1.0), draw.in_box(5.0)).finished());
  std::vector<Vector3d> scan;
  for (const Vector3d& p : corner()) scan.push_back(truth.inverse() * p);
  const Isometry3d guess = truth * parte::motion((Vector6d() << draw.in_box(0.03), draw.in_box(0.3)).finished());
  const IcpResult result = align_to_map(scan, map, guess, {});
  const Vector6d error = tangent(truth.inverse() * result.T_map_scan);
  CAPTURE(error.transpose());
  REQUIRE(result.converged);
  REQUIRE(error.head<3>().norm() < 0.001);  // [rad] the map has 20 points a cube, of 1 cm noise each
  REQUIRE(error.tail<3>().norm() < 0.01);   // [m]
}

TEST_CASE("what one laser saw of a hedge is no plane", "[odometry]") {
  Draw draw(5);
  const double elevation = GENERATE(-0.03, 0.0, 0.08);  // [rad]
  std::vector<Vector3d> hedge, wall;
  for (int k = 0; k < 3000; ++k) {
    const double azimuth = draw.uniform(-1.0, 1.0), range = draw.uniform(8.0, 12.0);
    const Vector3d ray(std::cos(elevation) * std::cos(azimuth), std::cos(elevation) * std::sin(azimuth),
                       std::sin(elevation));
    hedge.push_back(range * ray);
    wall.emplace_back(10.0 + draw.normal(0.02), draw.uniform(-8.0, 8.0), draw.uniform(-1.0, 3.0));
  }
  const auto matches = [](const std::vector<Vector3d>& points) {
    VoxelMap map(1.0);
    map.add(points);
    return align_to_map(points, map, Isometry3d::Identity(), {.kernel_m = 0.1}).matches;
  };
  REQUIRE(matches(hedge) < 0.02 * static_cast<double>(hedge.size()));
  REQUIRE(matches(wall) > 0.95 * static_cast<double>(wall.size()));
}

namespace {

/// Errors of matches: of each by itself, and shared by those of a cube of 2 m.
struct Noise {
  double own_m, shared_m;
};

/// Floor and two walls with noise along their normals, and what Gauss-Newton makes of them. The truth is the identity.
struct Alignment {
  std::vector<SurfaceMatch> matches;
  Isometry3d T = Isometry3d::Identity();

  Alignment(Draw& draw, const Noise& noise, double kernel_m) {
    std::map<std::array<int, 3>, double> shared;
    for (int k = 0; k < 1500; ++k) {
      Vector3d p = draw.in_box(20.0);
      p[k % 3] = -3.0;
      const Vector3d normal = Vector3d::Unit(k % 3);
      const Eigen::Array3i cube = (0.5 * p).array().floor().cast<int>();
      const auto [entry, is_new] = shared.try_emplace({cube.x(), cube.y(), cube.z()});
      if (is_new) entry->second = draw.normal(noise.shared_m);
      matches.push_back({p, p + (draw.normal(noise.own_m) + entry->second) * normal, normal});
    }
    for (int round = 0; round < 10; ++round) {
      NormalEquations sum;
      for (const SurfaceMatch& match : matches) accumulate(match, T, kernel_m, sum);
      T = T * parte::motion(-sum.H.ldlt().solve(sum.g));
    }
  }
};

}  // namespace

TEST_CASE("the information of an alignment is the spread of its errors", "[odometry][oracle]") {
  constexpr double kKernel = 0.1;
  const auto [own_m, shared_m] = GENERATE(Noise{0.02, 0.0}, Noise{0.04, 0.0}, Noise{0.01, 0.02});
  Draw draw(11);
  constexpr int kTrials = 150;
  double nees = 0.0;
  for (int trial = 0; trial < kTrials; ++trial) {
    const Alignment a(draw, {own_m, shared_m}, kKernel);
    const Vector6d error = tangent(a.T);
    nees += error.dot(measured_noise(a.matches, a.T, kKernel, 1.0).information * error) / kTrials;
  }
  CAPTURE(own_m, shared_m, nees);
  REQUIRE(nees > 4.5);  // 6 if it is exact; the mean of 150 draws strays by 0.28
  REQUIRE(nees < 7.5);
}

TEST_CASE("matches that leave a direction open have no information along it", "[odometry]") {
  Draw draw(12);
  Alignment a(draw, {0.02, 0.0}, 0.1);
  std::erase_if(a.matches, [](const SurfaceMatch& match) { return match.normal.x() != 0.0; });
  const Matrix6d information = measured_noise(a.matches, a.T, 0.1, 1.0).information;
  REQUIRE(information.allFinite());
  REQUIRE(std::abs(information(3, 3)) < 1e-6 * information(4, 4));
}

TEST_CASE("the map renews itself where the matches are young", "[odometry]") {
  Draw draw(13);
  Alignment a(draw, {0.02, 0.0}, 0.1);
  const auto renewed = [&] {  // of the covariance
    const MeasuredNoise noise = measured_noise(a.matches, a.T, 0.1, 1.0);
    const Matrix6d jitter = noise.information.inverse();
    return Matrix6d(jitter * noise.renewal * jitter * noise.information);
  };
  for (SurfaceMatch& match : a.matches) match.age = 5;
  REQUIRE((renewed() - 0.4 * Matrix6d::Identity()).norm() < 1e-6);
  for (SurfaceMatch& match : a.matches)
    if (match.normal.z() != 0.0) match.age = 1;  // the floor, which alone holds the height and nearly alone no shift
  const Matrix6d drift = renewed();
  REQUIRE(std::abs(drift(5, 5) - 2.0) < 0.1);
  REQUIRE(std::abs(drift(3, 3) - 0.4) < 0.1);
  REQUIRE(std::abs(drift(4, 4) - 0.4) < 0.1);
}
