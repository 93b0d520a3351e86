#include <slam/loop_evidence.hpp>

#include <slam/pose3.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

namespace parte::slam {
namespace {

using Pair = std::pair<std::size_t, std::size_t>;

/// Steps from a pair of places to the pairs beside it, the nearest first.
constexpr std::array<std::pair<int, int>, 12> kBeside = {
    {{-1, 0}, {1, 0}, {0, -1}, {0, 1}, {-1, -1}, {1, 1}, {-1, 1}, {1, -1}, {-2, 0}, {2, 0}, {0, -2}, {0, 2}}};

/// The pairs beside a loop that there are, at most so many.
std::vector<Pair> pairs_beside(const LoopAttempt& loop, std::size_t places, int count) {
  std::vector<Pair> pairs;
  for (const auto& [df, dt] : kBeside) {
    const auto from = static_cast<std::ptrdiff_t>(loop.from) + df, to = static_cast<std::ptrdiff_t>(loop.to) + dt;
    if (std::ssize(pairs) == count) break;
    if (from >= 0 && from < to && to < static_cast<std::ptrdiff_t>(places)) pairs.emplace_back(from, to);
  }
  return pairs;
}

ChainLoop on_chain(const LoopAttempt& a, const std::vector<Place>& places) {
  return {places[a.from].position, places[a.to].position, to_pose3(a.T_from_to), a.covariance, a.net_evidence()};
}

struct Lone {
  std::size_t attempt = 0;
  double evidence = 0.0;  ///< with the loops that agree with it
};

/// The accepted ones that are in no cluster of enough evidence.
std::vector<Lone> not_believed(const std::vector<LoopAttempt>& attempts, const std::vector<Place>& places,
                               const OdometryChain& chain, const ConsistencyOptions& options) {
  std::vector<ChainLoop> loops;
  std::vector<std::size_t> of_loops;
  for (std::size_t i = 0; i < attempts.size(); ++i)
    if (attempts[i].accepted()) {
      loops.push_back(on_chain(attempts[i], places));
      of_loops.push_back(i);
    }
  const LoopClusters found = cluster_loops(chain, loops, options);
  std::vector<Lone> lone;
  for (std::size_t k = 0; k < loops.size(); ++k)
    if (found.evidence[k] < options.min_evidence) lone.push_back({of_loops[k], found.evidence[k]});
  return lone;
}

/// Of a registration from an expectation: a logistic regression; docs/BENCHMARK.md, "Evidence of loops".
double near_log_odds_of_wrong(const LoopAttempt& a) {
  const double conflict = std::log10(1.005 - a.agreement), overlap = std::log10(a.overlap + 0.001);
  return -0.99 + 4.99 * conflict - 5.03 * overlap + 0.87 * a.sharpness;
}

}  // namespace

double registration_evidence(const LoopAttempt& a) {
  constexpr double kMost = 2.0;  // decades; no more was seen
  if (a.from_estimate) return std::min(kMost, std::log10(1.0 + std::exp(-near_log_odds_of_wrong(a))));
  return std::min(kMost, -std::log10(std::max(1e-9, 1.0 - a.confidence)));
}

double odometry_evidence(double position_sigma_m, double max_chi2, double alias_range_m) {
  const double by_chance = std::sqrt(max_chi2) * position_sigma_m / alias_range_m;
  return std::max(0.0, -std::log10(by_chance));
}

void ask_neighbors(std::vector<LoopAttempt>& attempts, const LoopFinder& finder, const OdometryChain& chain,
                   const std::vector<gtsam::Pose3>& estimates, const ConsistencyOptions& options) {
  const std::vector<Place>& places = finder.places();
  std::map<Pair, std::size_t> tried;
  for (std::size_t i = 0; i < attempts.size(); ++i) tried[{attempts[i].from, attempts[i].to}] = i;
  const std::size_t clustered = attempts.size();  // later ones are in no cluster yet
  for (auto [lone, evidence] : not_believed(attempts, places, chain, options)) {
    attempts[lone].asked = attempts[lone].confirmed = attempts[lone].contradicted = 0;
    attempts[lone].contradiction = 0.0;
    for (const auto& [from, to] : pairs_beside(attempts[lone], places.size(), finder.options().max_neighbors)) {
      if (evidence >= options.min_evidence) break;
      const auto [known, is_new] = tried.try_emplace({from, to}, attempts.size());
      if (is_new) attempts.push_back(finder.try_pair(from, to, chain, estimates));
      LoopAttempt& loop = attempts[lone];
      const LoopAttempt& beside = attempts[known->second];
      ++loop.asked;
      if (!beside.registered()) continue;
      const ChainLoop here = on_chain(loop, places);
      const ChainLoop said = chain.transported(on_chain(beside, places), here.from, here.to);
      const bool agrees = disagreement(said, here) <= options.max_pair_chi2;
      ++(agrees ? loop.confirmed : loop.contradicted);
      if (!agrees) loop.contradiction += beside.evidence;
      if (!agrees) evidence -= beside.evidence;
      if (agrees && beside.accepted() && known->second >= clustered) evidence += beside.evidence;
    }
  }
}

}  // namespace parte::slam
