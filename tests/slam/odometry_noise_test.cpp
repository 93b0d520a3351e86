#include <slam/odometry_noise.hpp>

#include <tests/slam/numerics.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace parte::slam;
using parte::Matrix6d;
using parte::Vector6d;

TEST_CASE("a motion over many steps has the jitter of its ends and the drift between", "[odometry][oracle]") {
  // Random draws of that model, composed pose by pose, have the covariance that the class says.
  constexpr int kSteps = 6, kDraws = 4000;
  constexpr double kJitter = 1e-3, kDrift = 4e-4;
  Draw draw(3);
  const auto noise = [&](double deviation) {
    Vector6d xi;
    for (int k = 0; k < 6; ++k) xi[k] = draw.normal(deviation);
    return parte::motion(xi);
  };
  Vector6d turn;
  turn << 0.02, -0.01, 0.1, 1.5, 0.1, -0.2;
  Odometry::Step step;
  step.jitter = kJitter * kJitter * Matrix6d::Identity();
  step.drift = kDrift * kDrift * Matrix6d::Identity();
  OdometryMotion motion(step);
  step.T_last_this = parte::motion(turn);
  for (int k = 0; k < kSteps; ++k) motion.add(step);
  Matrix6d found = Matrix6d::Zero();
  for (int n = 0; n < kDraws; ++n) {
    Eigen::Isometry3d T = noise(kJitter).inverse();  // of the first scan
    for (int k = 0; k < kSteps; ++k) T = T * step.T_last_this * noise(kDrift);
    const Vector6d xi = tangent(motion.T_first_last().inverse() * T * noise(kJitter));
    found += xi * xi.transpose() / kDraws;
  }
  const Matrix6d expected = motion.covariance();
  CAPTURE(expected, found);
  REQUIRE((found - expected).norm() < 0.1 * expected.norm());
}
