#pragma once

#include <slam/consistency.hpp>

#include <gtsam/nonlinear/NonlinearFactorGraph.h>
#include <gtsam/nonlinear/Values.h>

#include <cstddef>
#include <span>
#include <vector>

namespace parte::slam {

/// A loop closure that may be wrong.
struct LoopEdge {
  gtsam::Key from = 0, to = 0;
  gtsam::Pose3 T_from_to;         ///< measured
  gtsam::SharedNoiseModel noise;  ///< Gaussian, dimension 6, rotation first; that of a right measurement
};

struct RebuildOptions {
  ConsistencyOptions consistency;
  double max_loop_chi2 = 22.5;  ///< a single loop against the optimised trajectory; 99.9 % with 6 degrees of freedom
  int max_rounds = 5;           ///< of optimising and judging every loop again
  int threads = 0;              ///< 0: as many as the machine has
  void validate() const;        ///< throws std::invalid_argument naming the field
};

struct RebuildResult {
  gtsam::Values values;
  std::vector<bool> kept;     ///< of each loop, in the order given
  double initial_cost = 0.0;  ///< of the final graph at the initial values
  double cost = 0.0;          ///< over `trusted` (half the sum of squares) and the loops kept (with their robust loss)
  std::size_t clusters = 0;   ///< groups of loops that agree with each other ...
  std::size_t used_clusters = 0;  ///< ... and those among them that were believed at first
  int rounds = 0;                 ///< optimisations of the whole graph
};

/// The trajectory that odometry and the right ones among the loops agree on; docs/ALGORITHM.md, "Robust pose graph".
/// `trusted` holds the odometry (steps between neighbours in key order), priors, and whatever else is beyond doubt. If
/// no prior fixes the frame, the first pose stays where it is. Without loops this is plain Levenberg-Marquardt. The
/// same on one thread and on many. Throws std::invalid_argument for loops with keys that `initial` does not have,
/// values that are not finite or noise that is not Gaussian.
[[nodiscard]] RebuildResult rebuild(const gtsam::NonlinearFactorGraph& trusted, const gtsam::Values& initial,
                                    std::span<const LoopEdge> loops, const RebuildOptions& options = {});

}  // namespace parte::slam
