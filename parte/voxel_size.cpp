#include <parte/voxel_size.hpp>

#include <parte/downsample.hpp>

#include <algorithm>
#include <array>
#include <cmath>

namespace parte {
namespace {

using Points = std::vector<Eigen::Vector3d>;

/// The k-th number of the series, for any integer k.
double series(int k) {
  constexpr std::array kSteps = {1.0, 1.5, 2.0, 3.0, 5.0, 7.0};
  constexpr int kCount = static_cast<int>(kSteps.size());
  const int decade = (k >= 0 ? k : k - kCount + 1) / kCount;
  const double step = kSteps[static_cast<std::size_t>(k - decade * kCount)];
  // Negative powers of ten are no binary fractions; dividing gives the double that "0.3" is read as.
  return decade >= 0 ? step * std::pow(10.0, decade) : step / std::pow(10.0, -decade);
}

/// Of the number of the series that is nearest by ratio.
int nearest_in_series(double value) {
  int k = 6 * static_cast<int>(std::floor(std::log10(value)));
  while (std::sqrt(series(k) * series(k + 1)) < value) ++k;
  return k;
}

Points usable(PointsView view) {
  Points points;
  points.reserve(view.size());
  for (std::size_t i = 0; i < view.size(); ++i)
    if (const Eigen::Vector3d p = view[i]; p.allFinite() && !p.isZero(0.0)) points.push_back(p);
  return points;
}

double quantile(std::vector<double>& values, double q) {
  const auto nth = values.begin() + static_cast<std::ptrdiff_t>(q * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), nth, values.end());
  return *nth;
}

/// See choose_voxel(); 0 for an empty cloud.
double radius_of(const Points& points) {
  if (points.empty()) return 0.0;
  Eigen::Vector3d middle;
  std::vector<double> values(points.size());
  for (int axis = 0; axis < 3; ++axis) {
    std::transform(points.begin(), points.end(), values.begin(), [&](const auto& p) { return p[axis]; });
    middle[axis] = quantile(values, 0.5);
  }
  std::transform(points.begin(), points.end(), values.begin(), [&](const auto& p) { return (p - middle).norm(); });
  const double near = quantile(values, 0.25), far = quantile(values, 0.98);
  if (!(near > 0.0)) return far;
  // What is much farther than the rest is no surface, however often it occurs: some sensors write it for "nothing".
  constexpr double kFar = 20.0;
  return std::sqrt(near * std::min(far, kFar * near));
}

/// Why a voxel is too small for a cloud, or `extent` if it is not.
VoxelReason objection(const Points& points, double voxel) {
  if (points.empty()) return VoxelReason::extent;
  const PointCloud cloud = voxel_downsample(points, voxel);
  if (cloud.size() > kCrowdedVoxels) return VoxelReason::crowded;
  const auto kept = static_cast<double>(points.size() - cloud.dropped);
  return kept < kSparsePoints * static_cast<double>(cloud.size()) ? VoxelReason::sparse : VoxelReason::extent;
}

}  // namespace

VoxelChoice choose_voxel(PointsView source, PointsView target, Sensor sensor) {
  const std::array<Points, 2> clouds = {usable(source), usable(target)};
  const double a = radius_of(clouds[0]), b = radius_of(clouds[1]);
  const double radius = a > 0.0 && b > 0.0 ? std::min(a, b) : std::max(a, b);
  if (!(radius > 0.0)) return {sensor == Sensor::lidar ? Options::lidar().voxel : Options::rgbd().voxel};

  VoxelChoice choice{0.0, radius, VoxelReason::extent};
  constexpr double kFewest = 5.0;  // voxels in the radius: with fewer there is no shape left
  for (int k = nearest_in_series(radius / voxels_per_radius(sensor));; ++k) {
    choice.voxel = series(k);
    if (series(k + 1) * kFewest > radius) return choice;
    VoxelReason reason = objection(clouds[0], choice.voxel);
    if (reason == VoxelReason::extent) reason = objection(clouds[1], choice.voxel);
    if (reason == VoxelReason::extent) return choice;
    choice.reason = reason;
  }
}

}  // namespace parte
