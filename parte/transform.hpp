#pragma once

#include <parte/compatibility.hpp>

namespace parte {

/// Adjoint of a shift by `t`: maps (rotation, translation) tangents between frames that differ by it.
[[nodiscard]] Matrix6d translation_adjoint(const Eigen::Vector3d& t);

/// The covariance of a tangent (rotation, translation) in frame b, as frame a has it: Ad covariance Ad'.
[[nodiscard]] Matrix6d transported(const Matrix6d& covariance, const Eigen::Isometry3d& T_a_b);

/// The motion by xi = (rotation [rad], translation [m]): exp(xi) to first order in the translation, exact in the
/// rotation; none if xi is not finite.
[[nodiscard]] Eigen::Isometry3d motion(const Vector6d& xi);

struct TransformOptions {
  int max_iterations = 50;        ///< BCD rounds, and Gauss-Newton steps after them
  double convergence = 1e-10;     ///< [rad, m] a change smaller than this ends the iteration
  double noise = 0.3;             ///< [m] standard deviation of a residual, for the degeneracy test; default 1 v
  double angular_noise = 0.0873;  ///< [rad] standard deviation of a plane's normal, for the same; default 5 degrees
  double max_uncertainty = 0.1;   ///< [-] a direction is free if its deviation exceeds this part of the scene's size
  void validate() const;          ///< throws std::invalid_argument naming the field
};

struct TransformEstimate {
  Eigen::Isometry3d T_target_source = Eigen::Isometry3d::Identity();
  /// Gauss-Newton Hessian of half the objective at the optimum, for T exp(xi) with xi = (rotation, translation) in
  /// the source frame: the tangent order and side of a GTSAM BetweenFactor<Pose3>. Unit residual variance.
  Matrix6d information = Matrix6d::Zero();
  /// What the correspondences fix: `information` in units of what a direction needs to count as fixed.
  Matrix6d strength = Matrix6d::Zero();
  Eigen::Vector3d center = Eigen::Vector3d::Zero();  ///< of the matched points, source frame
  double size = 1.0;                                 ///< [m] RMS distance of the correspondences from it
  std::vector<Vector6d> free_directions;             ///< unit tangent vectors in the source frame that nothing fixes
  bool degenerate = true;                            ///< there is such a direction
  double objective = 0.0;                 ///< eq. (transformation-estimation) at the optimum, in the centred frame
  double point_rms_m = 0.0;               ///< RMS distance of matched points
  std::vector<double> objective_history;  ///< after every BCD round and Gauss-Newton step; never rises
};

/// Maps lengths at `center` (rotations by the displacement they cause at distance `size`) to the source's tangent
/// space.
[[nodiscard]] Matrix6d tangent_of_lengths(const Eigen::Vector3d& center, double size);

/// Tangent directions (source frame, unit length) along which `strength` is below one. Rotations count by the
/// displacement they cause at distance `size` from `center`, so that all six directions are lengths.
[[nodiscard]] std::vector<Vector6d> weak_directions(const Matrix6d& strength, const Eigen::Vector3d& center,
                                                    double size);

/// Algorithm 2, eq. (transformation-estimation): block coordinate descent, finished by Gauss-Newton on the same
/// objective. Both clouds are centred on the matched points first: the plane-offset term depends on the origin unless
/// normals agree exactly, and descent is slow far from it.
[[nodiscard]] TransformEstimate estimate_transform(std::span<const PointPair> points, std::span<const PlanePair> planes,
                                                   const TransformOptions& options = {});

}  // namespace parte
