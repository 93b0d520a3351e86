#pragma once

#include <parte/types.hpp>

namespace parte {

/// Ground segmentation for LiDAR scans whose z axis points roughly up, in the spirit of TRAVEL and Patchwork:
/// a grid of local plane fits, joined where one could drive from one to the next.
struct GroundOptions {
  double cell = 4.0;            ///< [m] edge of a grid cell, at least 0.01
  double tolerance = 0.25;      ///< [m] distance to the local plane up to which a point is ground
  double max_slope_deg = 30.0;  ///< [deg] steepest local plane
  double max_bend_deg = 15.0;   ///< [deg] largest angle between neighbouring local planes
  double max_step = 0.3;        ///< [m] largest height step between neighbouring local planes (a kerb, no wall)
  int min_points = 8;           ///< a cell with fewer points takes its neighbours' plane
  void validate() const;        ///< throws std::invalid_argument naming the field
};

/// True for ground points. All false where no connected ground is found. Needs cloud.normals.
[[nodiscard]] std::vector<bool> segment_ground(const PointCloud& cloud, const GroundOptions& options);

}  // namespace parte
