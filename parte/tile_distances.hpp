#pragma once

#include <parte/descriptor_search.hpp>

#include <cstddef>

/// The innermost loop of descriptor_search, and no Eigen type in it: one kernel for any machine, one for AVX2.
namespace parte::detail {

inline constexpr std::size_t kLanes = 16;   // rows in a tile
inline constexpr std::size_t kQueries = 4;  // searched for together
/// Coordinates that are enough to dismiss most rows: 90 % of the variance of FPFH.
inline constexpr std::size_t kFirst = 8;

/// Squared distances of kQueries rows from those of a tile, [query][lane]. `first` has kFirst lines of kLanes
/// coordinates, `rest` the others. False, and nothing written, if the first coordinates, or all of them, leave every
/// distance above its row's limit.
using TileKernel = bool (*)(const float* first, const float* rest, const float* queries, const float* limits,
                            float* distances);

bool tile_distances_portable(const float* first, const float* rest, const float* queries, const float* limits,
                             float* distances);
/// The kernel for AVX2; null where this machine has none.
[[nodiscard]] TileKernel tile_kernel_avx2();

/// By the faster of them.
bool tile_distances(const float* first, const float* rest, const float* queries, const float* limits, float* distances);

}  // namespace parte::detail
