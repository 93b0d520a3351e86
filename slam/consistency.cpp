#include <slam/consistency.hpp>

#include <parte/clique.hpp>
#include <parte/decompositions.hpp>
#include <parte/require.hpp>
#include <slam/graph_where.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

namespace parte::slam {
namespace {

constexpr double kEvidenceRounding = 1e-9;  // thirty tenths are three

/// Small graphs, many of them; the heuristic's first answer is nearly always the best one.
const CliqueOptions kCliqueLimits{.max_work = 2'000'000, .time_limit_s = 10.0};

bool near(const OdometryChain& chain, const ChainLoop& a, const ChainLoop& b, double window_m) {
  return std::abs(chain.path_m(a.from) - chain.path_m(b.from)) <= window_m &&
         std::abs(chain.path_m(a.to) - chain.path_m(b.to)) <= window_m;
}

/// A partial loop vouches for partial ones alone: a complete one may be wrong just where the other says nothing.
BitMatrix agreement_graph(const OdometryChain& chain, std::span<const ChainLoop> loops,
                          const ConsistencyOptions& options) {
  return graph_where(loops.size(), [&](std::size_t i, std::size_t j) {
    return leaves_open(loops[i]) == leaves_open(loops[j]) && near(chain, loops[i], loops[j], options.window_m) &&
           disagreement(chain.transported(loops[i], loops[j].from, loops[j].to), loops[j]) <= options.max_pair_chi2;
  });
}

/// Loops that are in no cluster yet, and the graph of those that agree.
class Unclustered {
 public:
  Unclustered(BitMatrix graph, std::span<const ChainLoop> loops)
      : graph_(std::move(graph)), loops_(loops), left_(loops.size(), true) {}

  void take(std::size_t i) { left_[i] = false; }
  [[nodiscard]] bool has(std::size_t i) const { return left_[i]; }

  /// Evidence of a loop and of all that agree with it: no clique through it has more.
  [[nodiscard]] double evidence_around(std::size_t i) const {
    double sum = loops_[i].evidence;
    for_agreeing(i, [&](std::size_t j) { sum += loops_[j].evidence; });
    return sum;
  }

  /// The loop with the most evidence around it, the first of equals; none if that is below `least`.
  [[nodiscard]] std::optional<std::size_t> best_surrounded(double least) const {
    std::optional<std::size_t> best;
    double most = 0.0;
    for (std::size_t i = 0; i < loops_.size(); ++i) {
      if (!left_[i]) continue;
      const double evidence = evidence_around(i);
      if (evidence >= least && (!best || evidence > most)) best = i, most = evidence;
    }
    return best;
  }

  /// The clique through the seed with the most evidence, ascending.
  [[nodiscard]] std::vector<std::size_t> clique_through(std::size_t seed) const {
    std::vector<std::size_t> around;
    for_agreeing(seed, [&](std::size_t j) { around.push_back(j); });
    const BitMatrix part =
        graph_where(around.size(), [&](std::size_t i, std::size_t j) { return graph_.test(around[i], around[j]); });
    std::vector<int> weights;
    for (const std::size_t i : around) weights.push_back(weight_of(loops_[i]));
    std::vector<std::size_t> members = {seed};
    for (const Index i : max_weight_clique(part, weights, kCliqueLimits).vertices)
      members.push_back(around[static_cast<std::size_t>(i)]);
    std::sort(members.begin(), members.end());
    return members;
  }

 private:
  /// Whole numbers for the clique search: evidence in hundredths, at least one so that no loop is left out.
  static int weight_of(const ChainLoop& loop) {
    return std::max(1, static_cast<int>(std::lround(100.0 * std::min(loop.evidence, 1000.0))));
  }

  template <class Visit>
  void for_agreeing(std::size_t i, const Visit& visit) const {
    const auto row = graph_.row(i);
    for (std::size_t w = 0; w < row.size(); ++w)
      for (std::uint64_t bits = row[w]; bits != 0; bits &= bits - 1) {
        const std::size_t j = 64 * w + static_cast<std::size_t>(std::countr_zero(bits));
        if (left_[j]) visit(j);
      }
  }

  BitMatrix graph_;
  std::span<const ChainLoop> loops_;
  std::vector<bool> left_;
};

double evidence_of(std::span<const ChainLoop> loops, const std::vector<std::size_t>& members) {
  double sum = 0.0;
  for (const std::size_t m : members) sum += loops[m].evidence;
  return sum;
}

/// The members' word about the seed's two poses, each weighed by how surely it gets there. Errors of neighbouring loops
/// are alike (the same walls), so the mean keeps the uncertainty of one loop.
ChainLoop mean_at(const OdometryChain& chain, std::span<const ChainLoop> loops, const std::vector<std::size_t>& members,
                  const ChainLoop& seed) {
  gtsam::Matrix6 information = gtsam::Matrix6::Zero();
  gtsam::Vector6 sum = gtsam::Vector6::Zero();
  for (const std::size_t m : members) {
    const ChainLoop there = chain.transported(loops[m], seed.from, seed.to);
    const gtsam::Matrix6 weight = inverse(there.covariance);
    information += weight;
    sum += weight * gtsam::Pose3::Logmap(seed.T_from_to.between(there.T_from_to));
  }
  ChainLoop mean = seed;
  mean.T_from_to = seed.T_from_to * gtsam::Pose3::Expmap(solve_symmetric(information, sum));
  return mean;
}

}  // namespace

void ConsistencyOptions::validate() const {
  require_positive(window_m, "ConsistencyOptions::window_m");
  require_positive(max_pair_chi2, "ConsistencyOptions::max_pair_chi2");
  require_positive(max_cluster_chi2, "ConsistencyOptions::max_cluster_chi2");
  require_positive(min_evidence, "ConsistencyOptions::min_evidence");
}

LoopClusters cluster_loops(const OdometryChain& chain, std::span<const ChainLoop> loops,
                           const ConsistencyOptions& options) {
  options.validate();
  const double least = options.min_evidence - kEvidenceRounding;
  Unclustered left(agreement_graph(chain, loops, options), loops);
  LoopClusters result;
  result.evidence.resize(loops.size());
  while (const auto seed = left.best_surrounded(least)) {
    std::vector<std::size_t> members = left.clique_through(*seed);
    const double evidence = evidence_of(loops, members);
    if (evidence < least) members = {*seed};
    for (const std::size_t m : members) {
      result.evidence[m] = evidence;
      left.take(m);
    }
    if (evidence >= least) result.clusters.push_back({members, mean_at(chain, loops, members, loops[*seed]), evidence});
  }
  for (std::size_t i = 0; i < loops.size(); ++i)
    if (left.has(i)) result.evidence[i] = left.evidence_around(i);
  return result;
}

}  // namespace parte::slam
