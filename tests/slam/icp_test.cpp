#include <slam/icp.hpp>

#include <tests/slam/numerics.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

#include <cmath>

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
