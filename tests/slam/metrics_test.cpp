#include <slam/metrics.hpp>

#include <datasets/trajectory.hpp>

#include <Eigen/Eigenvalues>

#include "../datasets/files.hpp"

#include <cmath>
#include <complex>
#include <numbers>
#include <random>
#include <vector>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

using Catch::Approx;
using namespace parte::slam;

namespace {

using Trajectory = std::vector<Eigen::Isometry3d>;
constexpr double kPi = std::numbers::pi;

Eigen::Isometry3d pose(double x, double y, double yaw_deg = 0.0) {
  return Eigen::Translation3d(x, y, 0.0) * Eigen::AngleAxisd(yaw_deg * kPi / 180.0, Eigen::Vector3d::UnitZ());
}

Trajectory straight_line(std::size_t count, double step) {
  Trajectory poses;
  for (std::size_t i = 0; i < count; ++i) poses.push_back(pose(step * static_cast<double>(i), 0.0));
  return poses;
}

Eigen::Isometry3d random_motion(std::mt19937& engine, double metres, double radians) {
  std::normal_distribution<double> normal;
  const Eigen::Vector3d axis = Eigen::Vector3d(normal(engine), normal(engine), normal(engine)).normalized();
  const Eigen::Vector3d shift(normal(engine), normal(engine), normal(engine));
  return Eigen::Translation3d(metres * shift) * Eigen::AngleAxisd(radians * normal(engine), axis);
}

Trajectory random_walk(unsigned seed, std::size_t count, double step) {
  std::mt19937 engine(seed);
  Trajectory poses = {random_motion(engine, 10.0, 1.0)};
  while (poses.size() < count)
    poses.push_back(poses.back() * Eigen::Translation3d(step, 0, 0) * random_motion(engine, 0.05 * step, 0.02));
  return poses;
}

Trajectory moved(const Eigen::Isometry3d& T, Trajectory poses) {
  for (auto& p : poses) p = T * p;
  return poses;
}

/// Horn's quaternion method, which shares nothing with Umeyama's decomposition but the answer.
double slow_ate(const Trajectory& estimate, const Trajectory& truth) {
  const double n = static_cast<double>(truth.size());
  Eigen::Vector3d a = Eigen::Vector3d::Zero(), b = a;
  for (std::size_t i = 0; i < truth.size(); ++i) a += estimate[i].translation() / n, b += truth[i].translation() / n;
  Eigen::Matrix4d N = Eigen::Matrix4d::Zero();
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const Eigen::Vector3d p = estimate[i].translation() - a, q = truth[i].translation() - b;
    Eigen::Matrix4d left, right;  // of the products q * x and x * p of quaternions (w, x, y, z)
    left << 0, -q.x(), -q.y(), -q.z(), q.x(), 0, -q.z(), q.y(), q.y(), q.z(), 0, -q.x(), q.z(), -q.y(), q.x(), 0;
    right << 0, -p.x(), -p.y(), -p.z(), p.x(), 0, p.z(), -p.y(), p.y(), -p.z(), 0, p.x(), p.z(), p.y(), -p.x(), 0;
    N += left.transpose() * right;
  }
  const Eigen::Vector4d q =
      Eigen::SelfAdjointEigenSolver<Eigen::Matrix4d>(0.5 * (N + N.transpose())).eigenvectors().col(3);
  const Eigen::Matrix3d R = Eigen::Quaterniond(q(0), q(1), q(2), q(3)).toRotationMatrix();
  double sum = 0.0;
  for (std::size_t i = 0; i < truth.size(); ++i)
    sum += (R * (estimate[i].translation() - a) - (truth[i].translation() - b)).squaredNorm();
  return std::sqrt(sum / n);
}

/// The devkit's loop as it stands there: distances summed anew, the angle by the trace.
KittiError slow_kitti(const Trajectory& estimate, const Trajectory& truth) {
  KittiError mean;
  for (std::size_t first = 0; first < truth.size(); first += 10)
    for (double length : {100., 200., 300., 400., 500., 600., 700., 800.}) {
      double travelled = 0.0;
      std::size_t last = first;
      while (last + 1 < truth.size() && travelled <= length) {
        travelled += (truth[last + 1].translation() - truth[last].translation()).norm();
        ++last;
      }
      if (travelled <= length) continue;
      const Eigen::Matrix4d true_motion = truth[first].matrix().inverse() * truth[last].matrix();
      const Eigen::Matrix4d motion = estimate[first].matrix().inverse() * estimate[last].matrix();
      const Eigen::Matrix4d E = motion.inverse() * true_motion;
      mean.t_rel_percent += E.topRightCorner<3, 1>().norm() / length * 100.0;
      mean.r_rel_deg_per_100m +=
          std::acos(std::min(1.0, 0.5 * (E.topLeftCorner<3, 3>().trace() - 1.0))) / length * 100.0;
      ++mean.segments;
    }
  mean.t_rel_percent /= static_cast<double>(mean.segments);
  mean.r_rel_deg_per_100m *= 180.0 / kPi / static_cast<double>(mean.segments);
  return mean;
}

}  // namespace

TEST_CASE("a straight line two percent too long has the errors computed by hand", "[metrics]") {
  const Trajectory truth = straight_line(1001, 1.0), estimate = straight_line(1001, 1.02);
  double squares = 0.0;
  for (int i = -500; i <= 500; ++i) squares += std::pow(0.02 * i, 2);
  REQUIRE(ate_rmse_m(estimate, truth) == Approx(std::sqrt(squares / 1001.0)));
  squares = 0.0;
  for (int i = 0; i <= 1000; ++i) squares += std::pow(0.02 * i, 2);
  REQUIRE(ate_rmse_first_pose_m(estimate, truth) == Approx(std::sqrt(squares / 1001.0)));
  const RelativeError relative = relative_pose_error(estimate, truth, 50);
  REQUIRE(relative.translation_rmse_m == Approx(1.0));
  REQUIRE(relative.rotation_rmse_deg == Approx(0.0).margin(1e-9));
  REQUIRE(relative.pairs == 951);
  const auto kitti = kitti_error(estimate, truth);
  REQUIRE(kitti.has_value());
  // A segment ends one frame beyond its length: 101 m for 100 m, 801 m for 800 m. From frame 10 k there are
  // segments up to length L while 10 k + L + 1 <= 1000.
  double sum = 0.0;
  std::size_t count = 0;
  for (int start = 0; start <= 1000; start += 10)
    for (int length = 100; length <= 800 && start + length + 1 <= 1000; length += 100, ++count)
      sum += 2.0 * (length + 1) / length;
  REQUIRE(kitti->segments == count);
  REQUIRE(kitti->t_rel_percent == Approx(sum / static_cast<double>(count)));
  REQUIRE(kitti->r_rel_deg_per_100m == Approx(0.0).margin(1e-9));
}

TEST_CASE("a constant yaw drift shows as the rotation error it is", "[metrics]") {
  const double drift_deg = 0.01;
  Trajectory truth = straight_line(901, 0.5), estimate = {pose(0, 0)};
  while (estimate.size() < truth.size()) estimate.push_back(estimate.back() * pose(0.5, 0.0, drift_deg));
  const RelativeError relative = relative_pose_error(estimate, truth, 20);
  REQUIRE(relative.rotation_rmse_deg == Approx(0.2));
  // The chord of an arc of 20 steps, seen from the straight line: a sum of 20 unit vectors.
  std::complex<double> end = 0.0;
  for (int k = 0; k < 20; ++k) end += 0.5 * std::polar(1.0, k * drift_deg * kPi / 180.0);
  REQUIRE(relative.translation_rmse_m == Approx(std::abs(end - 10.0)));
  const auto kitti = kitti_error(estimate, truth);
  REQUIRE(kitti.has_value());
  // 0.02 degrees a metre, and half a metre more than the length of every segment.
  REQUIRE(kitti->r_rel_deg_per_100m > 2.0);
  REQUIRE(kitti->r_rel_deg_per_100m < 2.0 * 1.0051);
}

TEST_CASE("known offsets give known absolute errors", "[metrics]") {
  const Trajectory truth = {pose(0, 0), pose(10, 0), pose(10, 10), pose(0, 10)};
  Trajectory shifted = truth;
  for (auto& p : shifted) p.pretranslate(Eigen::Vector3d(3.0, 4.0, 0.0));
  REQUIRE(ate_rmse_m(shifted, truth) == Approx(0.0).margin(1e-12));
  REQUIRE(ate_rmse_first_pose_m(shifted, truth) == Approx(0.0).margin(1e-12));
  Trajectory bent = truth;
  bent[3].pretranslate(Eigen::Vector3d(0.0, 0.0, 2.0));
  REQUIRE(ate_rmse_first_pose_m(bent, truth) == Approx(1.0));  // sqrt(2^2 / 4)
  Trajectory turned = truth;
  turned[0] = pose(0, 0, 180.0);  // the others now lie behind the first pose
  REQUIRE(ate_rmse_first_pose_m(turned, truth) == Approx(std::sqrt((400.0 + 800.0 + 400.0) / 4.0)));
}

TEST_CASE("rigid motion of either trajectory leaves the errors alone", "[metrics][property]") {
  const unsigned seed = GENERATE(range(0u, 10u));
  std::mt19937 engine(seed + 100);
  const Trajectory truth = random_walk(seed, 400, 1.0), estimate = random_walk(seed + 1, 400, 1.0);
  const auto A = random_motion(engine, 100.0, 2.0), B = random_motion(engine, 100.0, 2.0);
  const Trajectory a = moved(A, estimate), b = moved(B, truth);
  REQUIRE(ate_rmse_m(a, b) == Approx(ate_rmse_m(estimate, truth)));
  REQUIRE(ate_rmse_first_pose_m(a, b) == Approx(ate_rmse_first_pose_m(estimate, truth)));
  REQUIRE(relative_pose_error(a, b, 7).translation_rmse_m ==
          Approx(relative_pose_error(estimate, truth, 7).translation_rmse_m));
  REQUIRE(kitti_error(a, b)->t_rel_percent == Approx(kitti_error(estimate, truth)->t_rel_percent));
  REQUIRE(ate_rmse_m(moved(A, truth), truth) < 1e-9);
}

TEST_CASE("the metrics agree with slow ways to the same numbers", "[metrics][oracle]") {
  const unsigned seed = GENERATE(range(0u, 20u));
  const Trajectory truth = random_walk(seed, 500, 1.1);
  Trajectory estimate = {pose(1, 2, 3)};
  std::mt19937 engine(seed);
  for (std::size_t i = 1; i < truth.size(); ++i)
    estimate.push_back(estimate.back() * truth[i - 1].inverse() * truth[i] * random_motion(engine, 0.02, 0.003));
  REQUIRE(ate_rmse_m(estimate, truth) == Approx(slow_ate(estimate, truth)).epsilon(1e-9));
  const auto fast = kitti_error(estimate, truth);
  const KittiError slow = slow_kitti(estimate, truth);
  REQUIRE(fast.has_value());
  REQUIRE(fast->segments == slow.segments);
  REQUIRE(fast->t_rel_percent == Approx(slow.t_rel_percent));
  REQUIRE(fast->r_rel_deg_per_100m == Approx(slow.r_rel_deg_per_100m).epsilon(1e-6));
}

TEST_CASE("trajectories that do not belong together are refused", "[metrics]") {
  const Trajectory three = straight_line(3, 1.0), two = straight_line(2, 1.0);
  REQUIRE_THROWS_AS(ate_rmse_m(three, two), std::invalid_argument);
  REQUIRE_THROWS_AS(ate_rmse_first_pose_m({}, {}), std::invalid_argument);
  REQUIRE_THROWS_AS(relative_pose_error(three, three, 0), std::invalid_argument);
  REQUIRE_THROWS_AS(kitti_error(two, three), std::invalid_argument);
  REQUIRE(relative_pose_error(three, three, 3).pairs == 0);
  REQUIRE_FALSE(kitti_error(three, three).has_value());
}

TEST_CASE("KISS-ICP on KITTI 00 is 3.52 m from SemanticKITTI's poses", "[metrics][real]") {
  const auto odometry = test_data() / "odometry/kitti_00_kiss_icp.txt";
  const auto poses = test_data() / "kitti/semantickitti_poses/00.txt";
  if (!exists(odometry) || !exists(poses)) SKIP("no real data in " << test_data());
  const auto estimate = parte::datasets::read_kitti_poses(odometry), truth = parte::datasets::read_kitti_poses(poses);
  REQUIRE(ate_rmse_m(estimate, truth) == Approx(3.52).margin(0.01));
  const auto kitti = kitti_error(estimate, truth);
  REQUIRE(kitti.has_value());
  CHECK(kitti->t_rel_percent < 1.0);
  CHECK(kitti->r_rel_deg_per_100m < 0.5);
}

TEST_CASE("lateral and yaw errors are those across the true heading, and shifts along it none", "[metrics]") {
  Trajectory truth = straight_line(400, 1.0), estimate = truth;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const double sign = i % 2 == 0 ? 1.0 : -1.0;  // alternating: alignment cannot take it back
    estimate[i] = truth[i] * pose(0.5 * sign, 0.25 * sign, 2.0);
  }
  const LateralError error = lateral_error(estimate, truth);
  CHECK(error.lateral_rmse_m == Approx(0.25).epsilon(1e-3));
  CHECK(error.yaw_rmse_deg == Approx(2.0).epsilon(1e-2));
  const Eigen::Isometry3d T = pose(30.0, -7.0, 130.0);
  const LateralError same = lateral_error(moved(T, estimate), truth);  // in any frame
  CHECK(same.lateral_rmse_m == Approx(error.lateral_rmse_m));
  CHECK(same.yaw_rmse_deg == Approx(error.yaw_rmse_deg));
  const LateralError none = lateral_error(truth, truth);
  CHECK(none.lateral_rmse_m < 1e-9);
  CHECK(none.yaw_rmse_deg < 1e-6);
}
