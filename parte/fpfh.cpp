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

// [radius] unit of the distances w: one voxel at the default radius. docs/ALGORITHM.md, "FPFH".
constexpr float kUnit = 0.2f;
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

/// Darboux-frame angles of the pairs (point, neighbour k) as bins; -1 where the frame is undefined: u = n_point,
/// v = line x u, w = u x v; theta = atan2(w'n, u'n), alpha = v'n, phi = u'line for the neighbour's normal n.
/// The frame is always the point's: docs/ALGORITHM.md, "FPFH".
PARTE_SIMD_CLONES
void pair_feature_bins(PairBatch& batch, int count, float px, float py, float pz) {
  for (int k = 0; k < count; ++k) {
    const float squared = batch.dx[k] * batch.dx[k] + batch.dy[k] * batch.dy[k] + batch.dz[k] * batch.dz[k];
    const float inverse = 1.0f / std::sqrt(squared > 1e-20f ? squared : 1e-20f);
    const float lx = batch.dx[k] * inverse, ly = batch.dy[k] * inverse, lz = batch.dz[k] * inverse;
    const float nx = batch.nx[k], ny = batch.ny[k], nz = batch.nz[k];
    const float phi = px * lx + py * ly + pz * lz;
    const float at_neighbor = nx * lx + ny * ly + nz * lz;
    const float between = px * nx + py * ny + pz * nz;
    const float triple = lx * (py * nz - pz * ny) + ly * (pz * nx - px * nz) + lz * (px * ny - py * nx);
    const float sine_squared = 1.0f - phi * phi;  // |line x u|^2
    const bool defined = sine_squared > 1e-6f && squared > 1e-20f;
    const float inverse_sine = 1.0f / std::sqrt(defined ? sine_squared : 1.0f);
    const float theta = fast_atan2((at_neighbor - phi * between) * inverse_sine, between);
    batch.theta[k] = defined ? bin_of((theta + kPi) * kInverseTwoPi) : -1;
    batch.alpha[k] = bin_of((triple * inverse_sine + 1.0f) * 0.5f);
    batch.phi[k] = bin_of((phi + 1.0f) * 0.5f);
  }
}

/// sum[b] += weight * counts[b]
PARTE_SIMD_CLONES
void add_scaled(float* sum, const std::uint8_t* counts, float weight) {
  for (int b = 0; b < kRow; ++b) sum[b] += weight * static_cast<float>(counts[b]);
}

/// The points that take part, moved together so that neighbourhoods and their cap know no others.
struct Support {
  std::vector<Eigen::Vector3f> points, normals;
  std::vector<Index> centers;  // the centres among them
  std::vector<Index> rows;     // the descriptor of each
};

Support support_of(const PointCloud& cloud, std::span<const Index> centers, const std::vector<bool>& excluded) {
  const auto takes_part = [&](Index i) { return cloud.has_normal(i) && (excluded.empty() || !excluded[i]); };
  Support support;
  std::vector<Index> place(cloud.size());
  for (Index i = 0; i < cloud.size(); ++i) {
    if (!takes_part(i)) continue;
    place[i] = static_cast<Index>(support.points.size());
    support.points.push_back(cloud.points[i]);
    support.normals.push_back(cloud.normals[i]);
  }
  for (Index k = 0; k < centers.size(); ++k) {
    if (!takes_part(centers[k])) continue;
    support.centers.push_back(place[centers[k]]);
    support.rows.push_back(k);
  }
  return support;
}

/// Simplified histograms (SPFH) as counts of pairs; their divisor joins the weights later.
struct SpfhTable {
  std::vector<std::uint8_t> counts;
  std::vector<float> pair_scale;  // 1 / pairs, 0 where there is none

  void add(Index i, float weight, float* sum) const {
    add_scaled(sum, counts.data() + std::size_t{i} * kRow, weight * pair_scale[i]);
  }
};

void spfh_of(const Support& support, Index center, std::span<const Index> neighbors, PairBatch& batch,
             SpfhTable& table) {
  std::uint8_t* counts = table.counts.data() + std::size_t{center} * kRow;
  int count = 0;
  for (const Index j : neighbors) {
    if (j == center) continue;
    const Eigen::Vector3f d = support.points[j] - support.points[center];
    const Eigen::Vector3f& n = support.normals[j];
    batch.dx[count] = d.x(), batch.dy[count] = d.y(), batch.dz[count] = d.z();
    batch.nx[count] = n.x(), batch.ny[count] = n.y(), batch.nz[count] = n.z();
    ++count;
  }
  const Eigen::Vector3f& n = support.normals[center];
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
void fill_spfh(const Support& support, std::span<const Index> queries, const Neighborhoods& neighbors,
               SpfhTable& table) {
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, queries.size(), 128), [&](const auto& block) {
    PairBatch batch;
    for (std::size_t q = block.begin(); q != block.end(); ++q) spfh_of(support, queries[q], neighbors[q], batch, table);
  });
}

/// Neighbours of centres that are not centres themselves.
std::vector<Index> not_centers(const Support& support, const Neighborhoods& neighbors) {
  std::vector<std::uint8_t> needed(support.points.size(), 0);
  for (std::size_t k = 0; k < support.centers.size(); ++k)
    for (const Index j : neighbors[k]) needed[j] = 1;
  for (const Index c : support.centers) needed[c] = 0;
  std::vector<Index> rest;
  for (Index i = 0; i < needed.size(); ++i)
    if (needed[i]) rest.push_back(i);
  return rest;
}

/// FPFH(p) = SPFH(p) + 1/k sum_i SPFH(p_i) / w_i over the k neighbours of p (Rusu et al. 2009), w_i the distance of
/// p_i.
void sum_fpfh(const SpfhTable& table, Index center, std::span<const Index> neighbors, std::span<const float> squared,
              float unit, float* sum) {
  int count = 0;
  for (std::size_t m = 0; m < neighbors.size(); ++m) {
    if (squared[m] <= 0.0f) continue;  // the point itself, or one that coincides with it and has no weight
    table.add(neighbors[m], unit / std::sqrt(squared[m]), sum);
    ++count;
  }
  for (int b = 0; b < kRow && count > 0; ++b) sum[b] /= static_cast<float>(count);
  table.add(center, 1.0f, sum);
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

FpfhMatrix compute_fpfh(const PointCloud& cloud, std::span<const Index> centers, const FpfhOptions& options,
                        const std::vector<bool>& excluded) {
  options.validate();
  FpfhMatrix descriptors = FpfhMatrix::Zero(static_cast<Eigen::Index>(centers.size()), kFpfhSize);
  const Support support = support_of(cloud, centers, excluded);
  if (support.centers.empty()) return descriptors;
  const auto neighbors_of = [&](std::span<const Index> queries) {
    return radius_neighbors(support.points, options.radius, options.max_neighbors, queries);
  };
  const auto unit = kUnit * static_cast<float>(options.radius);
  const Neighborhoods around = neighbors_of(support.centers);
  const std::size_t size = support.points.size();
  SpfhTable table{std::vector<std::uint8_t>(size * kRow, 0), std::vector<float>(size, 0.0f)};
  fill_spfh(support, support.centers, around, table);
  const std::vector<Index> rest = not_centers(support, around);
  fill_spfh(support, rest, neighbors_of(rest), table);

  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, support.centers.size(), 128), [&](const auto& block) {
    for (std::size_t k = block.begin(); k != block.end(); ++k) {
      float sum[kRow] = {};
      sum_fpfh(table, support.centers[k], around[k], around.distances(k), unit, sum);
      write_normalised(sum, descriptors.row(support.rows[k]).data());
    }
  });
  return descriptors;
}

}  // namespace parte
