#include <parte/matching.hpp>

#include <parte/matching_kernel.hpp>

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace parte {
namespace {

using detail::kTileLanes;
using detail::kTileRows;
constexpr float kFar = std::numeric_limits<float>::max();

/// Nearest neighbour so far, by exact distances.
struct Nearest {
  double distance = std::numeric_limits<double>::infinity();
  std::int32_t index = -1;
  void offer(double d, std::int32_t i) {
    if (d < distance || (d == distance && i < index)) distance = d, index = i;
  }
};

double squared_distance(const float* a, const float* b) {
  double sum = 0.0;
  for (int k = 0; k < kFpfhSize; ++k) sum += (static_cast<double>(a[k]) - b[k]) * (static_cast<double>(a[k]) - b[k]);
  return sum;
}

/// Targets in tiles of kTileLanes, one line per dimension, so that a tile meets a source row in kFpfhSize
/// multiply-adds of whole vectors. Missing targets have an unreachable norm.
struct Tiles {
  std::vector<float> values;
  std::vector<float> squared_norms;
  int count = 0;
};

Tiles make_tiles(const FpfhMatrix& rows) {
  Tiles tiles;
  tiles.count = static_cast<int>((rows.rows() + kTileLanes - 1) / kTileLanes);
  tiles.values.assign(static_cast<std::size_t>(tiles.count) * kTileLanes * kFpfhSize, 0.0f);
  tiles.squared_norms.assign(static_cast<std::size_t>(tiles.count) * kTileLanes, kFar);
  for (Eigen::Index j = 0; j < rows.rows(); ++j) {
    float* tile = tiles.values.data() + (j / kTileLanes) * kTileLanes * kFpfhSize + j % kTileLanes;
    for (int k = 0; k < kFpfhSize; ++k) tile[k * kTileLanes] = rows(j, k);
    const float squared = rows.row(j).squaredNorm();
    if (squared > 0.0f) tiles.squared_norms[static_cast<std::size_t>(j)] = squared;
  }
  return tiles;
}

struct MutualSearch {
  std::vector<std::int32_t> row_nearest;
  std::vector<Nearest> column_nearest;
};

/// Fixed chunks of source rows, each with column minima of its own, joined in order: the same on any thread count.
MutualSearch search_both_ways(const FpfhMatrix& source, const FpfhMatrix& target) {
  constexpr std::size_t kChunk = 512;
  const Tiles tiles = make_tiles(target);
  const auto rows = static_cast<std::size_t>(source.rows());
  const std::size_t columns = tiles.squared_norms.size(), chunks = (rows + kChunk - 1) / kChunk;
  MutualSearch result{std::vector<std::int32_t>(rows, -1), std::vector<Nearest>(columns)};
  std::vector<std::vector<float>> column_distance(chunks);
  std::vector<std::vector<std::int32_t>> column_index(chunks);
  tbb::parallel_for(std::size_t{0}, chunks, [&](std::size_t c) {
    const std::size_t first = c * kChunk, count = std::min(kChunk, rows - first);
    const std::size_t padded = (count + kTileRows - 1) / kTileRows * kTileRows;
    std::vector<float> block(padded * kFpfhSize, 0.0f), norms(padded, kFar);
    std::vector<std::int32_t> index(padded * kTileLanes);
    std::copy_n(source.data() + first * kFpfhSize, count * kFpfhSize, block.data());
    for (std::size_t r = 0; r < count; ++r) {
      const float squared = source.row(static_cast<Eigen::Index>(first + r)).squaredNorm();
      if (squared > 0.0f) norms[r] = squared;
    }
    column_distance[c].assign(columns, kFar);
    column_index[c].assign(columns, -1);
    detail::nearest_both_ways({kFpfhSize, block.data(), norms.data(), static_cast<int>(padded),
                               static_cast<std::int32_t>(first), tiles.values.data(), tiles.squared_norms.data(),
                               tiles.count, index.data(), column_distance[c].data(), column_index[c].data()});
    for (std::size_t r = 0; r < count; ++r) {
      if (norms[r] == kFar) continue;  // no descriptor
      Nearest nearest;
      for (int lane = 0; lane < kTileLanes; ++lane)
        if (const std::int32_t j = index[r * kTileLanes + static_cast<std::size_t>(lane)]; j >= 0)
          nearest.offer(squared_distance(source.row(static_cast<Eigen::Index>(first + r)).data(), target.row(j).data()),
                        j);
      result.row_nearest[first + r] = nearest.index;
    }
  });
  for (std::size_t c = 0; c < chunks; ++c)
    for (std::size_t j = 0; j < columns; ++j)
      if (const std::int32_t i = column_index[c][j]; i >= 0 && static_cast<Eigen::Index>(j) < target.rows())
        result.column_nearest[j].offer(
            squared_distance(source.row(i).data(), target.row(static_cast<Eigen::Index>(j)).data()), i);
  return result;
}

}  // namespace

std::vector<Match> match_points(const FpfhMatrix& source, const FpfhMatrix& target) {
  std::vector<Match> matches;
  if (source.rows() == 0 || target.rows() == 0) return matches;
  const MutualSearch nearest = search_both_ways(source, target);
  for (std::size_t i = 0; i < nearest.row_nearest.size(); ++i) {
    const std::int32_t j = nearest.row_nearest[i];
    if (j < 0 || static_cast<Eigen::Index>(j) >= target.rows()) continue;
    const Nearest& back = nearest.column_nearest[static_cast<std::size_t>(j)];
    if (back.index == static_cast<std::int32_t>(i)) matches.push_back({static_cast<Index>(i), static_cast<Index>(j)});
  }
  return matches;
}

}  // namespace parte
