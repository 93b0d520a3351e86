#pragma once

#include <Eigen/Geometry>
#include <cstddef>
#include <optional>
#include <span>

/// How far an estimated trajectory is from the true one. Poses are T_world_body, the same frames in both; every
/// function throws std::invalid_argument if the lengths differ or there are no poses.
namespace parte::slam {

using Poses = std::span<const Eigen::Isometry3d>;

/// The rigid motion, without scale, that takes the estimated positions closest to the true ones (Umeyama). Where the
/// positions leave it open (a straight line, a single pose) it is one of the best.
[[nodiscard]] Eigen::Isometry3d align_positions(Poses estimate, Poses truth);

/// Absolute trajectory error, RMS over the positions [m]: after align_positions().
[[nodiscard]] double ate_rmse_m(Poses estimate, Poses truth);
/// The same, with the estimate moved so that the first poses are equal.
[[nodiscard]] double ate_rmse_first_pose_m(Poses estimate, Poses truth);

/// RMS over the poses, after align_positions(), in the frame of the true pose (x ahead, y to the left): what a road's
/// walls fix, whatever the shift along it.
struct LateralError {
  double lateral_rmse_m = 0.0;
  double yaw_rmse_deg = 0.0;
};
[[nodiscard]] LateralError lateral_error(Poses estimate, Poses truth);

struct RelativeError {
  double translation_rmse_m = 0.0;
  double rotation_rmse_deg = 0.0;
  std::size_t pairs = 0;
};
/// Relative pose error over every pair of frames i, i + `frames`. Throws std::invalid_argument for a distance of 0; a
/// trajectory that is too short has no pairs.
[[nodiscard]] RelativeError relative_pose_error(Poses estimate, Poses truth, std::size_t frames = 1);

struct KittiError {
  double t_rel_percent = 0.0;
  double r_rel_deg_per_100m = 0.0;
  std::size_t segments = 0;
};
/// The metric of KITTI's odometry benchmark: segments of 100, 200, ..., 800 m of true path, from every tenth frame to
/// the first one beyond the length; errors by length, averaged over all segments. Nothing if the path has no segment.
[[nodiscard]] std::optional<KittiError> kitti_error(Poses estimate, Poses truth);

}  // namespace parte::slam
