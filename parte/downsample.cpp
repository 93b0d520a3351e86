#include <parte/downsample.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace parte {
namespace {

constexpr int kAxisBits = 21;
constexpr double kAxisHalf = 1 << (kAxisBits - 1);

struct KeyedPoint {
  std::uint64_t voxel;
  Eigen::Vector3f point;
  float count;  // of input points that it stands for
};

/// The middle of the cloud: a component-wise median over a thousand samples, so that a few wild points
/// do not move it, rounded to the voxel grid so that voxels do not depend on it.
Eigen::Vector3d grid_origin(PointsView points, double voxel) {
  std::array<std::vector<double>, 3> samples;
  const std::size_t step = std::max<std::size_t>(1, points.size() / 1000);
  const auto sample_every = [&](std::size_t stride) {
    for (std::size_t i = 0; i < points.size(); i += stride)
      if (const Eigen::Vector3d p = points[i]; p.allFinite())
        for (int axis = 0; axis < 3; ++axis) samples[axis].push_back(p[axis]);
  };
  sample_every(step);
  if (samples[0].empty()) sample_every(1);
  Eigen::Vector3d origin = Eigen::Vector3d::Zero();
  if (samples[0].empty()) return origin;
  for (int axis = 0; axis < 3; ++axis) {
    auto middle = samples[axis].begin() + static_cast<std::ptrdiff_t>(samples[axis].size() / 2);
    std::nth_element(samples[axis].begin(), middle, samples[axis].end());
    origin[axis] = std::round(*middle / voxel) * voxel;
  }
  return origin;
}

/// `counts`: of input points that each stands for; empty: one each.
std::vector<KeyedPoint> keyed_points(PointsView points, const std::vector<float>& counts, double voxel,
                                     const Eigen::Vector3d& origin) {
  std::vector<KeyedPoint> keyed;
  keyed.reserve(points.size());
  const double inverse = 1.0 / voxel;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Eigen::Vector3d local = points[i] - origin;
    const Eigen::Vector3d cell = (local * inverse).array().floor();
    // Written so that NaN and infinity fail the test.
    if (!(cell.cwiseAbs().maxCoeff() < kAxisHalf - 1) || !local.allFinite()) continue;
    std::uint64_t key = 0;
    for (int axis = 0; axis < 3; ++axis) key = (key << kAxisBits) | static_cast<std::uint64_t>(cell[axis] + kAxisHalf);
    keyed.push_back({key, local.cast<float>(), counts.empty() ? 1.0f : counts[i]});
  }
  return keyed;
}

/// Least-significant-digit radix sort: stable, hence independent of the library, and linear in the points.
void sort_by_voxel(std::vector<KeyedPoint>& items) {
  constexpr int kDigitBits = 11;
  constexpr std::uint64_t kMask = (1u << kDigitBits) - 1;
  std::uint64_t differing = 0;
  for (const KeyedPoint& item : items) differing |= item.voxel ^ items.front().voxel;
  std::vector<KeyedPoint> sorted(items.size());
  for (int shift = 0; shift < 3 * kAxisBits; shift += kDigitBits) {
    if (((differing >> shift) & kMask) == 0) continue;  // all items share this digit
    std::array<std::size_t, kMask + 1> position{};
    for (const KeyedPoint& item : items) ++position[(item.voxel >> shift) & kMask];
    std::size_t start = 0;
    for (std::size_t& p : position) start += std::exchange(p, start);
    for (const KeyedPoint& item : items) sorted[position[(item.voxel >> shift) & kMask]++] = item;
    items.swap(sorted);
  }
}

void require_voxel(double voxel) {
  if (!(voxel > 0.0) || !std::isfinite(voxel)) throw std::invalid_argument("voxel must be a positive length in metres");
}

/// Appends the centroid of every voxel.
void average_voxels(std::vector<KeyedPoint>& keyed, PointCloud& cloud) {
  if (keyed.empty()) return;
  sort_by_voxel(keyed);
  for (std::size_t begin = 0; begin < keyed.size();) {
    std::size_t end = begin;
    double count = 0.0;
    Eigen::Vector3d sum = Eigen::Vector3d::Zero();
    for (; end < keyed.size() && keyed[end].voxel == keyed[begin].voxel; ++end) {
      sum += static_cast<double>(keyed[end].count) * keyed[end].point.cast<double>();
      count += static_cast<double>(keyed[end].count);
    }
    cloud.points.push_back((sum / count).cast<float>());
    cloud.counts.push_back(static_cast<float>(count));
    begin = end;
  }
}

}  // namespace

PointCloud voxel_downsample(PointsView points, double voxel) {
  require_voxel(voxel);
  PointCloud cloud;
  cloud.origin = grid_origin(points, voxel);
  std::vector<KeyedPoint> keyed = keyed_points(points, {}, voxel, cloud.origin);
  cloud.dropped = points.size() - keyed.size();
  average_voxels(keyed, cloud);
  return cloud;
}

PointCloud coarsened(const PointCloud& cloud, double voxel) {
  require_voxel(voxel);
  PointCloud coarse;
  coarse.origin = cloud.origin;
  coarse.dropped = cloud.dropped;
  std::vector<KeyedPoint> keyed = keyed_points(cloud.points, cloud.counts, voxel, Eigen::Vector3d::Zero());
  average_voxels(keyed, coarse);
  return coarse;
}

std::vector<Eigen::Vector3f> callers_points(const PointCloud& cloud) {
  std::vector<Eigen::Vector3f> points = cloud.points;
  for (Eigen::Vector3f& p : points) p = (cloud.origin + p.cast<double>()).cast<float>();
  return points;
}

}  // namespace parte
