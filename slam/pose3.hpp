#pragma once

#include <Eigen/Geometry>
#include <gtsam/geometry/Pose3.h>

/// Conversions between the rigid transforms of parte and those of GTSAM.
/// Mind the other difference: GTSAM orders tangent vectors rotation first, then translation.
namespace parte::slam {

[[nodiscard]] gtsam::Pose3 to_pose3(const Eigen::Isometry3d& transform);
[[nodiscard]] Eigen::Isometry3d to_isometry(const gtsam::Pose3& pose);

}  // namespace parte::slam
