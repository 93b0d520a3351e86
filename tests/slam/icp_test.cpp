#include <slam/icp.hpp>

#include <tests/slam/numerics.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

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
