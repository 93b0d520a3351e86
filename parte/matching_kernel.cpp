#include <parte/matching_kernel.hpp>

#include <cstddef>
#include <limits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace parte::detail {
namespace {

constexpr float kFar = std::numeric_limits<float>::max();

/// Per lane, the nearest tile so far of each of the kTileRows rows at work.
struct LaneBest {
  alignas(32) float distance[kTileRows][kTileLanes];
  alignas(32) std::int32_t tile[kTileRows][kTileLanes];
  LaneBest() {
    for (int r = 0; r < kTileRows; ++r)
      for (int j = 0; j < kTileLanes; ++j) distance[r][j] = kFar, tile[r][j] = -1;
  }
  void write(int r, std::int32_t* out) const {
    for (int j = 0; j < kTileLanes; ++j) out[j] = tile[r][j] < 0 ? -1 : tile[r][j] * kTileLanes + j;
  }
};

void compare_tile(const NearestBothWays& p, int row, int tile, LaneBest& best) {
  const float* values = p.tiles + static_cast<std::size_t>(tile) * kTileLanes * p.dimensions;
  float* column = p.column_distance + tile * kTileLanes;
  std::int32_t* column_at = p.column_index + tile * kTileLanes;
  const float* norms = p.tile_norms + tile * kTileLanes;
  for (int r = 0; r < kTileRows; ++r) {
    const float* a = p.rows + static_cast<std::size_t>(row + r) * p.dimensions;
    float dot[kTileLanes] = {};
    for (int k = 0; k < p.dimensions; ++k)
      for (int j = 0; j < kTileLanes; ++j) dot[j] += a[k] * values[k * kTileLanes + j];
    for (int j = 0; j < kTileLanes; ++j) {
      const float to_target = norms[j] - 2.0f * dot[j], to_source = p.row_norms[row + r] - 2.0f * dot[j];
      if (to_target < best.distance[r][j]) best.distance[r][j] = to_target, best.tile[r][j] = tile;
      if (to_source < column[j]) column[j] = to_source, column_at[j] = p.first_row + row + r;
    }
  }
}

void run_portable(const NearestBothWays& p) {
  for (int row = 0; row < p.row_count; row += kTileRows) {
    LaneBest best;
    for (int tile = 0; tile < p.tile_count; ++tile) compare_tile(p, row, tile, best);
    for (int r = 0; r < kTileRows; ++r) best.write(r, p.row_index + (row + r) * kTileLanes);
  }
}

#if defined(__x86_64__)

// By hand: compilers keep the eight accumulators in registers only this way (five times the portable loop's speed).
__attribute__((target("avx2,fma"))) inline __m256i select(__m256i otherwise, std::int32_t value, __m256 where) {
  return _mm256_castps_si256(
      _mm256_blendv_ps(_mm256_castsi256_ps(otherwise), _mm256_castsi256_ps(_mm256_set1_epi32(value)), where));
}

__attribute__((target("avx2,fma"))) void compare_tile_avx2(const NearestBothWays& p, int row, int tile,
                                                           LaneBest& best) {
  static_assert(kTileLanes == 16 && kTileRows == 4);
  const float* values = p.tiles + static_cast<std::size_t>(tile) * kTileLanes * p.dimensions;
  const float* a = p.rows + static_cast<std::size_t>(row) * p.dimensions;
  __m256 dot[kTileRows][2];
  for (auto& d : dot) d[0] = d[1] = _mm256_setzero_ps();
  for (int k = 0; k < p.dimensions; ++k) {
    const __m256 low = _mm256_loadu_ps(values + k * kTileLanes), high = _mm256_loadu_ps(values + k * kTileLanes + 8);
#pragma GCC unroll 4
    for (int r = 0; r < kTileRows; ++r) {
      const __m256 x = _mm256_broadcast_ss(a + r * p.dimensions + k);
      dot[r][0] = _mm256_fmadd_ps(x, low, dot[r][0]);
      dot[r][1] = _mm256_fmadd_ps(x, high, dot[r][1]);
    }
  }
  const __m256 minus_two = _mm256_set1_ps(-2.0f);
  for (int half = 0; half < 2; ++half) {
    const int lane = tile * kTileLanes + 8 * half;
    const __m256 norms = _mm256_loadu_ps(p.tile_norms + lane);
    __m256 column = _mm256_loadu_ps(p.column_distance + lane);
    auto* column_at = reinterpret_cast<__m256i*>(p.column_index + lane);
    __m256i nearest_row = _mm256_loadu_si256(column_at);
#pragma GCC unroll 4
    for (int r = 0; r < kTileRows; ++r) {
      const __m256 to_target = _mm256_fmadd_ps(minus_two, dot[r][half], norms);
      const __m256 so_far = _mm256_load_ps(best.distance[r] + 8 * half);
      const __m256 closer = _mm256_cmp_ps(to_target, so_far, _CMP_LT_OQ);
      if (_mm256_movemask_ps(closer) != 0) {
        auto* tiles = reinterpret_cast<__m256i*>(best.tile[r] + 8 * half);
        _mm256_store_ps(best.distance[r] + 8 * half, _mm256_blendv_ps(so_far, to_target, closer));
        _mm256_store_si256(tiles, select(_mm256_load_si256(tiles), tile, closer));
      }
      const __m256 to_source = _mm256_fmadd_ps(minus_two, dot[r][half], _mm256_set1_ps(p.row_norms[row + r]));
      const __m256 nearer = _mm256_cmp_ps(to_source, column, _CMP_LT_OQ);
      column = _mm256_blendv_ps(column, to_source, nearer);
      nearest_row = select(nearest_row, p.first_row + row + r, nearer);
    }
    _mm256_storeu_ps(p.column_distance + lane, column);
    _mm256_storeu_si256(column_at, nearest_row);
  }
}

__attribute__((target("avx2,fma"))) void run_avx2(const NearestBothWays& p) {
  for (int row = 0; row < p.row_count; row += kTileRows) {
    LaneBest best;
    for (int tile = 0; tile < p.tile_count; ++tile) compare_tile_avx2(p, row, tile, best);
    for (int r = 0; r < kTileRows; ++r) best.write(r, p.row_index + (row + r) * kTileLanes);
  }
}

#endif

}  // namespace

void nearest_both_ways(const NearestBothWays& problem) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return run_avx2(problem);
#endif
  run_portable(problem);
}

}  // namespace parte::detail
