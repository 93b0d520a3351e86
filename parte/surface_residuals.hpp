#pragma once

#include <parte/verification.hpp>

#include <cmath>
#include <optional>

/// The objective that refine() makes small and whose curvature measure_evidence() measures: docs/ALGORITHM.md,
/// "Refinement".
namespace parte {

/// A piece of the source's surface.
struct Surfel {
  Eigen::Vector3d point, normal;  ///< source frame
  double roughness = 0.0;         ///< [m^2]
};

/// Variances [m^2] that tell how well a residual's two surfaces are known.
struct Doubt {
  double roughness = 0.0;  ///< of both neighbourhoods across their planes
  double lever = 0.0;      ///< (distance along the surface between the two points x angle between their normals)^2
};

/// A surfel of the source on its surface in the target.
struct SurfaceResidual {
  Vector6d J;       ///< of the distance, for T exp(xi)
  double distance;  ///< [m] along the mean of both normals
  Doubt doubt;
  Surfel surfel;
  double scale = 1.0;  ///< that J and distance were multiplied by

  /// Counts distance and J by how rough the two surfaces are and by how far their planes part between the points,
  /// compared with `typical` ones, which stay as they are.
  void weigh(const Doubt& typical);
};

/// Of a surfel, not weighed, if the target has a surface that faces the same way within `radius` [m].
[[nodiscard]] std::optional<SurfaceResidual> surface_residual(const Surfaces& target, const Eigen::Isometry3d& T,
                                                              const Surfel& surfel, double radius);

/// Medians over the residuals, either at least (radius / 200)^2.
[[nodiscard]] Doubt typical_doubt(const std::vector<SurfaceResidual>& residuals, double radius);

/// Of evenly spaced points of the source, weighed: at most `samples` off the ground and `ground_samples` on it.
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
