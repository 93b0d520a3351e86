#include <slam/consistency.hpp>

#include <parte/clique.hpp>
#include <parte/require.hpp>
#include <slam/graph_where.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

namespace parte::slam {
namespace {

/// Small graphs, many of them; the heuristic's first answer is nearly always the best one.
const CliqueOptions kCliqueLimits{.max_work = 2'000'000, .time_limit_s = 10.0};

bool near(const OdometryChain& chain, const ChainLoop& a, const ChainLoop& b, double window_m) {
  return std::abs(chain.path_m(a.from) - chain.path_m(b.from)) <= window_m &&
         std::abs(chain.path_m(a.to) - chain.path_m(b.to)) <= window_m;
}

BitMatrix agreement_graph(const OdometryChain& chain, std::span<const ChainLoop> loops,
                          const ConsistencyOptions& options) {
  return graph_where(loops.size(), [&](std::size_t i, std::size_t j) {
    return near(chain, loops[i], loops[j], options.window_m) &&
           disagreement(chain.transported(loops[i], loops[j].from, loops[j].to), loops[j]) <= options.max_pair_chi2;
  });
}

using Mask = std::vector<std::uint64_t>;

std::size_t common(std::span<const std::uint64_t> row, const Mask& mask) {
  std::size_t count = 0;
  for (std::size_t w = 0; w < mask.size(); ++w) count += static_cast<std::size_t>(std::popcount(row[w] & mask[w]));
  return count;
}

void clear(Mask& mask, std::size_t i) { mask[i / 64] &= ~(std::uint64_t{1} << (i % 64)); }
bool test(const Mask& mask, std::size_t i) { return (mask[i / 64] >> (i % 64)) & 1u; }

/// The vertex with the most neighbours among those left, the first of equals; none if that is fewer than `least`.
std::optional<std::size_t> best_surrounded(const BitMatrix& graph, const Mask& left, std::size_t least) {
  std::optional<std::size_t> best;
  std::size_t most = 0;
  for (std::size_t i = 0; i < graph.size(); ++i) {
    if (!test(left, i)) continue;
    const std::size_t degree = common(graph.row(i), left);
    if (degree >= least && (!best || degree > most)) best = i, most = degree;
  }
  return best;
}

/// The largest clique through the seed among the vertices left, ascending.
std::vector<std::size_t> clique_through(const BitMatrix& graph, const Mask& left, std::size_t seed) {
  std::vector<std::size_t> around;
  for (std::size_t i = 0; i < graph.size(); ++i)
    if (test(left, i) && graph.test(seed, i)) around.push_back(i);
  const BitMatrix part =
      graph_where(around.size(), [&](std::size_t i, std::size_t j) { return graph.test(around[i], around[j]); });
  const std::vector<int> weights(around.size(), 1);
  std::vector<std::size_t> members = {seed};
  for (const Index i : max_weight_clique(part, weights, kCliqueLimits).vertices)
    members.push_back(around[static_cast<std::size_t>(i)]);
  std::sort(members.begin(), members.end());
  return members;
}

/// The members' word about the seed's two poses, each weighed by how surely it gets there. Errors of neighbouring loops
/// are alike (the same walls), so the mean keeps the uncertainty of one loop.
ChainLoop mean_at(const OdometryChain& chain, std::span<const ChainLoop> loops, const std::vector<std::size_t>& members,
                  const ChainLoop& seed) {
  gtsam::Matrix6 information = gtsam::Matrix6::Zero();
  gtsam::Vector6 sum = gtsam::Vector6::Zero();
  for (const std::size_t m : members) {
    const ChainLoop there = chain.transported(loops[m], seed.from, seed.to);
    const gtsam::Matrix6 weight = there.covariance.inverse();
    information += weight;
    sum += weight * gtsam::Pose3::Logmap(seed.T_from_to.between(there.T_from_to));
  }
  ChainLoop mean = seed;
  mean.T_from_to = seed.T_from_to * gtsam::Pose3::Expmap(information.ldlt().solve(sum));
  return mean;
}

}  // namespace

void ConsistencyOptions::validate() const {
  require_positive(window_m, "ConsistencyOptions::window_m");
  require_positive(max_pair_chi2, "ConsistencyOptions::max_pair_chi2");
  require_positive(max_cluster_chi2, "ConsistencyOptions::max_cluster_chi2");
  require(min_support >= 1, "ConsistencyOptions::min_support must be at least 1");
}

std::vector<LoopCluster> cluster_loops(const OdometryChain& chain, std::span<const ChainLoop> loops,
                                       const ConsistencyOptions& options) {
  options.validate();
  const BitMatrix graph = agreement_graph(chain, loops, options);
  const auto support = static_cast<std::size_t>(options.min_support);
  Mask left(graph.words(), 0);
  for (std::size_t i = 0; i < loops.size(); ++i) left[i / 64] |= std::uint64_t{1} << (i % 64);
  std::vector<LoopCluster> clusters;
  while (const auto seed = best_surrounded(graph, left, support - 1)) {
    const auto members = clique_through(graph, left, *seed);
    clear(left, *seed);
    if (members.size() < support) continue;
    for (const std::size_t m : members) clear(left, m);
    clusters.push_back({members, mean_at(chain, loops, members, loops[*seed])});
  }
  return clusters;
}

}  // namespace parte::slam
