#pragma once

#include <slam/odometry.hpp>

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

/// The motion from one scan to a later one of the same Odometry, and its covariance: the jitter of the two scans at its
/// ends and the drift of the steps between them. For graphs of keyframes: begin at a keyframe, add the steps up to the
/// next one.
class OdometryMotion {
 public:
  explicit OdometryMotion(const Odometry::Step& first) : first_jitter_(first.jitter), jitter_(first.jitter) {}
  void add(const Odometry::Step& step);

  [[nodiscard]] const Eigen::Isometry3d& T_first_last() const { return T_first_last_; }
  /// Of xi in T_first_last exp(xi), rotation first.
  [[nodiscard]] Matrix6d covariance() const;

 private:
  Eigen::Isometry3d T_first_last_ = Eigen::Isometry3d::Identity();
  Matrix6d first_jitter_, jitter_;
  Matrix6d drift_ = Matrix6d::Zero();  // of the steps so far, in the frame of the last scan
};

}  // namespace parte::slam
