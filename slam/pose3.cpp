#include <slam/pose3.hpp>

namespace parte::slam {

gtsam::Pose3 to_pose3(const Eigen::Isometry3d& transform) {
  return {gtsam::Rot3(gtsam::Matrix3(transform.linear())), gtsam::Point3(transform.translation())};
}

Eigen::Isometry3d to_isometry(const gtsam::Pose3& pose) {
  Eigen::Isometry3d transform = Eigen::Isometry3d::Identity();
  transform.linear() = pose.rotation().matrix();
  transform.translation() = pose.translation();
  return transform;
}

}  // namespace parte::slam
