#include <slam/consistency.hpp>

#include <parte/clique.hpp>
#include <parte/decompositions.hpp>
#include <slam/graph_where.hpp>

#include <gtsam/nonlinear/LevenbergMarquardtOptimizer.h>
#include <gtsam/nonlinear/Marginals.h>
#include <gtsam/slam/BetweenFactor.h>
#include <gtsam/slam/PriorFactor.h>

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

std::vector<std::size_t> heaviest_agreeing(const OdometryChain& chain, std::span<const LoopCluster> clusters,
                                           const std::vector<std::size_t>& candidates, double max_chi2) {
  const BitMatrix graph = graph_where(candidates.size(), [&](std::size_t i, std::size_t j) {
    const ChainLoop &a = clusters[candidates[i]].mean, &b = clusters[candidates[j]].mean;
    return disagreement(chain.transported(b, a.from, a.to), a) <= max_chi2;
  });
  std::vector<int> weights;
  for (const std::size_t c : candidates) weights.push_back(weight_of(clusters[c]));
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
    return std::abs(parte::chi2(e, covariance));
  }

  std::span<const LoopCluster> clusters_;
  gtsam::NonlinearFactorGraph odometry_;
  gtsam::Values values_;
};

using Chosen = std::vector<char>;

class Selection {
 public:
  Selection(const OdometryChain& chain, std::span<const LoopCluster> clusters, const ConsistencyOptions& options)
      : clusters_(clusters), max_chi2_(options.max_cluster_chi2), skeleton_(chain, clusters) {}

  /// Drops the worst cluster while one disagrees with the others, else takes in the best that agrees, until neither is
  /// left. Each cluster leaves or comes once, so this ends; `banned` stays out.
  void correct(Chosen& chosen, std::optional<std::size_t> banned) {
    std::vector<char> settled(clusters_.size(), false);
    if (banned) chosen[*banned] = false, settled[*banned] = true;
    while (true) {
      chi2_ = skeleton_.surprises(chosen);
      const auto worst = extreme(chosen, settled, true), next = extreme(chosen, settled, false);
      const bool drop = worst && chi2_[*worst] > max_chi2_;
      if (!drop && !(next && chi2_[*next] <= max_chi2_)) return;
      const std::size_t c = drop ? *worst : *next;
      chosen[c] = !drop;
      settled[c] = drop;
    }
  }

  /// A wrong cluster can drive out the right ones around it, one after the other; it is then the most strained of those
  /// that stay. So the most strained ones are left out in turn, to see whether more evidence comes in than goes.
  void reconsider(Chosen& chosen) {
    for (int round = 0; round < kRounds; ++round) {
      bool better = false;
      for (const std::size_t suspect : most_strained(chosen)) {
        Chosen other = chosen;
        correct(other, suspect);
        if (weight(other) <= weight(chosen)) continue;
        chosen = other;
        better = true;
        break;
      }
      if (!better) return;
      chi2_ = skeleton_.surprises(chosen);
    }
  }

  [[nodiscard]] std::vector<double> surprises(const Chosen& chosen) { return skeleton_.surprises(chosen); }

 private:
  static constexpr int kRounds = 4;
  static constexpr std::size_t kSuspects = 4;

  /// The chosen cluster with the largest surprise or the refused one with the smallest, the first of equals.
  [[nodiscard]] std::optional<std::size_t> extreme(const Chosen& chosen, const std::vector<char>& settled,
                                                   bool among_chosen) const {
    std::optional<std::size_t> best;
    for (std::size_t c = 0; c < chosen.size(); ++c) {
      if (static_cast<bool>(chosen[c]) != among_chosen || settled[c]) continue;
      if (!best || (among_chosen ? chi2_[c] > chi2_[*best] : chi2_[c] < chi2_[*best])) best = c;
    }
    return best;
  }

  [[nodiscard]] std::vector<std::size_t> most_strained(const Chosen& chosen) const {
    std::vector<std::size_t> order;
    for (std::size_t c = 0; c < chosen.size(); ++c)
      if (chosen[c]) order.push_back(c);
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return chi2_[a] > chi2_[b]; });
    order.resize(std::min(order.size(), kSuspects));
    return order;
  }

  [[nodiscard]] int weight(const Chosen& chosen) const {
    int sum = 0;
    for (std::size_t c = 0; c < chosen.size(); ++c) sum += chosen[c] ? weight_of(clusters_[c]) : 0;
    return sum;
  }

  std::span<const LoopCluster> clusters_;
  double max_chi2_;
  Skeleton skeleton_;
  std::vector<double> chi2_;  ///< of the last chosen set
};

/// What every cluster is for odometry alone.
std::vector<ClusterVerdict> against_odometry(const OdometryChain& chain, std::span<const LoopCluster> clusters,
                                             double max_chi2) {
  std::vector<ClusterVerdict> verdicts;
  for (const auto& [members, mean, evidence] : clusters) {
    const double chi2 = disagreement(chain.predicted(mean.from, mean.to), mean);
    verdicts.push_back({chi2 <= max_chi2 ? LoopOutcome::kept : LoopOutcome::contradicts_odometry, chi2});
  }
  return verdicts;
}

}  // namespace

int weight_of(const LoopCluster& cluster) {
  return 4 + static_cast<int>(std::bit_width(static_cast<std::size_t>(std::lround(cluster.evidence))));
}

std::vector<ClusterVerdict> judge_clusters(const OdometryChain& chain, std::span<const LoopCluster> clusters,
                                           const ConsistencyOptions& options) {
  options.validate();
  std::vector<ClusterVerdict> verdicts = against_odometry(chain, clusters, options.max_cluster_chi2);
  std::vector<std::size_t> candidates;
  for (std::size_t c = 0; c < clusters.size(); ++c)
    if (verdicts[c].outcome == LoopOutcome::kept) candidates.push_back(c);
  if (candidates.empty()) return verdicts;
  Chosen chosen(clusters.size(), false);
  for (const std::size_t c : heaviest_agreeing(chain, clusters, candidates, options.max_cluster_chi2)) chosen[c] = true;
  Selection selection(chain, clusters, options);
  selection.correct(chosen, {});
  if (static_cast<std::size_t>(std::count(chosen.begin(), chosen.end(), true)) < candidates.size())
    selection.reconsider(chosen);
  const std::vector<double> surprises = selection.surprises(chosen);
  for (std::size_t c = 0; c < clusters.size(); ++c)
    if (chosen[c])
      verdicts[c] = {LoopOutcome::kept, surprises[c]};
    else if (verdicts[c].outcome == LoopOutcome::kept)
      verdicts[c] = {LoopOutcome::contradicts_other_loops, surprises[c]};
  return verdicts;
}

}  // namespace parte::slam
