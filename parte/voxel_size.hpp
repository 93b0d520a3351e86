#pragma once

#include <parte/options.hpp>

namespace parte {

/// What decided on a voxel size.
enum class VoxelReason {
  extent,   ///< the size of the clouds
  crowded,  ///< with smaller voxels, more than kCrowdedVoxels would be occupied
  sparse,   ///< with smaller voxels, there would be fewer than kSparsePoints points in one
  unknown,  ///< nothing: both clouds are empty or a single place, hence the sensor's default
};

struct VoxelChoice {
  double voxel = 0.0;     ///< [m]
  double radius_m = 0.0;  ///< of the smaller cloud, see choose_voxel(); 0 if unknown
  VoxelReason reason = VoxelReason::unknown;
};

inline constexpr std::size_t kCrowdedVoxels = 40'000;
inline constexpr double kSparsePoints = 2.0;
/// How many voxels there are in the radius of a cloud: such that a scan of KITTI gets 0.3 m and a fragment of 3DMatch
/// 0.05 m.
[[nodiscard]] constexpr double voxels_per_radius(Sensor sensor) { return sensor == Sensor::lidar ? 50.0 : 29.0; }

/// One voxel size for two clouds, of the series 1, 1.5, 2, 3, 5, 7, 10: a fixed part of the radius of the smaller one,
/// then as much larger as it takes for neither to be crowded or sparse. The radius is the geometric mean of two
/// distances from the middle, within which a quarter and 98 % of the points lie: what is near and what is far count
/// alike. Points that are not finite, or exactly (0, 0, 0), which many sensors write for "nothing", do not count. The
/// choice scales with the clouds and does not depend on which one is the source.
[[nodiscard]] VoxelChoice choose_voxel(PointsView source, PointsView target, Sensor sensor);

}  // namespace parte
