#pragma once

#include <parte/registration.hpp>

namespace parte {

/// How far to trust a registration. The shape of the covariance comes from the clique and, after refinement, from the
/// matched surfaces; its size from their residuals. The inflations are calibrated: see "Covariances" in
/// docs/BENCHMARK.md.
struct CovarianceOptions {
  double clique_inflation = 9.0;    ///< of variances: neighbouring members err together
  double surface_inflation = 1.75;  ///< the same for matched surfaces
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
/// and side of gtsam::Pose3. Throws std::invalid_argument unless the result is a success.
[[nodiscard]] Matrix6d registration_covariance(const Result& result, const CovarianceOptions& options = {});

}  // namespace parte
