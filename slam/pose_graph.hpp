#pragma once

#include <slam/consistency.hpp>
#include <slam/noise_scale.hpp>

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
  gtsam::SharedNoiseModel noise;  ///< Gaussian, dimension 6, rotation first; that of a correct measurement
  /// [decades] minus log10 of the probability that it is wrong for a reason of its own. 1: of unknown quality, wrong
  /// once in ten. From ConsistencyOptions::min_evidence on, it needs no other loop that agrees.
  double evidence = 1.0;
};

struct RebuildOptions {
  NoiseScaleOptions noise;
  ConsistencyOptions consistency;
  double max_loop_chi2 = 22.5;  ///< a single loop against the optimised trajectory; 99.9 % with 6 degrees of freedom
  int max_rounds = 5;           ///< of optimising and judging every loop again
  int threads = 0;              ///< 0: as many as the machine has
  void validate() const;        ///< throws std::invalid_argument naming the field
};

/// What became of a loop, and the numbers that decided.
struct LoopJudgement {
  LoopOutcome outcome = LoopOutcome::kept;
  double evidence = 0.0;  ///< of its cluster; in none, what it found
  /// Of the loop against the trajectory, or of its cluster where that decided; 0 where nothing was there to compare.
  double chi2 = 0.0;
  double limit = 0.0;  ///< of `chi2` or, where that decided, of `evidence`: the option that LoopOutcome names
};

struct RebuildResult {
  gtsam::Values values;
  std::vector<bool> kept;                 ///< of each loop, in the order given
  std::vector<LoopJudgement> judgements;  ///< of each loop, in the order given
  NoiseScale noise_scale;                 ///< all 1 without loops, and with NoiseScaleOptions::estimate off
  /// Of each loop, scaled: what a factor should carry. Goes with scaled_odometry() for the steps.
  std::vector<gtsam::SharedNoiseModel> loop_noise;
  double initial_cost = 0.0;  ///< of the final graph at the initial values
  /// Over `trusted` (half the sum of squares) and the loops kept (with their robust loss), noise scaled.
  double cost = 0.0;
  std::size_t clusters = 0;       ///< groups of loops that agree with each other ...
  std::size_t used_clusters = 0;  ///< ... and those among them that were believed at first
  int rounds = 0;                 ///< optimisations of the whole graph
};

/// The trajectory that odometry and the right ones among the loops agree on; docs/ALGORITHM.md, "Robust pose graph".
/// `trusted` holds the odometry (BetweenFactor<Pose3> between neighbours in key order; other kinds of factors take part
/// in the optimisation, but loops are not tested against them), priors, and whatever else is beyond doubt. Unless
/// factors on single poses fix the frame, the first pose stays where it is. Without loops this is plain
/// Levenberg-Marquardt. The same on one thread and on many. Throws std::invalid_argument for loops with keys that
/// `initial` does not have, values that are not finite or noise that is not Gaussian.
[[nodiscard]] RebuildResult rebuild(const gtsam::NonlinearFactorGraph& trusted, const gtsam::Values& initial,
                                    std::span<const LoopEdge> loops, const RebuildOptions& options = {});

}  // namespace parte::slam
