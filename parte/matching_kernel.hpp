#pragma once

#include <cstdint>

namespace parte::detail {

inline constexpr int kTileLanes = 16;  ///< targets side by side
inline constexpr int kTileRows = 4;    ///< sources side by side

/// Nearest neighbours in both directions between `row_count` descriptors of `dimensions` floats (a multiple of
/// kTileRows, row-major) and targets in tiles of kTileLanes, one line per dimension. Distances leave out the squared
/// norm of the query, which is the same for all its candidates, and carry the rounding of a difference of large
/// numbers: the caller compares the few that are left exactly. Columns keep what they hold already if it is nearer.
struct NearestBothWays {
  int dimensions;
  const float* rows;
  const float* row_norms;  ///< squared
  int row_count;
  std::int32_t first_row;  ///< name of the first row in column_index
  const float* tiles;
  const float* tile_norms;  ///< squared
  int tile_count;
  std::int32_t* row_index;  ///< out, kTileLanes per row: the nearest of the targets in each lane, -1 for none
  float* column_distance;   ///< in and out, per target
  std::int32_t* column_index;
};
void nearest_both_ways(const NearestBothWays& problem);

}  // namespace parte::detail
