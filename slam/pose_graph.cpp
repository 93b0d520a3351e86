#include <slam/pose_graph.hpp>

#include <gtsam/nonlinear/LevenbergMarquardtOptimizer.h>
#include <gtsam/slam/BetweenFactor.h>
#include <gtsam/slam/PriorFactor.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <utility>

namespace parte::slam {
namespace {

/// Weak enough not to spoil the condition of the system; it has nothing to pull against.
constexpr double kAnchorSigma = 1e-3;
/// Of the best-known motion: below this, information is rounding error.
constexpr double kFreeMotion = 1e-12;

/// Whether factors on single poses leave no motion of the whole graph free: their information about a motion of the
/// frame of the first pose, summed up. Factors on other variables (landmarks, biases) do not count.
bool frame_is_fixed(const gtsam::NonlinearFactorGraph& graph, const gtsam::Values& initial,
                    const std::vector<gtsam::Key>& poses) {
  gtsam::Matrix6 information = gtsam::Matrix6::Zero();
  const auto first = initial.at<gtsam::Pose3>(poses[0]);
  for (const auto& factor : graph) {
    if (!factor || factor->size() != 1 || !std::binary_search(poses.begin(), poses.end(), factor->front())) continue;
    const gtsam::Matrix6 Ad = initial.at<gtsam::Pose3>(factor->front()).between(first).AdjointMap();
    information += Ad.transpose() * factor->linearize(initial)->information() * Ad;
  }
  const gtsam::Vector6 known = Eigen::SelfAdjointEigenSolver<gtsam::Matrix6>(information).eigenvalues();
  return known[0] > kFreeMotion * known[5];
}

gtsam::NonlinearFactorGraph anchored(gtsam::NonlinearFactorGraph graph, const gtsam::Values& initial) {
  const std::vector<gtsam::Key> keys = pose_keys(initial);
  if (keys.empty() || frame_is_fixed(graph, initial, keys)) return graph;
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

/// Of the cost: enough to judge loops by, and half the time.
constexpr double kRoughly = 1e-3;
/// Part of the weight of clusters that is as good as all of it; docs/ALGORITHM.md, "Robust pose graph", 4.
constexpr double kAboutAll = 0.9;

/// One rebuild: loops are chosen on the chain, then judged on the trajectory.
class Rebuild {
 public:
  Rebuild(const gtsam::NonlinearFactorGraph& trusted, std::span<const LoopEdge> loops, const RebuildOptions& options,
          RebuildResult& result)
      : given_(trusted),
        trusted_(trusted),
        loops_(loops),
        options_(options),
        result_(result),
        given_chain_(loops.empty() ? OdometryChain() : OdometryChain(trusted, result.values)),
        chain_(given_chain_) {
    for (const auto& [from, to, T_from_to, noise, evidence] : loops)
      on_chain_.push_back(chain_.loop(from, to, T_from_to, noise, evidence));
    result_.kept.resize(loops.size());
    result_.judgements.resize(loops.size());
    for (const auto& loop : loops) result_.loop_noise.push_back(loop.noise);
  }

  void run() {
    if (options_.noise.estimate)
      rescale(estimate_noise_scale(chain_, on_chain_, options_.consistency.window_m, options_.noise));
    choose();
    optimise(Loss::squares, kRoughly);
    while (result_.rounds < options_.max_rounds && judge()) optimise(Loss::squares, kRoughly);
    // Graduated non-convexity in two steps: the convex solution is near enough to start from.
    optimise(Loss::geman_mcclure);
  }

  [[nodiscard]] gtsam::NonlinearFactorGraph graph(Loss loss) const {
    gtsam::NonlinearFactorGraph graph = trusted_;
    for (std::size_t i = 0; i < loops_.size(); ++i)
      if (result_.kept[i])
        graph.emplace_shared<gtsam::BetweenFactor<gtsam::Pose3>>(loops_[i].from, loops_[i].to, loops_[i].T_from_to,
                                                                 with_loss(result_.loop_noise[i], loss));
    return graph;
  }

  /// Until a step lowers the cost by less than that part.
  void optimise(Loss loss, double tolerance = gtsam::LevenbergMarquardtParams().relativeErrorTol) {
    gtsam::LevenbergMarquardtParams params;
    params.relativeErrorTol = tolerance;
    result_.values = gtsam::LevenbergMarquardtOptimizer(graph(loss), result_.values, params).optimize();
    ++result_.rounds;
  }

 private:
  void rescale(const NoiseScale& scale) {
    result_.noise_scale = scale;
    trusted_ = scaled_odometry(given_, result_.values, scale);
    chain_ = given_chain_.scaled(scale.odometry_rotation, scale.odometry_translation);
    for (std::size_t i = 0; i < loops_.size(); ++i) {
      result_.loop_noise[i] = scaled(loops_[i].noise, scale.loop_rotation, scale.loop_translation);
      on_chain_[i] =
          chain_.loop(loops_[i].from, loops_[i].to, loops_[i].T_from_to, result_.loop_noise[i], loops_[i].evidence);
    }
  }

  /// The loops believed at first: those of the clusters that were chosen.
  void choose() {
    const auto [clusters, evidence] = cluster_loops(chain_, on_chain_, options_.consistency);
    std::vector<ClusterVerdict> verdicts = judge_clusters(chain_, clusters, options_.consistency);
    if (options_.noise.estimate) widen(clusters, verdicts);
    for (std::size_t i = 0; i < loops_.size(); ++i)
      result_.judgements[i] = {LoopOutcome::too_little_evidence, evidence[i], 0.0, options_.consistency.min_evidence};
    for (std::size_t c = 0; c < clusters.size(); ++c)
      for (const std::size_t m : clusters[c].members) {
        result_.kept[m] = verdicts[c].outcome == LoopOutcome::kept;
        result_.judgements[m] = {verdicts[c].outcome, evidence[m], verdicts[c].chi2,
                                 options_.consistency.max_cluster_chi2};
      }
    result_.clusters = clusters.size();
    result_.used_clusters = static_cast<std::size_t>(std::count_if(verdicts.begin(), verdicts.end(), is_kept));
  }

  /// Odometry with a bias is worse over long paths than over short ones. Where many clusters are refused, it is tried
  /// with larger noise; of the noises that believe in about the most, the smallest is taken, if that is the majority.
  void widen(std::span<const LoopCluster> clusters, std::vector<ClusterVerdict>& verdicts) {
    const double all = believed(clusters, {clusters.size(), ClusterVerdict{}});
    if (believed(clusters, verdicts) >= kAboutAll * all) return;
    std::vector<std::pair<double, std::vector<ClusterVerdict>>> tried = {{1.0, verdicts}};
    double most = believed(clusters, verdicts);
    for (const double factor : {2.0, 4.0}) {
      const OdometryChain wider = chain_.scaled(factor, factor);
      tried.emplace_back(factor, judge_clusters(wider, clusters, options_.consistency));
      most = std::max(most, believed(clusters, tried.back().second));
    }
    if (most <= 0.5 * all) return;
    const auto chosen = std::find_if(tried.begin(), tried.end(), [&](const auto& choice) {
      return believed(clusters, choice.second) >= kAboutAll * most;
    });
    verdicts = chosen->second;
    NoiseScale scale = result_.noise_scale;
    scale.odometry_rotation *= chosen->first;
    scale.odometry_translation *= chosen->first;
    if (chosen->first > 1.0) rescale(scale);
  }

  static bool is_kept(const ClusterVerdict& verdict) { return verdict.outcome == LoopOutcome::kept; }

  /// Weight of the clusters that are kept.
  static double believed(std::span<const LoopCluster> clusters, const std::vector<ClusterVerdict>& verdicts) {
    double sum = 0.0;
    for (std::size_t c = 0; c < clusters.size(); ++c) sum += is_kept(verdicts[c]) ? weight_of(clusters[c]) : 0;
    return sum;
  }

  /// A kept loop stays if it agrees with the trajectory. A refused one comes back if it does and a kept loop is near:
  /// far from all of them agreement would say little. True if anything changes.
  bool judge() {
    std::vector<bool> next(loops_.size(), false);
    for (std::size_t i = 0; i < loops_.size(); ++i) {
      const auto chi2 = against_trajectory(i);
      if (!chi2) continue;
      next[i] = *chi2 <= options_.max_loop_chi2;
      LoopJudgement& judgement = result_.judgements[i];
      if (next[i])
        judgement = {LoopOutcome::kept, judgement.evidence, *chi2, options_.max_loop_chi2};
      else if (result_.kept[i] || judgement.outcome == LoopOutcome::too_little_evidence)
        judgement = {LoopOutcome::off_the_trajectory, judgement.evidence, *chi2, options_.max_loop_chi2};
    }
    return std::exchange(result_.kept, next) != next;
  }

  /// None for a refused loop far from all kept ones.
  [[nodiscard]] std::optional<double> against_trajectory(std::size_t i) const {
    const ChainLoop& loop = on_chain_[i];
    ChainLoop estimate{loop.from, loop.to, at(loop.from).between(at(loop.to)), gtsam::Matrix6::Zero()};
    if (!result_.kept[i]) {
      const auto support = nearest_kept(i);
      if (!support) return {};
      // An upper bound of the trajectory's uncertainty here: what this one neighbour and odometry leave of it.
      estimate.covariance = chain_.transported(on_chain_[*support], loop.from, loop.to).covariance;
    }
    return disagreement(estimate, loop);
  }

  [[nodiscard]] gtsam::Pose3 at(std::size_t i) const { return result_.values.at<gtsam::Pose3>(chain_.key(i)); }

  /// For a complete loop, of the complete ones: a partial one cannot tell whether it has slipped along a street.
  [[nodiscard]] std::optional<std::size_t> nearest_kept(std::size_t i) const {
    std::optional<std::size_t> best;
    double least = options_.consistency.window_m;
    for (std::size_t j = 0; j < on_chain_.size(); ++j) {
      if (!result_.kept[j] || (leaves_open(on_chain_[j]) && !leaves_open(on_chain_[i]))) continue;
      const double distance = std::max(std::abs(chain_.path_m(on_chain_[i].from) - chain_.path_m(on_chain_[j].from)),
                                       std::abs(chain_.path_m(on_chain_[i].to) - chain_.path_m(on_chain_[j].to)));
      if (distance < least) best = j, least = distance;
    }
    return best;
  }

  gtsam::NonlinearFactorGraph given_, trusted_;  ///< with the noise as given, and scaled
  std::span<const LoopEdge> loops_;
  const RebuildOptions& options_;
  RebuildResult& result_;
  OdometryChain given_chain_, chain_;  ///< the same
  std::vector<ChainLoop> on_chain_;
};

}  // namespace

void RebuildOptions::validate() const {
  noise.validate();
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
    Rebuild rebuild(anchored(trusted, initial), loops, options, result);
    if (loops.empty())
      rebuild.optimise(Loss::squares);
    else
      rebuild.run();
    const gtsam::NonlinearFactorGraph all = rebuild.graph(Loss::geman_mcclure);
    result.initial_cost = all.error(initial);
    result.cost = all.error(result.values);
  });
  return result;
}

}  // namespace parte::slam
