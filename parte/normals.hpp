#pragma once

#include <parte/neighbors.hpp>

namespace parte {

struct NormalOptions {
  double radius = 0.6;     ///< [m]; default 2 v
  int max_neighbors = 30;  ///< nearest ones first, the point itself included
  int min_neighbors = 5;   ///< fewer than these give no normal (a zero vector)
  void validate() const;   ///< throws std::invalid_argument naming the field
};

/// Sets cloud.normals by PCA of each neighbourhood, oriented toward `sensor` (in the cloud's local coordinates).
/// Returns the neighbourhoods, which plane extraction uses again.
Neighborhoods estimate_normals(PointCloud& cloud, const Eigen::Vector3d& sensor, const NormalOptions& options);

}  // namespace parte
