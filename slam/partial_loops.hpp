#pragma once

#include <slam/loop_finder.hpp>

#include <gtsam/nonlinear/Marginals.h>

/// Loops that hold what a street fixes, heading and the distance from its walls, where no complete loop does.
namespace parte::slam {

/// rebuild_with(); then, with LoopFinderOptions::partial_loops, places without a loop are registered from where the
/// trajectory has them, as surely as it does, and the trajectory is rebuilt with what was found: docs/ALGORITHM.md,
/// "Partial loops". What was tried is appended to `attempts`, which are those of the places of `finder`, and `keys`
/// theirs. Complete loops that the first rebuild refused stay refused. Pairs of `joined` are not tried.
RebuildResult rebuild_with_partial_loops(std::vector<LoopAttempt>& attempts, const LoopFinder& finder,
                                         const OdometryChain& chain, const std::vector<gtsam::Key>& keys,
                                         const gtsam::NonlinearFactorGraph& trusted, const gtsam::Values& initial,
                                         const RebuildOptions& options, const LoopFinder::Pairs& joined = {});

/// Covariance of xi in (pose of `from`)^-1 (pose of `to`) exp(xi), by their joint marginal.
[[nodiscard]] Matrix6d relative_covariance(const gtsam::Marginals& marginals, const gtsam::Values& values,
                                           gtsam::Key from, gtsam::Key to);

}  // namespace parte::slam
