#include <parte/fpfh.hpp>

#include <parte/neighbors.hpp>
#include <parte/require.hpp>
#include <parte/simd.hpp>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace parte {
namespace {

constexpr int kRow = 36;  // bytes of one SPFH: 33 counts, padded
constexpr float kPi = 3.14159265358979f;
constexpr float kInverseTwoPi = 1.0f / (2.0f * kPi);

/// Neighbours of one point, one array per coordinate so that the loop over them vectorises.
struct PairBatch {
  static constexpr int kCapacity = 256;
  float dx[kCapacity], dy[kCapacity], dz[kCapacity];  // neighbour minus point
  float nx[kCapacity], ny[kCapacity], nz[kCapacity];  // neighbour's normal
  std::int32_t theta[kCapacity], alpha[kCapacity], phi[kCapacity];
};

/// atan2 to about 1e-6 rad without branches (minimax polynomial for atan on [0, 1]).
inline float fast_atan2(float y, float x) {
  const float ax = std::fabs(x), ay = std::fabs(y);
  const float large = ax > ay ? ax : ay, small = ax > ay ? ay : ax;
  const float a = small / (large > 1e-30f ? large : 1e-30f);
  const float s = a * a;
  float r = -0.0040540580f;
  r = r * s + 0.0218612288f;
  r = r * s - 0.0559098861f;
  r = r * s + 0.0964200441f;
  r = r * s - 0.1390853351f;
  r = r * s + 0.1994653599f;
  r = r * s - 0.3332985605f;
  r = r * s + 0.9999993329f;
  r *= a;
  r = ay > ax ? 0.5f * kPi - r : r;
  r = x < 0.0f ? kPi - r : r;
  return y < 0.0f ? -r : r;
}

inline std::int32_t bin_of(float unit) {  // unit in [0, 1] -> 0..10
  const float scaled = unit * kFpfhBins;
  const float clamped = scaled < 0.0f ? 0.0f : (scaled > kFpfhBins - 1 ? kFpfhBins - 1 : scaled);
  return static_cast<std::int32_t>(clamped);
}

/// Darboux-frame angles of the pairs (point, neighbour k) as bins; -1 where the frame is undefined.
/// The frame sits at the end whose normal is closer to the connecting line, so a pair has one feature, not two.
PARTE_SIMD_CLONES
void pair_feature_bins(PairBatch& batch, int count, float px, float py, float pz) {
  for (int k = 0; k < count; ++k) {
    const float squared = batch.dx[k] * batch.dx[k] + batch.dy[k] * batch.dy[k] + batch.dz[k] * batch.dz[k];
    const float inverse = 1.0f / std::sqrt(squared > 1e-20f ? squared : 1e-20f);
    const float ux = batch.dx[k] * inverse, uy = batch.dy[k] * inverse, uz = batch.dz[k] * inverse;
    const float nx = batch.nx[k], ny = batch.ny[k], nz = batch.nz[k];
    const float at_point = px * ux + py * uy + pz * uz;
    const float at_neighbor = nx * ux + ny * uy + nz * uz;
    const float between = px * nx + py * ny + pz * nz;
    // det(u, n_point, n_neighbour), the same from both ends.
    const float triple = ux * (py * nz - pz * ny) + uy * (pz * nx - px * nz) + uz * (px * ny - py * nx);
    const bool swap = std::fabs(at_point) < std::fabs(at_neighbor);
    const float c1 = swap ? -at_neighbor : at_point;
    const float c2 = swap ? -at_point : at_neighbor;
    const float sine_squared = 1.0f - c1 * c1;
    const bool defined = sine_squared > 1e-6f && squared > 1e-20f;
    const float inverse_sine = 1.0f / std::sqrt(defined ? sine_squared : 1.0f);
    const float theta = fast_atan2((c2 - c1 * between) * inverse_sine, between);
    batch.theta[k] = defined ? bin_of((theta + kPi) * kInverseTwoPi) : -1;
    batch.alpha[k] = bin_of((triple * inverse_sine + 1.0f) * 0.5f);
    batch.phi[k] = bin_of((c1 + 1.0f) * 0.5f);
  }
}

/// sum[b] += weight * counts[b]
PARTE_SIMD_CLONES
void add_scaled(float* sum, const std::uint8_t* counts, float weight) {
  for (int b = 0; b < kRow; ++b) sum[b] += weight * static_cast<float>(counts[b]);
}

/// Simplified histograms (SPFH) as counts of pairs; the divisor k - 1 joins the weights later.
struct SpfhTable {
  std::vector<std::uint8_t> counts;
  std::vector<float> pair_scale;  // 1 / (neighbours - 1), 0 where there is none
};

void spfh_of(const PointCloud& cloud, Index center, std::span<const Index> neighbors, PairBatch& batch,
             SpfhTable& table) {
  const Eigen::Vector3f& p = cloud.points[center];
  const Eigen::Vector3f& n = cloud.normals[center];
  if (!cloud.has_normal(center)) return;
  std::uint8_t* counts = table.counts.data() + std::size_t{center} * kRow;
  int count = 0;
  for (const Index j : neighbors) {
    if (j == center || !cloud.has_normal(j)) continue;
    const Eigen::Vector3f d = cloud.points[j] - p;
    batch.dx[count] = d.x(), batch.dy[count] = d.y(), batch.dz[count] = d.z();
    batch.nx[count] = cloud.normals[j].x(), batch.ny[count] = cloud.normals[j].y(),
    batch.nz[count] = cloud.normals[j].z();
    ++count;
  }
  pair_feature_bins(batch, count, n.x(), n.y(), n.z());
  for (int k = 0; k < count; ++k) {
    if (batch.theta[k] < 0) continue;
    ++counts[batch.theta[k]];
    ++counts[kFpfhBins + batch.alpha[k]];
    ++counts[2 * kFpfhBins + batch.phi[k]];
  }
  if (count > 0) table.pair_scale[center] = 1.0f / static_cast<float>(count);
}

/// The SPFHs of `queries`, written to their points' places.
void fill_spfh(const PointCloud& cloud, std::span<const Index> queries, const Neighborhoods& neighbors,
               SpfhTable& table) {
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, queries.size(), 128), [&](const auto& block) {
    PairBatch batch;
    for (std::size_t q = block.begin(); q != block.end(); ++q) spfh_of(cloud, queries[q], neighbors[q], batch, table);
  });
}

/// Neighbours of centres that are not centres themselves.
std::vector<Index> support_only(std::size_t points, std::span<const Index> centers, const Neighborhoods& neighbors) {
  std::vector<std::uint8_t> needed(points, 0);
  for (std::size_t k = 0; k < centers.size(); ++k)
    for (const Index j : neighbors[k]) needed[j] = 1;
  for (const Index c : centers) needed[c] = 0;
  std::vector<Index> rest;
  for (Index i = 0; i < points; ++i)
    if (needed[i]) rest.push_back(i);
  return rest;
}

/// Scales each of the three histograms to sum 100.
void write_normalised(const float* sum, float* row) {
  for (int h = 0; h < 3; ++h) {
    float total = 0.0f;
    for (int b = 0; b < kFpfhBins; ++b) total += sum[h * kFpfhBins + b];
    const float scale = total > 0.0f ? 100.0f / total : 0.0f;
    for (int b = 0; b < kFpfhBins; ++b) row[h * kFpfhBins + b] = scale * sum[h * kFpfhBins + b];
  }
}

}  // namespace

void FpfhOptions::validate() const {
  require_positive(radius, "FpfhOptions::radius");
  if (max_neighbors < 2 || max_neighbors > PairBatch::kCapacity - 1)
    throw std::invalid_argument("FpfhOptions::max_neighbors must lie between 2 and 255");
}

FpfhMatrix compute_fpfh(const PointCloud& cloud, std::span<const Index> centers, const FpfhOptions& options) {
  options.validate();
  FpfhMatrix descriptors = FpfhMatrix::Zero(static_cast<Eigen::Index>(centers.size()), kFpfhSize);
  if (centers.empty()) return descriptors;
  const Neighborhoods around = radius_neighbors(cloud.points, options.radius, options.max_neighbors, centers);
  SpfhTable table{std::vector<std::uint8_t>(cloud.size() * kRow, 0), std::vector<float>(cloud.size(), 0.0f)};
  fill_spfh(cloud, centers, around, table);
  const std::vector<Index> rest = support_only(cloud.size(), centers, around);
  fill_spfh(cloud, rest, radius_neighbors(cloud.points, options.radius, options.max_neighbors, rest), table);

  // FPFH(p) = sum over neighbours q of SPFH(q) / |p - q|^2, then normalised.
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, centers.size(), 128), [&](const auto& block) {
    for (std::size_t k = block.begin(); k != block.end(); ++k) {
      float sum[kRow] = {};
      const auto indices = around[k];
      const auto squared = around.distances(k);
      for (std::size_t m = 0; m < indices.size(); ++m) {
        const float scale = table.pair_scale[indices[m]];
        if (indices[m] == centers[k] || scale == 0.0f || squared[m] <= 0.0f) continue;
        add_scaled(sum, table.counts.data() + std::size_t{indices[m]} * kRow, scale / squared[m]);
      }
      write_normalised(sum, descriptors.row(static_cast<Eigen::Index>(k)).data());
    }
  });
  return descriptors;
}

}  // namespace parte
