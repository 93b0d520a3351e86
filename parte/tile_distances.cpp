#include <parte/tile_distances.hpp>

#include <algorithm>
#include <tuple>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace parte::detail {
namespace {

constexpr std::size_t kSize = kDescriptorSize;

#if defined(__x86_64__)

// By hand: compilers keep the eight sums in registers only this way.
__attribute__((target("avx2,fma"))) bool compare_avx2(const float* first, const float* rest, const float* queries,
                                                      const float* limits, float* distances) {
  static_assert(kLanes == 16 && kQueries == 4);
  __m256 sum[kQueries][2];
  for (auto& s : sum) s[0] = s[1] = _mm256_setzero_ps();
  std::size_t k = 0;
  for (const std::size_t end : {kFirst, kSize}) {
    for (const float* line = k == 0 ? first : rest; k < end; ++k, line += kLanes) {
      const __m256 left = _mm256_loadu_ps(line), right = _mm256_loadu_ps(line + 8);
#pragma GCC unroll 4
      for (std::size_t q = 0; q < kQueries; ++q) {
        const __m256 x = _mm256_broadcast_ss(queries + q * kSize + k);
        const __m256 a = _mm256_sub_ps(left, x), b = _mm256_sub_ps(right, x);
        sum[q][0] = _mm256_fmadd_ps(a, a, sum[q][0]);
        sum[q][1] = _mm256_fmadd_ps(b, b, sum[q][1]);
      }
    }
    __m256 within = _mm256_setzero_ps();
#pragma GCC unroll 4
    for (std::size_t q = 0; q < kQueries; ++q)
      within = _mm256_or_ps(
          within, _mm256_cmp_ps(_mm256_min_ps(sum[q][0], sum[q][1]), _mm256_broadcast_ss(limits + q), _CMP_LE_OQ));
    if (_mm256_movemask_ps(within) == 0) return false;
  }
#pragma GCC unroll 4
  for (std::size_t q = 0; q < kQueries; ++q)
    _mm256_storeu_ps(distances + q * kLanes, sum[q][0]), _mm256_storeu_ps(distances + q * kLanes + 8, sum[q][1]);
  return true;
}

#endif

}  // namespace

bool tile_distances_portable(const float* first, const float* rest, const float* queries, const float* limits,
                             float* distances) {
  float sum[kQueries][kLanes] = {};
  for (const auto& [lines, begin, end] : {std::tuple(first, std::size_t{0}, kFirst), std::tuple(rest, kFirst, kSize)}) {
    bool within = false;
    for (std::size_t q = 0; q < kQueries; ++q) {
      for (std::size_t k = begin; k < end; ++k)
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
          const float d = lines[(k - begin) * kLanes + lane] - queries[q * kSize + k];
          sum[q][lane] += d * d;
        }
      for (std::size_t lane = 0; lane < kLanes; ++lane) within |= sum[q][lane] <= limits[q];
    }
    if (!within) return false;
  }
  std::copy_n(&sum[0][0], kQueries * kLanes, distances);
  return true;
}

TileKernel tile_kernel_avx2() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return compare_avx2;
#endif
  return nullptr;
}

bool tile_distances(const float* first, const float* rest, const float* queries, const float* limits,
                    float* distances) {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return compare_avx2(first, rest, queries, limits, distances);
#endif
  return tile_distances_portable(first, rest, queries, limits, distances);
}

}  // namespace parte::detail
