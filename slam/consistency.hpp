#pragma once

#include <slam/odometry_chain.hpp>

#include <span>
#include <vector>

/// Which loops to believe, judged from odometry and from each other alone.
namespace parte::slam {

struct ConsistencyOptions {
  /// [m] of path: loops whose ends lie this near to each other on both stretches are compared with one another.
  /// Odometry is still good over such a way, so agreement is telling.
  double window_m = 30.0;
  double max_pair_chi2 = 22.5;     ///< two loops agree up to this; 99.9 % of chi-square with 6 degrees of freedom
  double max_cluster_chi2 = 16.8;  ///< a cluster against odometry and the other clusters; 99 %
  /// Decades of improbability (LoopEdge::evidence) that loops agreeing with each other must bring together to be
  /// believed: by default that of three loops of unknown quality.
  double min_evidence = 3.0;
  void validate() const;  ///< throws std::invalid_argument naming the field
};

/// Loops of one place that all agree with each other: one piece of evidence.
struct LoopCluster {
  std::vector<std::size_t> members;  ///< ascending
  ChainLoop mean;                    ///< of the members, at one of them; no more certain than that one
  double evidence = 0.0;             ///< sum over the members
};

enum class LoopOutcome {
  kept,
  too_little_evidence,      ///< in no cluster, and no kept loop near; ConsistencyOptions::min_evidence
  contradicts_odometry,     ///< its cluster does; ConsistencyOptions::max_cluster_chi2
  contradicts_other_loops,  ///< its cluster contradicts the clusters believed; ConsistencyOptions::max_cluster_chi2
  off_the_trajectory,       ///< that odometry and the loops believed lead to; RebuildOptions::max_loop_chi2
};

/// What became of a cluster, and the Mahalanobis distance squared that decided.
struct ClusterVerdict {
  LoopOutcome outcome = LoopOutcome::kept;  ///< kept, contradicts_odometry or contradicts_other_loops
  double chi2 = 0.0;                        ///< against odometry, or against odometry and the other clusters believed
};

/// A cluster counts mostly for being there and only a little for its evidence: a hundred loops of one street that are
/// all wrong for the same reason must not outweigh two other streets. docs/ALGORITHM.md, "Robust pose graph", 4.
[[nodiscard]] int weight_of(const LoopCluster& cluster);

struct LoopClusters {
  std::vector<LoopCluster> clusters;  ///< disjoint, those with the best-supported loops first
  std::vector<double> evidence;       ///< of each loop: its cluster's; in none, what it found, below min_evidence
};

/// A loop without enough evidence is in no cluster.
[[nodiscard]] LoopClusters cluster_loops(const OdometryChain& chain, std::span<const ChainLoop> loops,
                                         const ConsistencyOptions& options);

/// Which clusters are believed: the heaviest set that agrees pairwise, then corrected until each member agrees with
/// what the others and odometry say together and no refused one does.
[[nodiscard]] std::vector<ClusterVerdict> judge_clusters(const OdometryChain& chain,
                                                         std::span<const LoopCluster> clusters,
                                                         const ConsistencyOptions& options);

}  // namespace parte::slam
