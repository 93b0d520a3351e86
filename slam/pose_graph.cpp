#include <slam/pose_graph.hpp>

#include <gtsam/nonlinear/LevenbergMarquardtOptimizer.h>
#include <gtsam/slam/BetweenFactor.h>
#include <gtsam/slam/PriorFactor.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>

namespace parte::slam {
namespace {

/// Weak enough not to spoil the condition of the system; it has nothing to pull against.
constexpr double kAnchorSigma = 1e-3;

gtsam::NonlinearFactorGraph anchored(gtsam::NonlinearFactorGraph graph, const gtsam::Values& initial) {
  const bool fixed =
      std::any_of(graph.begin(), graph.end(), [](const auto& factor) { return factor && factor->size() == 1; });
  const std::vector<gtsam::Key> keys = pose_keys(initial);
  if (fixed || keys.empty()) return graph;
  graph.emplace_shared<gtsam::PriorFactor<gtsam::Pose3>>(keys[0], initial.at<gtsam::Pose3>(keys[0]),
                                                         gtsam::noiseModel::Isotropic::Sigma(6, kAnchorSigma));
  return graph;
}

/// How a kept loop counts: as its covariance says, or less the farther it is off.
enum class Loss { squares, geman_mcclure };

/// Right loops err with heavier tails than a Gaussian. Chosen on KITTI 00 (docs/BENCHMARK.md). At this Mahalanobis
/// distance (squared: twice the mean of a right one) a loop counts a quarter.
constexpr double kGemanMcClure = 3.46;

gtsam::SharedNoiseModel with_loss(const gtsam::SharedNoiseModel& noise, Loss loss) {
  namespace nm = gtsam::noiseModel;
  if (loss == Loss::squares) return noise;
  return nm::Robust::Create(nm::mEstimator::GemanMcClure::Create(kGemanMcClure), noise);
}

gtsam::NonlinearFactorGraph with_loops(gtsam::NonlinearFactorGraph graph, std::span<const LoopEdge> loops,
                                       const std::vector<bool>& kept, Loss loss) {
  for (std::size_t i = 0; i < loops.size(); ++i)
    if (kept[i])
      graph.emplace_shared<gtsam::BetweenFactor<gtsam::Pose3>>(loops[i].from, loops[i].to, loops[i].T_from_to,
                                                               with_loss(loops[i].noise, loss));
  return graph;
}

/// The loops believed at first: those of the clusters that were chosen.
std::vector<bool> first_choice(const OdometryChain& chain, std::span<const ChainLoop> loops,
                               const ConsistencyOptions& options, RebuildResult& result) {
  const std::vector<LoopCluster> clusters = cluster_loops(chain, loops, options);
  const std::vector<std::size_t> chosen = select_clusters(chain, clusters, options);
  result.clusters = clusters.size();
  result.used_clusters = chosen.size();
  std::vector<bool> kept(loops.size(), false);
  for (const std::size_t c : chosen)
    for (const std::size_t m : clusters[c].members) kept[m] = true;
  return kept;
}

/// Loops against an optimised trajectory.
class Judge {
 public:
  Judge(const OdometryChain& chain, std::span<const ChainLoop> loops, const RebuildOptions& options)
      : chain_(chain), loops_(loops), options_(options) {}

  /// A kept loop stays if it agrees with the trajectory. A refused one comes back if it does and a kept loop is near:
  /// far from all of them agreement would say little.
  [[nodiscard]] std::vector<bool> verdict(const gtsam::Values& values, const std::vector<bool>& kept) const {
    std::vector<bool> next(loops_.size(), false);
    for (std::size_t i = 0; i < loops_.size(); ++i) {
      const ChainLoop& loop = loops_[i];
      ChainLoop estimate{loop.from, loop.to, at(values, loop.from).between(at(values, loop.to)),
                         gtsam::Matrix6::Zero()};
      if (!kept[i]) {
        const auto support = nearest_kept(i, kept);
        if (!support) continue;
        // An upper bound of the trajectory's uncertainty here: what this one neighbour and odometry leave of it.
        estimate.covariance = chain_.transported(loops_[*support], loop.from, loop.to).covariance;
      }
      next[i] = disagreement(estimate, loop) <= options_.max_loop_chi2;
    }
    return next;
  }

 private:
  [[nodiscard]] gtsam::Pose3 at(const gtsam::Values& values, std::size_t i) const {
    return values.at<gtsam::Pose3>(chain_.key(i));
  }

  [[nodiscard]] std::optional<std::size_t> nearest_kept(std::size_t i, const std::vector<bool>& kept) const {
    std::optional<std::size_t> best;
    double least = options_.consistency.window_m;
    for (std::size_t j = 0; j < loops_.size(); ++j) {
      if (!kept[j]) continue;
      const double distance = std::max(std::abs(chain_.path_m(loops_[i].from) - chain_.path_m(loops_[j].from)),
                                       std::abs(chain_.path_m(loops_[i].to) - chain_.path_m(loops_[j].to)));
      if (distance < least) best = j, least = distance;
    }
    return best;
  }

  const OdometryChain& chain_;
  std::span<const ChainLoop> loops_;
  const RebuildOptions& options_;
};

void optimise(const gtsam::NonlinearFactorGraph& trusted, std::span<const LoopEdge> loops, Loss loss,
              RebuildResult& result) {
  const gtsam::NonlinearFactorGraph graph = with_loops(trusted, loops, result.kept, loss);
  result.values = gtsam::LevenbergMarquardtOptimizer(graph, result.values).optimize();
  ++result.rounds;
}

void choose_and_optimise(const gtsam::NonlinearFactorGraph& trusted, std::span<const LoopEdge> loops,
                         const RebuildOptions& options, RebuildResult& result) {
  const OdometryChain chain(trusted, result.values);
  std::vector<ChainLoop> on_chain;
  on_chain.reserve(loops.size());
  for (const auto& loop : loops) on_chain.push_back(chain.loop(loop.from, loop.to, loop.T_from_to, loop.noise));
  result.kept = first_choice(chain, on_chain, options.consistency, result);
  optimise(trusted, loops, Loss::squares, result);
  const Judge judge(chain, on_chain, options);
  while (result.rounds < options.max_rounds) {
    const std::vector<bool> next = judge.verdict(result.values, result.kept);
    if (next == result.kept) break;
    result.kept = next;
    optimise(trusted, loops, Loss::squares, result);
  }
  // Graduated non-convexity in two steps: the convex solution is near enough to start from.
  optimise(trusted, loops, Loss::geman_mcclure, result);
}

}  // namespace

void RebuildOptions::validate() const {
  consistency.validate();
  if (!(max_loop_chi2 > 0.0)) throw std::invalid_argument("RebuildOptions::max_loop_chi2 must be positive");
  if (max_rounds < 1) throw std::invalid_argument("RebuildOptions::max_rounds must be at least 1");
  if (threads < 0) throw std::invalid_argument("RebuildOptions::threads must not be negative");
}

RebuildResult rebuild(const gtsam::NonlinearFactorGraph& trusted, const gtsam::Values& initial,
                      std::span<const LoopEdge> loops, const RebuildOptions& options) {
  options.validate();
  RebuildResult result;
  result.values = initial;
  if (initial.empty() && loops.empty()) return result;
  tbb::task_arena arena(options.threads > 0 ? options.threads : tbb::task_arena::automatic);
  arena.execute([&] {
    const gtsam::NonlinearFactorGraph graph = anchored(trusted, initial);
    if (loops.empty())
      optimise(graph, loops, Loss::squares, result);
    else
      choose_and_optimise(graph, loops, options, result);
    const gtsam::NonlinearFactorGraph all = with_loops(graph, loops, result.kept, Loss::geman_mcclure);
    result.initial_cost = all.error(initial);
    result.cost = all.error(result.values);
  });
  return result;
}

}  // namespace parte::slam
