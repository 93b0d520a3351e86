#include <slam/metrics.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

namespace parte::slam {
namespace {

constexpr double kDegrees = 180.0 / std::numbers::pi;
constexpr std::size_t kKittiStep = 10;

void require_same_frames(Poses estimate, Poses truth) {
  if (estimate.size() != truth.size() || truth.empty())
    throw std::invalid_argument("trajectory metrics need two trajectories of the same frames, not " +
                                std::to_string(estimate.size()) + " and " + std::to_string(truth.size()) + " poses");
}

Eigen::Matrix3Xd positions(Poses poses) {
  Eigen::Matrix3Xd result(3, static_cast<Eigen::Index>(poses.size()));
  for (std::size_t i = 0; i < poses.size(); ++i) result.col(static_cast<Eigen::Index>(i)) = poses[i].translation();
  return result;
}

double rmse_after(const Eigen::Isometry3d& T_truth_estimate, Poses estimate, Poses truth) {
  double sum = 0.0;
  for (std::size_t i = 0; i < truth.size(); ++i)
    sum += (T_truth_estimate * estimate[i].translation() - truth[i].translation()).squaredNorm();
  return std::sqrt(sum / static_cast<double>(truth.size()));
}

/// The devkit's error of the motion from i to j.
Eigen::Isometry3d motion_error(Poses estimate, Poses truth, std::size_t i, std::size_t j) {
  const Eigen::Isometry3d moved = estimate[i].inverse() * estimate[j];
  return moved.inverse() * (truth[i].inverse() * truth[j]);
}

/// By the quaternion: the arc cosine of the trace, which the devkit takes, loses angles below 1e-8.
double angle_rad(const Eigen::Isometry3d& T) {
  const Eigen::Quaterniond q(T.linear());
  return 2.0 * std::atan2(q.vec().norm(), std::abs(q.w()));
}

std::vector<double> path_lengths(Poses poses) {
  std::vector<double> length(poses.size(), 0.0);
  for (std::size_t i = 1; i < poses.size(); ++i)
    length[i] = length[i - 1] + (poses[i].translation() - poses[i - 1].translation()).norm();
  return length;
}

}  // namespace

Eigen::Isometry3d align_positions(Poses estimate, Poses truth) {
  require_same_frames(estimate, truth);
  Eigen::Isometry3d T;
  T.matrix() = Eigen::umeyama(positions(estimate), positions(truth), false);
  return T;
}

double ate_rmse_m(Poses estimate, Poses truth) { return rmse_after(align_positions(estimate, truth), estimate, truth); }

double ate_rmse_first_pose_m(Poses estimate, Poses truth) {
  require_same_frames(estimate, truth);
  return rmse_after(truth.front() * estimate.front().inverse(), estimate, truth);
}

LateralError lateral_error(Poses estimate, Poses truth) {
  const Eigen::Isometry3d T_truth_estimate = align_positions(estimate, truth);
  LateralError result;
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const Eigen::Isometry3d error = truth[i].inverse() * T_truth_estimate * estimate[i];
    const double yaw = std::atan2(error.linear()(1, 0), error.linear()(0, 0)) * kDegrees;
    result.lateral_rmse_m += error.translation().y() * error.translation().y();
    result.yaw_rmse_deg += yaw * yaw;
  }
  const auto count = static_cast<double>(truth.size());
  return {std::sqrt(result.lateral_rmse_m / count), std::sqrt(result.yaw_rmse_deg / count)};
}

RelativeError relative_pose_error(Poses estimate, Poses truth, std::size_t frames) {
  require_same_frames(estimate, truth);
  if (frames == 0) throw std::invalid_argument("relative_pose_error: the distance in frames must be positive");
  RelativeError result;
  if (frames >= truth.size()) return result;
  result.pairs = truth.size() - frames;
  for (std::size_t i = 0; i < result.pairs; ++i) {
    const Eigen::Isometry3d error = motion_error(estimate, truth, i, i + frames);
    result.translation_rmse_m += error.translation().squaredNorm();
    result.rotation_rmse_deg += std::pow(angle_rad(error) * kDegrees, 2);
  }
  const auto count = static_cast<double>(result.pairs);
  result.translation_rmse_m = std::sqrt(result.translation_rmse_m / count);
  result.rotation_rmse_deg = std::sqrt(result.rotation_rmse_deg / count);
  return result;
}

std::optional<KittiError> kitti_error(Poses estimate, Poses truth) {
  require_same_frames(estimate, truth);
  const std::vector<double> path = path_lengths(truth);
  KittiError sum;
  for (std::size_t i = 0; i < truth.size(); i += kKittiStep)
    for (int length = 100; length <= 800; length += 100) {
      const auto end = std::upper_bound(path.begin(), path.end(), path[i] + length);
      if (end == path.end()) break;
      const Eigen::Isometry3d error =
          motion_error(estimate, truth, i, static_cast<std::size_t>(std::distance(path.begin(), end)));
      sum.t_rel_percent += 100.0 * error.translation().norm() / length;
      sum.r_rel_deg_per_100m += 100.0 * kDegrees * angle_rad(error) / length;
      ++sum.segments;
    }
  if (sum.segments == 0) return std::nullopt;
  sum.t_rel_percent /= static_cast<double>(sum.segments);
  sum.r_rel_deg_per_100m /= static_cast<double>(sum.segments);
  return sum;
}

}  // namespace parte::slam
