#pragma once

#include <parte/verification.hpp>

namespace parte {

/// How far the matched surfaces fix an alignment, measured on the pair itself: docs/ALGORITHM.md, "Covariance".
struct SurfaceEvidence {
  /// Inverse covariance of T_target_source exp(xi), source frame, rotation first; zero along open directions.
  Matrix6d information = Matrix6d::Zero();
  double correlation = 1.0;  ///< variance inflation, at least 1: residuals of the same part of the scene err together
  /// Of each eigen direction of the Hessian of weighted least squares, the weakest first: the part of it that is left
  /// with the loss itself and when a moved cloud is matched anew, from 0 (open: the moved cloud fits as well) to 1.
  Vector6d curvature = Vector6d::Zero();
  Matrix6d open = Matrix6d::Zero();  ///< projects tangent vectors onto the open directions
};

/// At an alignment that refine() has found with the same radius [m].
[[nodiscard]] SurfaceEvidence measure_evidence(const Surfaces& source, const Surfaces& target,
                                               const Eigen::Isometry3d& T_target_source, double radius);

}  // namespace parte
