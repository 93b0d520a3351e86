#include <parte/interop/sophus.hpp>

#include <catch2/catch_test_macros.hpp>

TEST_CASE("a transform survives the way to Sophus and back, even if its rotation is off by rounding", "[interop]") {
  Eigen::Isometry3d T = Eigen::Translation3d(1.0, -2.0, 3.0) *
                        Eigen::AngleAxisd(2.5, Eigen::Vector3d(1.0, 2.0, -0.5).normalized()) *
                        Eigen::Isometry3d::Identity();
  T.linear() *= 1.0 + 1e-9;
  const Sophus::SE3d pose = parte::to_sophus(T);
  const Eigen::Vector3d p(4.0, 5.0, 6.0);
  REQUIRE((pose * p - T * p).norm() < 1e-6);
  REQUIRE(parte::to_isometry(pose).isApprox(T, 1e-8));
}
