#include <parte/clique_search.hpp>

#include <algorithm>

namespace parte::detail {
namespace {

/// Grows a clique through the vertices in the given order, taking every one that fits.
Clique greedy(const BitMatrix& graph, std::span<const int> weights, std::span<const Index> order, Index first,
              Budget& budget) {
  const auto row = graph.row(first);
  Bits candidates(row.begin(), row.end());
  Clique clique{{first}, weights[first], false};
  for (const Index v : order) {
    if (!has(candidates, v)) continue;
    if (!budget.spend(candidates.size())) break;
    clique.vertices.push_back(v);
    clique.weight += weights[v];
    for (std::size_t w = 0; w < candidates.size(); ++w) candidates[w] &= graph.row(v)[w];
  }
  return clique;
}

/// Local search: add what fits; else swap one member for an outsider that conflicts with it alone, never back at once.
class LocalSearch {
 public:
  LocalSearch(const BitMatrix& graph, std::span<const int> weights, const Clique& start)
      : graph_(graph),
        weights_(weights),
        member_(graph.size(), 0),
        conflicts_(graph.size(), 0),
        blocked_until_(graph.size(), 0) {
    for (const Index v : start.vertices) insert(v);
  }

  Clique run(int moves, Budget& budget) {
    Clique best = current();
    for (int move = 1; move <= moves; ++move) {
      if (!budget.spend(graph_.size() / 4 + graph_.words())) break;
      const Index v = choose(move);
      if (v == kNone) break;
      if (conflicts_[v] > 0) evict_rival(v, move);
      insert(v);
      if (weight_ > best.weight) best = current();
    }
    return best;
  }

 private:
  static constexpr Index kNone = ~Index{0};
  static constexpr int kTenure = 7;

  Index choose(int move) const {
    Index best = kNone;
    for (Index v = 0; v < graph_.size(); ++v) {
      if (member_[v] || conflicts_[v] > 1 || blocked_until_[v] > move) continue;
      const bool better = best == kNone || conflicts_[v] < conflicts_[best] ||
                          (conflicts_[v] == conflicts_[best] && weights_[v] > weights_[best]);
      if (better) best = v;
    }
    return best;
  }
  void evict_rival(Index v, int move) {
    for (Index u = 0; u < graph_.size(); ++u)
      if (member_[u] && !graph_.test(v, u)) {
        blocked_until_[u] = move + kTenure;
        member_[u] = 0;
        weight_ -= weights_[u];
        shift_conflicts(u, -1);
        return;
      }
  }
  void insert(Index v) {
    member_[v] = 1;
    weight_ += weights_[v];
    shift_conflicts(v, +1);
  }
  void shift_conflicts(Index v, int change) {
    const auto row = graph_.row(v);
    for (Index u = 0; u < graph_.size(); ++u) conflicts_[u] += has(row, u) || u == v ? 0 : change;
  }
  Clique current() const {
    Clique clique{{}, weight_, false};
    for (Index v = 0; v < graph_.size(); ++v)
      if (member_[v]) clique.vertices.push_back(v);
    return clique;
  }

  const BitMatrix& graph_;
  std::span<const int> weights_;
  std::vector<std::uint8_t> member_;
  std::vector<int> conflicts_;  // members not adjacent
  std::vector<int> blocked_until_;
  std::int64_t weight_ = 0;
};

void keep_better(Clique& best, Clique other) {
  if (other.weight > best.weight) best = std::move(other);
}

}  // namespace

Clique first_answer(const BitMatrix& graph, std::span<const int> weights, const Peeling& peeling, Budget& budget) {
  std::vector<Index> by_bound(peeling.order.rbegin(), peeling.order.rend());
  Clique best;
  constexpr std::size_t kStarts = 64;
  for (std::size_t s = 0; s < std::min(kStarts, by_bound.size()) && !budget.spent(); ++s)
    keep_better(best, greedy(graph, weights, by_bound, by_bound[s], budget));
  keep_better(best, LocalSearch(graph, weights, best).run(500, budget));
  return best;
}

Clique clique_through(const BitMatrix& graph, std::span<const int> weights, Index root, Budget& budget) {
  const auto row = graph.row(root);
  Bits candidates(row.begin(), row.end());
  Clique clique{{root}, weights[root], false};
  while (true) {
    Index best = 0;
    std::int64_t most = -1;
    std::size_t seen = 0;
    for_each_bit(candidates, [&](Index u) {
      std::int64_t reach = 0;
      for (std::size_t w = 0; w < candidates.size(); ++w) reach += std::popcount(candidates[w] & graph.row(u)[w]);
      reach += 3 * (weights[u] - 1);  // a plane of weight w stands for w nodes, which would each be in reach
      if (reach > most) most = reach, best = u;
      ++seen;
    });
    if (most < 0 || !budget.spend(seen * candidates.size())) break;
    clique.vertices.push_back(best);
    clique.weight += weights[best];
    for (std::size_t w = 0; w < candidates.size(); ++w) candidates[w] &= graph.row(best)[w];
  }
  std::sort(clique.vertices.begin(), clique.vertices.end());
  return clique;
}

}  // namespace parte::detail
