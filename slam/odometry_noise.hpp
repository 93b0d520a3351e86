#pragma once

#include <parte/transform.hpp>

namespace parte::slam {

/// How odometry drifts on top of what its residuals show, as a random walk: the standard deviations grow with the
/// square root of the way. The defaults are about what KISS-ICP has on KITTI 00 from one scan to the next.
struct OdometryNoise {
  double translation_m = 0.015;  ///< after one metre, per axis
  double rotation_deg = 0.05;    ///< the same
  void validate() const;         ///< throws std::invalid_argument naming the field
};

/// Of xi in motion exp(xi), rotation first: from the information of the alignment where there is one, and from drift.
/// A singular `information` says that the odometry is lost: next to nothing is known about such a step.
[[nodiscard]] Matrix6d step_covariance(const Eigen::Isometry3d& motion, const Matrix6d& information,
                                       const OdometryNoise& noise);
/// From drift alone, for odometry that comes without information.
[[nodiscard]] Matrix6d step_covariance(const Eigen::Isometry3d& motion, const OdometryNoise& noise);

}  // namespace parte::slam
