#include <slam/consistency.hpp>

#include <parte/clique.hpp>

#include <gtsam/nonlinear/LevenbergMarquardtOptimizer.h>
#include <gtsam/nonlinear/Marginals.h>
#include <gtsam/slam/BetweenFactor.h>
#include <gtsam/slam/PriorFactor.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

/// Clusters are judged on a skeleton of the trajectory: only the poses at their ends, joined by odometry in one step.
namespace parte::slam {
namespace {

using Between = gtsam::BetweenFactor<gtsam::Pose3>;

Between factor_of(const ChainLoop& loop) {
  return {loop.from, loop.to, loop.T_from_to, gtsam::noiseModel::Gaussian::Covariance(loop.covariance)};
}

/// Doubling its loops makes a cluster one piece of evidence heavier: a hundred loops of one street that are all wrong
/// for the same reason must not outweigh three other streets.
int weight_of(const LoopCluster& cluster) { return static_cast<int>(std::bit_width(cluster.members.size())); }

bool fits_odometry(const OdometryChain& chain, const ChainLoop& loop, double max_chi2) {
  return disagreement(chain.predicted(loop.from, loop.to), loop) <= max_chi2;
}

std::vector<std::size_t> heaviest_agreeing(const OdometryChain& chain, std::span<const LoopCluster> clusters,
                                           const std::vector<std::size_t>& candidates, double max_chi2) {
  std::vector<std::vector<char>> agrees(candidates.size());
  tbb::parallel_for(std::size_t{0}, candidates.size(), [&](std::size_t i) {
    const ChainLoop& a = clusters[candidates[i]].mean;
    for (std::size_t j = 0; j < i; ++j) {
      const ChainLoop& b = clusters[candidates[j]].mean;
      agrees[i].push_back(disagreement(chain.transported(a, b.from, b.to), b) <= max_chi2);
    }
  });
  BitMatrix graph(candidates.size());
  std::vector<int> weights;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    weights.push_back(weight_of(clusters[candidates[i]]));
    for (std::size_t j = 0; j < i; ++j)
      if (agrees[i][j]) graph.connect(i, j);
  }
  std::vector<std::size_t> chosen;
  for (const Index i : max_weight_clique(graph, weights, {.max_work = 100'000'000, .time_limit_s = 10.0}).vertices)
    chosen.push_back(candidates[static_cast<std::size_t>(i)]);
  return chosen;
}

class Skeleton {
 public:
  Skeleton(const OdometryChain& chain, std::span<const LoopCluster> clusters) : clusters_(clusters) {
    std::vector<std::size_t> ends;
    for (const auto& cluster : clusters) ends.insert(ends.end(), {cluster.mean.from, cluster.mean.to});
    std::sort(ends.begin(), ends.end());
    ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
    for (std::size_t i = 0; i < ends.size(); ++i) {
      values_.insert(ends[i], chain.pose(ends[i]));
      if (i == 0)
        odometry_.emplace_shared<gtsam::PriorFactor<gtsam::Pose3>>(ends[0], chain.pose(ends[0]),
                                                                   gtsam::noiseModel::Isotropic::Sigma(6, 1e-3));
      else
        odometry_.emplace_shared<Between>(factor_of(chain.predicted(ends[i - 1], ends[i])));
    }
  }

  /// For each cluster how far it is from what odometry and the chosen clusters (without itself) say; chi-square with 6
  /// degrees of freedom. By linear algebra at the optimum of all chosen: leaving one out needs no other optimum.
  [[nodiscard]] std::vector<double> surprises(const std::vector<char>& chosen) {
    gtsam::NonlinearFactorGraph graph = odometry_;
    for (std::size_t c = 0; c < clusters_.size(); ++c)
      if (chosen[c]) graph.emplace_shared<Between>(factor_of(clusters_[c].mean));
    values_ = gtsam::LevenbergMarquardtOptimizer(graph, values_).optimize();
    const gtsam::Marginals marginals(graph, values_);
    std::vector<double> chi2(clusters_.size());
    for (std::size_t c = 0; c < clusters_.size(); ++c) chi2[c] = surprise(marginals, clusters_[c].mean, chosen[c]);
    return chi2;
  }

 private:
  [[nodiscard]] double surprise(const gtsam::Marginals& marginals, const ChainLoop& loop, bool chosen) const {
    gtsam::Matrix J_from, J_to;
    const gtsam::Vector6 e = factor_of(loop).evaluateError(values_.at<gtsam::Pose3>(loop.from),
                                                           values_.at<gtsam::Pose3>(loop.to), J_from, J_to);
    const auto joint = marginals.jointMarginalCovariance({loop.from, loop.to});
    const gtsam::Matrix6 cross = J_from * joint(loop.from, loop.to) * J_to.transpose();
    const gtsam::Matrix6 spread = J_from * joint(loop.from, loop.from) * J_from.transpose() + cross +
                                  cross.transpose() + J_to * joint(loop.to, loop.to) * J_to.transpose();
    // A measurement that took part has drawn the estimate to itself: the covariances subtract instead of adding up.
    const gtsam::Matrix6 covariance = loop.covariance + (chosen ? -1.0 : 1.0) * spread;
    return std::abs(e.dot(covariance.ldlt().solve(e)));
  }

  std::span<const LoopCluster> clusters_;
  gtsam::NonlinearFactorGraph odometry_;
  gtsam::Values values_;
};

/// Of the clusters with chosen == value, the one with the largest (sign 1) or smallest (sign -1) surprise.
std::optional<std::size_t> extreme(const std::vector<double>& chi2, const std::vector<char>& chosen, bool value,
                                   const std::vector<int>& changes, double sign) {
  std::optional<std::size_t> best;
  for (std::size_t c = 0; c < chi2.size(); ++c)
    if (static_cast<bool>(chosen[c]) == value && changes[c] < 2 && (!best || sign * chi2[c] > sign * chi2[*best]))
      best = c;
  return best;
}

}  // namespace

std::vector<std::size_t> select_clusters(const OdometryChain& chain, std::span<const LoopCluster> clusters,
                                         const ConsistencyOptions& options) {
  options.validate();
  std::vector<std::size_t> candidates;
  for (std::size_t c = 0; c < clusters.size(); ++c)
    if (fits_odometry(chain, clusters[c].mean, options.max_cluster_chi2)) candidates.push_back(c);
  std::vector<char> chosen(clusters.size(), false);
  for (const std::size_t c : heaviest_agreeing(chain, clusters, candidates, options.max_cluster_chi2)) chosen[c] = true;
  if (candidates.empty()) return {};

  Skeleton skeleton(chain, clusters);
  std::vector<int> changes(clusters.size(), 0);  // each cluster leaves or comes back once, so this ends
  while (true) {
    const std::vector<double> chi2 = skeleton.surprises(chosen);
    const auto worst = extreme(chi2, chosen, true, changes, 1.0), next = extreme(chi2, chosen, false, changes, -1.0);
    const bool drop = worst && chi2[*worst] > options.max_cluster_chi2;
    if (!drop && !(next && chi2[*next] <= options.max_cluster_chi2)) break;
    const std::size_t c = drop ? *worst : *next;
    chosen[c] = !drop;
    ++changes[c];
  }
  std::vector<std::size_t> result;
  for (std::size_t c = 0; c < clusters.size(); ++c)
    if (chosen[c]) result.push_back(c);
  return result;
}

}  // namespace parte::slam
