#pragma once

// Internal: the parts of the clique search, in the order in which max_weight_clique uses them.

#include <parte/clique.hpp>

#include <bit>
#include <chrono>

namespace parte::detail {

using Word = std::uint64_t;
using Bits = std::vector<Word>;
using Clock = std::chrono::steady_clock;

template <class Visit>
void for_each_bit(std::span<const Word> bits, Visit&& visit) {
  for (std::size_t w = 0; w < bits.size(); ++w)
    for (Word word = bits[w]; word != 0; word &= word - 1)
      visit(static_cast<Index>(w * 64 + static_cast<std::size_t>(std::countr_zero(word))));
}

inline bool has(std::span<const Word> bits, Index i) { return (bits[i / 64] >> (i % 64)) & 1u; }
inline void set(std::span<Word> bits, Index i) { bits[i / 64] |= Word{1} << (i % 64); }
inline void clear(std::span<Word> bits, Index i) { bits[i / 64] &= ~(Word{1} << (i % 64)); }

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
[[nodiscard]] Peeling peel(const BitMatrix& graph, std::span<const int> weights);

/// A good clique quickly: greedy runs from the best-surrounded vertices, then local search.
[[nodiscard]] Clique first_answer(const BitMatrix& graph, std::span<const int> weights, const Peeling& peeling,
                                  Budget& budget);

/// The greedy clique through `root`: always the candidate with most weight in reach next.
[[nodiscard]] Clique clique_through(const BitMatrix& graph, std::span<const int> weights, Index root, Budget& budget);

/// Branch and bound among `candidates`: the heaviest clique heavier than `to_beat`, or an empty one.
[[nodiscard]] Clique heavier_clique(const BitMatrix& graph, std::span<const int> weights,
                                    std::span<const Index> candidates, std::int64_t to_beat, Budget& budget);

}  // namespace parte::detail
