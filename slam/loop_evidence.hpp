#pragma once

#include <slam/loop_finder.hpp>

/// How surely a loop is correct, in decades: minus log10 of the probability that it is wrong; docs/ALGORITHM.md,
/// "Evidence". Decades of independent statements add up.
namespace parte::slam {

/// What the registration says of itself. The one place that knows how; the calibration is in docs/BENCHMARK.md.
[[nodiscard]] double registration_evidence(const LoopAttempt& loop);

/// What agreement with odometry is worth: a wrong registration is anywhere within `alias_range_m` along a street, and
/// `position_sigma_m` lets pass what is within sqrt(max_chi2) standard deviations.
[[nodiscard]] double odometry_evidence(double position_sigma_m, double max_chi2, double alias_range_m);

/// Asks the neighbours of loops that would not be believed: registers the pairs of places next to both ends, one
/// after the other until the evidence suffices, at most LoopFinderOptions::max_neighbors for each loop. Pairs that were
/// not tried before are appended to `attempts`; those that contradict take their evidence off the loop. `attempts` are
/// those of the places of `finder`.
void ask_neighbors(std::vector<LoopAttempt>& attempts, const LoopFinder& finder, const OdometryChain& chain,
                   const std::vector<gtsam::Pose3>& estimates, const ConsistencyOptions& options);

}  // namespace parte::slam
