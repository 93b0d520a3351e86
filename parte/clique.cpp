#include <parte/clique.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#include <deque>
#include <numeric>
#include <stdexcept>

namespace parte {
namespace {

using Word = std::uint64_t;
using Bits = std::vector<Word>;
using Clock = std::chrono::steady_clock;

template <class Visit>
void for_each_bit(std::span<const Word> bits, Visit&& visit) {
  for (std::size_t w = 0; w < bits.size(); ++w)
    for (Word word = bits[w]; word != 0; word &= word - 1)
      visit(static_cast<Index>(w * 64 + static_cast<std::size_t>(std::countr_zero(word))));
}

bool has(std::span<const Word> bits, Index i) { return (bits[i / 64] >> (i % 64)) & 1u; }
void set(std::span<Word> bits, Index i) { bits[i / 64] |= Word{1} << (i % 64); }
void clear(std::span<Word> bits, Index i) { bits[i / 64] &= ~(Word{1} << (i % 64)); }

/// What the search may still spend. The clock is read rarely; once spent, it stays spent.
class Budget {
 public:
  explicit Budget(const CliqueOptions& options)
      : work_left_(options.max_work),
        deadline_(Clock::now() +
                  std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.time_limit_s))) {}
  bool spend(std::size_t words) {
    work_left_ -= static_cast<std::int64_t>(words);
    since_clock_ += words;
    if (since_clock_ > 1'000'000) {
      since_clock_ = 0;
      if (Clock::now() > deadline_) work_left_ = -1;
    }
    return work_left_ >= 0;
  }
  [[nodiscard]] bool spent() const { return work_left_ < 0; }

 private:
  std::int64_t work_left_;
  std::size_t since_clock_ = 0;
  Clock::time_point deadline_;
};

struct Peeling {
  std::vector<Index> order;         // lightest surroundings first
  std::vector<std::int64_t> bound;  // per vertex: heaviest clique it can be in, by its weighted core number
};

/// Removes, again and again, the vertex with the least weight left around it. No clique that holds v outweighs the
/// largest such weight seen until v goes (the weighted core number of v, plus v).
Peeling peel(const BitMatrix& graph, std::span<const int> weights) {
  const std::size_t n = graph.size();
  std::vector<std::int64_t> around(n);
  std::int64_t largest = 0;
  for (Index v = 0; v < n; ++v) {
    around[v] = weights[v];
    for_each_bit(graph.row(v), [&](Index u) { around[v] += weights[u]; });
    largest = std::max(largest, around[v]);
  }
  // Buckets by weight; entries go stale when a weight falls and are skipped when met.
  std::vector<std::vector<Index>> buckets(static_cast<std::size_t>(largest) + 1);
  for (Index v = static_cast<Index>(n); v-- > 0;) buckets[static_cast<std::size_t>(around[v])].push_back(v);
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
    if (!has(left, v) || around[v] != static_cast<std::int64_t>(b)) continue;
    level = std::max(level, around[v]);
    if (around[v] == left_weight) {  // the least surrounded one sees all others: what is left is a clique
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
        buckets[static_cast<std::size_t>(around[u])].push_back(u);
        b = std::min(b, static_cast<std::size_t>(around[u]));
      }
  }
  return peeling;
}

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

/// Branch and bound inside one root's candidates, relabelled so that bitsets are short.
class Subproblem {
 public:
  Subproblem(const BitMatrix& graph, std::span<const int> weights, std::span<const Index> candidates, Budget& budget)
      : names_(candidates.begin(), candidates.end()), budget_(budget) {
    // Well-connected vertices first: colouring then needs few classes. The stable sort keeps ties reproducible.
    const BitMatrix induced = induce(graph, names_);
    std::vector<std::size_t> degree(names_.size()), by_degree(names_.size());
    for (std::size_t i = 0; i < names_.size(); ++i)
      for (const Word w : induced.row(i)) degree[i] += static_cast<std::size_t>(std::popcount(w));
    std::iota(by_degree.begin(), by_degree.end(), std::size_t{0});
    std::stable_sort(by_degree.begin(), by_degree.end(), [&](auto a, auto b) { return degree[a] > degree[b]; });
    std::vector<Index> names;
    for (const std::size_t i : by_degree) names.push_back(names_[i]);
    names_ = std::move(names);
    graph_ = induce(graph, names_);
    for (const Index v : names_) weights_.push_back(weights[v]);
    budget_.spend(2 * names_.size() * graph_.words() * 8);
  }

  /// The heaviest clique heavier than `to_beat`, as vertices of the full graph; empty if there is none.
  std::vector<Index> solve(std::int64_t to_beat) {
    best_weight_ = to_beat;
    Bits all(graph_.words(), 0);
    for (Index v = 0; v < names_.size(); ++v) set(all, v);
    expand(all, 0, 0);
    std::vector<Index> clique;
    for (const Index v : best_) clique.push_back(names_[v]);
    return clique;
  }
  [[nodiscard]] std::int64_t best_weight() const { return best_weight_; }

 private:
  struct Branch {
    Index vertex;
    std::int64_t bound;  // of any clique within this vertex and all before it
  };
  struct Level {
    Bits candidates, next, uncolored, color_class;
    std::vector<Branch> branches;
  };

  static BitMatrix induce(const BitMatrix& graph, const std::vector<Index>& names) {
    BitMatrix induced(names.size());
    for (std::size_t i = 0; i < names.size(); ++i) {
      const auto row = graph.row(names[i]);
      const auto out = induced.row(i);
      for (std::size_t j = 0; j < names.size(); ++j) out[j / 64] |= static_cast<Word>(has(row, names[j])) << (j % 64);
    }
    return induced;
  }

  /// Greedy colouring: a class holds no two neighbours, so a clique takes at most the heaviest of each class.
  /// Only vertices whose bound exceeds `slack` need branching; the others come first and are left out.
  void color(std::span<const Word> candidates, std::int64_t slack, Level& level) {
    level.uncolored.assign(candidates.begin(), candidates.end());
    level.branches.clear();
    std::int64_t bound = 0;
    std::size_t first_word = 0;
    while (true) {
      while (first_word < level.uncolored.size() && level.uncolored[first_word] == 0) ++first_word;
      if (first_word == level.uncolored.size()) return;
      level.color_class = level.uncolored;
      int heaviest = 0;
      const std::size_t class_begin = level.branches.size();
      for (std::size_t w = first_word; w < level.color_class.size(); ++w)
        while (level.color_class[w] != 0) {
          const auto v = static_cast<Index>(w * 64 + static_cast<std::size_t>(std::countr_zero(level.color_class[w])));
          clear(level.uncolored, v);
          clear(level.color_class, v);
          const auto row = graph_.row(v);
          for (std::size_t k = w; k < level.color_class.size(); ++k) level.color_class[k] &= ~row[k];
          if (!budget_.spend(level.color_class.size() - w)) return;
          heaviest = std::max(heaviest, weights_[v]);
          level.branches.push_back({v, 0});
        }
      bound += heaviest;
      if (bound <= slack)
        level.branches.resize(class_begin);
      else
        for (std::size_t b = class_begin; b < level.branches.size(); ++b) level.branches[b].bound = bound;
    }
  }

  void expand(std::span<const Word> candidates, std::int64_t weight, std::size_t depth) {
    if (levels_.size() <= depth) levels_.emplace_back();
    Level& level = levels_[depth];
    color(candidates, best_weight_ - weight, level);
    Bits& remaining = level.candidates;
    remaining.assign(candidates.begin(), candidates.end());
    level.next.resize(remaining.size());
    while (!level.branches.empty()) {
      const auto [v, bound] = level.branches.back();
      level.branches.pop_back();
      if (weight + bound <= best_weight_ || budget_.spent()) return;
      chosen_.push_back(v);
      const std::int64_t heavier = weight + weights_[v];
      if (heavier > best_weight_) best_weight_ = heavier, best_ = chosen_;
      Word any = 0;
      for (std::size_t w = 0; w < remaining.size(); ++w) any |= level.next[w] = remaining[w] & graph_.row(v)[w];
      if (any != 0) expand(level.next, heavier, depth + 1);
      chosen_.pop_back();
      clear(remaining, v);
    }
  }

  std::vector<Index> names_;
  BitMatrix graph_;
  std::vector<int> weights_;
  Budget& budget_;
  std::deque<Level> levels_;  // a deque, so that levels stay in place while deeper ones are added
  std::vector<Index> chosen_, best_;
  std::int64_t best_weight_ = 0;
};

void keep_better(Clique& best, Clique other) {
  if (other.weight > best.weight) best = std::move(other);
}

/// A good clique quickly: greedy runs from the best-surrounded vertices, then local search.
Clique first_answer(const BitMatrix& graph, std::span<const int> weights, const Peeling& peeling, Budget& budget) {
  std::vector<Index> by_bound(peeling.order.rbegin(), peeling.order.rend());
  Clique best;
  constexpr std::size_t kStarts = 64;
  for (std::size_t s = 0; s < std::min(kStarts, by_bound.size()) && !budget.spent(); ++s)
    keep_better(best, greedy(graph, weights, by_bound, by_bound[s], budget));
  keep_better(best, LocalSearch(graph, weights, best).run(500, budget));
  return best;
}

/// The greedy clique through `root`: always the candidate with most weight in reach next.
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

void check(const BitMatrix& graph, std::span<const int> weights, const CliqueOptions& options) {
  options.validate();
  if (weights.size() != graph.size()) throw std::invalid_argument("clique search: one weight per vertex is needed");
  if (std::any_of(weights.begin(), weights.end(), [](int w) { return w <= 0; }))
    throw std::invalid_argument("clique search: weights must be positive");
}

}  // namespace

void CliqueOptions::validate() const {
  if (max_work < 0) throw std::invalid_argument("CliqueOptions::max_work must not be negative");
  if (!(time_limit_s >= 0.0)) throw std::invalid_argument("CliqueOptions::time_limit_s must not be negative");
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
        Subproblem subproblem(graph, weights, candidates, budget);
        if (auto found = subproblem.solve(best.weight - weights[v]); !found.empty()) {
          found.push_back(v);
          best.vertices = std::move(found);
          best.weight = subproblem.best_weight() + weights[v];
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
