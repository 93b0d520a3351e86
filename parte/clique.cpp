#include <parte/clique_search.hpp>

#include <algorithm>
#include <stdexcept>

namespace parte {
namespace detail {

Peeling peel(const BitMatrix& graph, std::span<const int> weights) {
  const std::size_t n = graph.size();
  std::vector<std::int64_t> around(n);
  std::int64_t largest = 0;
  for (Index v = 0; v < n; ++v) {
    around[v] = weights[v];
    for_each_bit(graph.row(v), [&](Index u) { around[v] += weights[u]; });
    largest = std::max(largest, around[v]);
  }
  // Buckets by weight, coarser ones for enormous weights (any order gives valid bounds); entries go stale when a
  // weight falls and are skipped when met.
  const std::uint64_t bucket_limit = std::max<std::uint64_t>(65'536, 64 * n);
  const int shift =
      std::max<int>(0, std::bit_width(static_cast<std::uint64_t>(largest)) - std::bit_width(bucket_limit));
  const auto bucket_of = [&](Index v) { return static_cast<std::size_t>(around[v] >> shift); };
  std::vector<std::vector<Index>> buckets(static_cast<std::size_t>(largest >> shift) + 1);
  for (Index v = static_cast<Index>(n); v-- > 0;) buckets[bucket_of(v)].push_back(v);
  Bits left(graph.words(), 0);
  std::int64_t left_weight = 0;
  for (Index v = 0; v < n; ++v) set(left, v), left_weight += weights[v];
  Peeling peeling;
  peeling.order.reserve(n);
  peeling.bound.resize(n);
  std::int64_t level = 0;
  for (std::size_t b = 0; peeling.order.size() < n;) {
    if (buckets[b].empty()) {
      ++b;
      continue;
    }
    const Index v = buckets[b].back();
    buckets[b].pop_back();
    if (!has(left, v) || bucket_of(v) != b) continue;
    level = std::max(level, around[v]);
    if (shift == 0 && around[v] == left_weight) {  // the least surrounded one sees all others: what is left is a clique
      for_each_bit(left, [&](Index u) {
        peeling.order.push_back(u);
        peeling.bound[u] = level;
      });
      break;
    }
    peeling.order.push_back(v);
    peeling.bound[v] = level;
    clear(left, v);
    left_weight -= weights[v];
    for (std::size_t w = 0; w < left.size(); ++w)
      for (Word word = left[w] & graph.row(v)[w]; word != 0; word &= word - 1) {
        const auto u = static_cast<Index>(w * 64 + static_cast<std::size_t>(std::countr_zero(word)));
        around[u] -= weights[v];
        buckets[bucket_of(u)].push_back(u);
        b = std::min(b, bucket_of(u));
      }
  }
  return peeling;
}

}  // namespace detail

namespace {

using namespace detail;

void check(const BitMatrix& graph, std::span<const int> weights, const CliqueOptions& options) {
  options.validate();
  if (weights.size() != graph.size()) throw std::invalid_argument("clique search: one weight per vertex is needed");
  if (std::any_of(weights.begin(), weights.end(), [](int w) { return w <= 0; }))
    throw std::invalid_argument("clique search: weights must be positive");
}

}  // namespace

void CliqueOptions::validate() const {
  if (max_work < 0) throw std::invalid_argument("CliqueOptions::max_work must not be negative");
  if (!(time_limit_s >= 0.0 && time_limit_s <= 1e9))  // more overflows the clock
    throw std::invalid_argument("CliqueOptions::time_limit_s must lie between 0 and 1e9");
}

Clique max_weight_clique(const BitMatrix& graph, std::span<const int> weights, const CliqueOptions& options) {
  check(graph, weights, options);
  Clique best;
  best.proven_optimal = true;
  if (graph.size() == 0) return best;

  Budget budget(options);
  const Peeling peeling = peel(graph, weights);
  best = first_answer(graph, weights, peeling, budget);

  // Each clique is found at its first vertex in the peeling order, among the later neighbours of that vertex. From the
  // well-surrounded end on: heavy cliques come early and dismiss most of the other roots.
  std::vector<std::uint8_t> later(graph.size(), 0);
  for (auto root = peeling.order.rbegin(); root != peeling.order.rend() && !budget.spent(); ++root) {
    const Index v = *root;
    if (peeling.bound[v] > best.weight) {
      std::vector<Index> candidates;
      std::int64_t weight = weights[v];
      for_each_bit(graph.row(v), [&](Index u) {
        if (later[u] && peeling.bound[u] > best.weight) candidates.push_back(u), weight += weights[u];
      });
      if (weight > best.weight) {
        Clique found = heavier_clique(graph, weights, candidates, best.weight - weights[v], budget);
        if (!found.vertices.empty()) {
          found.vertices.push_back(v);
          found.weight += weights[v];
          best = std::move(found);
        }
      }
    }
    later[v] = 1;
  }
  best.proven_optimal = !budget.spent();
  std::sort(best.vertices.begin(), best.vertices.end());
  return best;
}

std::vector<Clique> alternative_cliques(const BitMatrix& graph, std::span<const int> weights, std::size_t count,
                                        const CliqueOptions& options) {
  check(graph, weights, options);
  Budget budget(options);
  std::vector<Clique> cliques;
  const Peeling peeling = peel(graph, weights);
  for (auto root = peeling.order.rbegin(); root != peeling.order.rend() && !budget.spent(); ++root)
    cliques.push_back(clique_through(graph, weights, *root, budget));
  std::sort(cliques.begin(), cliques.end(), [](const Clique& a, const Clique& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.vertices < b.vertices;
  });
  cliques.erase(std::unique(cliques.begin(), cliques.end(),
                            [](const Clique& a, const Clique& b) { return a.vertices == b.vertices; }),
                cliques.end());
  if (cliques.size() > count) cliques.resize(count);
  return cliques;
}

}  // namespace parte
