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
  int min_support = 3;             ///< loops that must agree with each other before they count as evidence
  void validate() const;           ///< throws std::invalid_argument naming the field
};

/// Loops of one place that all agree with each other: one piece of evidence.
struct LoopCluster {
  std::vector<std::size_t> members;  ///< ascending
  ChainLoop mean;                    ///< of the members, at one of them; no more certain than that one
};

/// Disjoint clusters, those with the best-supported loops first. A loop without enough support is in none.
[[nodiscard]] std::vector<LoopCluster> cluster_loops(const OdometryChain& chain, std::span<const ChainLoop> loops,
                                                     const ConsistencyOptions& options);

/// Indices, ascending, of the clusters that are believed: the heaviest set that agrees pairwise, then corrected until
/// each member agrees with what the others and odometry say together and no refused one does.
[[nodiscard]] std::vector<std::size_t> select_clusters(const OdometryChain& chain,
                                                       std::span<const LoopCluster> clusters,
                                                       const ConsistencyOptions& options);

}  // namespace parte::slam
