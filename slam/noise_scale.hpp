#pragma once

#include <slam/odometry_chain.hpp>

#include <span>

namespace parte::slam {

/// Factors on standard deviations as they were given.
struct NoiseScale {
  double odometry_rotation = 1.0, odometry_translation = 1.0;
  double loop_rotation = 1.0, loop_translation = 1.0;
};

/// How the noise of odometry and of loops is corrected by what the loops of one place say about each other;
/// docs/ALGORITHM.md, "Robust pose graph", 2.
struct NoiseScaleOptions {
  bool estimate = true;  ///< false: noise as it was given
  /// Loops that the noise as given is worth: the logarithm of each factor is shrunk by n / (n + prior_loops) where n
  /// loops speak. Loops of one window err alike, so that about ten of them are one observation.
  double prior_loops = 10.0;
  double max_factor = 10.0;  ///< factors stay between its inverse and this
  void validate() const;     ///< throws std::invalid_argument naming the field
};

/// The factors under which cycles of two neighbouring loops and the odometry between them close as they should. Wrong
/// loops hardly ever agree with their neighbours and are left out; those that do tell about the noise as well as
/// correct ones. `window_m` as in ConsistencyOptions. All factors are 1 if no two loops agree.
[[nodiscard]] NoiseScale estimate_noise_scale(const OdometryChain& chain, std::span<const ChainLoop> loops,
                                              double window_m, const NoiseScaleOptions& options);

/// With the standard deviations of rotation and translation times a factor each; a Gaussian noise model, or the
/// Gaussian inside a robust one. Throws as covariance_of().
[[nodiscard]] gtsam::SharedNoiseModel scaled(const gtsam::SharedNoiseModel& noise, double rotation, double translation);
/// The graph with the noise of the odometry, the factors that OdometryChain reads, scaled. Unknown steps stay so.
[[nodiscard]] gtsam::NonlinearFactorGraph scaled_odometry(const gtsam::NonlinearFactorGraph& graph,
                                                          const gtsam::Values& values, const NoiseScale& scale);

}  // namespace parte::slam
