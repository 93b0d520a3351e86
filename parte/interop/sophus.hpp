#pragma once

#include <Eigen/Geometry>
#include <sophus/se3.hpp>

namespace parte {

/// The rotation is projected onto SO(3) first: Sophus aborts on matrices that are off by rounding.
[[nodiscard]] inline Sophus::SE3d to_sophus(const Eigen::Isometry3d& T) {
  return {Eigen::Quaterniond(T.linear()).normalized(), T.translation()};
}

[[nodiscard]] inline Eigen::Isometry3d to_isometry(const Sophus::SE3d& T) { return Eigen::Isometry3d(T.matrix()); }

}  // namespace parte
