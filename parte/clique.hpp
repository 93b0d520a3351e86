#pragma once

#include <parte/compatibility.hpp>

#include <limits>

namespace parte {

struct CliqueOptions {
  /// Work allowed, in 64-bit words visited (about a billion a second): unlike a clock it stops every run at the same
  /// place, so results are reproducible.
  std::int64_t max_work = 300'000'000;
  double time_limit_s = 10.0;  ///< [s] safety net on the wall clock, honoured inside the search
  void validate() const;       ///< throws std::invalid_argument naming the field
};

struct Clique {
  std::vector<Index> vertices;  ///< ascending
  std::int64_t weight = 0;
  bool proven_optimal = false;  ///< the search ended by itself, not by a limit
};

/// Maximum-weight clique of a graph with positive integer vertex weights: weighted core numbers, greedy and local
/// search for a first answer, then branch and bound under colouring bounds. Exact unless a limit stops it.
[[nodiscard]] Clique max_weight_clique(const BitMatrix& graph, std::span<const int> weights,
                                       const CliqueOptions& options = {});

/// Other answers: through each vertex the clique that greed finds, heaviest first, no two alike, at most `count`.
/// A wrong plane can carry a wrong clique past the right one; the right one is then among these.
[[nodiscard]] std::vector<Clique> alternative_cliques(const BitMatrix& graph, std::span<const int> weights,
                                                      std::size_t count, const CliqueOptions& options = {});

}  // namespace parte
