#include <slam/pose3.hpp>

#include <random>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

namespace {

using parte::slam::to_isometry;
using parte::slam::to_pose3;

constexpr double kTolerance = 1e-12;

Eigen::Isometry3d random_transform(unsigned seed) {
  std::mt19937 engine(seed);
  std::normal_distribution<double> normal;
  const auto draw = [&] { return normal(engine); };
  Eigen::Isometry3d transform = Eigen::Isometry3d::Identity();
  transform.linear() = Eigen::Quaterniond(Eigen::Vector4d::NullaryExpr(draw).normalized()).toRotationMatrix();
  transform.translation() = 10.0 * Eigen::Vector3d::NullaryExpr(draw);
  return transform;
}

}  // namespace

TEST_CASE("a transform survives the way to GTSAM and back", "[slam]") {
  const Eigen::Isometry3d transform = random_transform(GENERATE(range(0u, 20u)));
  REQUIRE(to_isometry(to_pose3(transform)).isApprox(transform, kTolerance));
}

TEST_CASE("GTSAM moves a point as Eigen does", "[slam]") {
  const Eigen::Isometry3d transform = random_transform(1);
  const Eigen::Vector3d point(1.0, -2.0, 3.0);
  REQUIRE((to_pose3(transform).transformFrom(point) - transform * point).norm() < kTolerance);
}

TEST_CASE("GTSAM composes and inverts in the order that Eigen does", "[slam]") {
  const Eigen::Isometry3d T_a_b = random_transform(2);
  const Eigen::Isometry3d T_b_c = random_transform(3);
  REQUIRE(to_isometry(to_pose3(T_a_b) * to_pose3(T_b_c)).isApprox(T_a_b * T_b_c, kTolerance));
  REQUIRE(to_isometry(to_pose3(T_a_b).inverse()).isApprox(T_a_b.inverse(), kTolerance));
  REQUIRE(to_isometry(to_pose3(T_a_b).between(to_pose3(T_b_c))).isApprox(T_a_b.inverse() * T_b_c, kTolerance));
}
