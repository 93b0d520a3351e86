#include <parte/clique_search.hpp>

#include <algorithm>
#include <deque>
#include <numeric>

namespace parte::detail {
namespace {

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
    budget_.spend(2 * names_.size() * names_.size());  // bit by bit, twice
  }

  /// As vertices of the full graph; empty if nothing beats `to_beat`.
  Clique solve(std::int64_t to_beat) {
    best_weight_ = to_beat;
    Bits all(graph_.words(), 0);
    for (Index v = 0; v < names_.size(); ++v) set(all, v);
    expand(all, 0, 0);
    Clique clique{{}, best_.empty() ? 0 : best_weight_, false};
    for (const Index v : best_) clique.vertices.push_back(names_[v]);
    return clique;
  }

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

}  // namespace

Clique heavier_clique(const BitMatrix& graph, std::span<const int> weights, std::span<const Index> candidates,
                      std::int64_t to_beat, Budget& budget) {
  return Subproblem(graph, weights, candidates, budget).solve(to_beat);
}

}  // namespace parte::detail
