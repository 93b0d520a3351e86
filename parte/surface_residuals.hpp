#pragma once

#include <parte/verification.hpp>

#include <cmath>
#include <optional>

/// The objective that refine() makes small and whose curvature measure_evidence() measures: docs/ALGORITHM.md,
/// "Refinement".
namespace parte {

/// A point of the source on its surface in the target.
struct SurfaceResidual {
  Vector6d J;                     ///< of the distance, for T exp(xi)
  double distance;                ///< [m] along the mean of both normals
  Eigen::Vector3d point, normal;  ///< source frame
};

/// Of a point and its normal, if the target has a surface that faces the same way within `radius` [m].
[[nodiscard]] std::optional<SurfaceResidual> surface_residual(const Surfaces& target, const Eigen::Isometry3d& T,
                                                              const Eigen::Vector3d& point,
                                                              const Eigen::Vector3d& normal, double radius);

/// Of evenly spaced points of the source: at most `samples` off the ground and `ground_samples` on it.
[[nodiscard]] std::vector<SurfaceResidual> surface_residuals(const Surfaces& source, const Surfaces& target,
                                                             const Eigen::Isometry3d& T, double radius,
                                                             std::size_t samples, std::size_t ground_samples);

/// Cauchy's loss c^2/2 log(1 + r^2/c^2).
class Cauchy {
 public:
  explicit Cauchy(double scale) : square_(scale * scale) {}
  [[nodiscard]] double loss(double r) const { return 0.5 * square_ * std::log1p(r * r / square_); }
  [[nodiscard]] double weight(double r) const { return 1.0 / (1.0 + r * r / square_); }           ///< loss' / r
  [[nodiscard]] double curvature(double r) const { return weight(r) * (2.0 * weight(r) - 1.0); }  ///< loss''

 private:
  double square_;
};

/// As wide as the residuals ask for, at most half of the radius [m].
[[nodiscard]] Cauchy kernel_of(const std::vector<SurfaceResidual>& residuals, double radius);

}  // namespace parte
