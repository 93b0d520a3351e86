#pragma once

#include <parte/compatibility.hpp>

#include <tbb/parallel_for.h>

namespace parte::slam {

/// The graph of n vertices that joins i < j where joined(i, j), which is asked from many threads at once.
template <class Joined>
[[nodiscard]] BitMatrix graph_where(std::size_t n, const Joined& joined) {
  BitMatrix graph(n);
  tbb::parallel_for(std::size_t{0}, n, [&](std::size_t i) {  // each row has one writer
    const auto row = graph.row(i);
    for (std::size_t j = i + 1; j < n; ++j)
      if (joined(i, j)) row[j / 64] |= std::uint64_t{1} << (j % 64);
  });
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j)
      if (graph.test(i, j)) graph.connect(i, j);
  return graph;
}

}  // namespace parte::slam
