#pragma once

#include <parte/registration.hpp>

namespace parte {

/// Where the size of a covariance comes from.
enum class CovarianceScale {
  measured,  ///< the pair's own residuals: docs/ALGORITHM.md, "Covariance"
  fixed,     ///< residuals and the inflations below, which were fitted to 64-beam street scans and RGB-D fragments
};

/// How far to trust a registration. The shape of the covariance comes from the clique and, after refinement, from the
/// matched surfaces.
struct CovarianceOptions {
  CovarianceScale scale = CovarianceScale::measured;
  double open_m = 100.0;            ///< standard deviation of shifts that a partial result leaves open
  double clique_inflation = 9.0;    ///< of the clique's variances: neighbouring members err together
  double surface_inflation = 1.75;  ///< the same for matched surfaces, with a fixed scale
  double small_clique = 8.0;        ///< variances of a clique of n members grow by 1 + small_clique / n
  double voxel_m = 0.3;             ///< that the clouds were sampled with
  double sensor_noise_m = 0.02;     ///< residuals are never taken for smaller than this and a tenth of the voxel
  /// Surfaces that a depth camera sees from near err together more.
  [[nodiscard]] static CovarianceOptions rgbd() {
    return {.surface_inflation = 12.0, .voxel_m = 0.05, .sensor_noise_m = 0.005};
  }
  /// For scans of that sensor, sampled with that voxel.
  [[nodiscard]] static CovarianceOptions of(const Options& registration);
  void validate() const;  ///< throws std::invalid_argument naming the field
};

/// Covariance of result.T_target_source exp(xi), xi = (rotation [rad], translation [m]) in the source frame: the order
/// and side of gtsam::Pose3. Throws std::invalid_argument unless the result is usable().
[[nodiscard]] Matrix6d registration_covariance(const Result& result, const CovarianceOptions& options = {});

}  // namespace parte
