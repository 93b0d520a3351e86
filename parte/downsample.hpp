#pragma once

#include <parte/types.hpp>

namespace parte {

/// Replaces the points of every cube of edge `voxel` [m] by their centroid.
/// Points that are not finite, or more than 2^20 voxels away from the middle of the cloud, are dropped and counted.
/// The result is ordered by voxel (x, then y, then z) whatever the order of the input.
[[nodiscard]] PointCloud voxel_downsample(PointsView points, double voxel);

/// The same of a cloud that was downsampled before, as if all of its input points lay at their centroids: in the same
/// local coordinates, on a grid through its origin.
[[nodiscard]] PointCloud coarsened(const PointCloud& cloud, double voxel);

/// The points of a cloud in the caller's coordinates.
[[nodiscard]] std::vector<Eigen::Vector3f> callers_points(const PointCloud& cloud);

}  // namespace parte
