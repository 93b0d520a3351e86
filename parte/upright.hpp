#pragma once

#include <parte/planes.hpp>

#include <span>

namespace parte {

/// Two numbers beside the descriptor of a point: its height over the ground around it, and how far its surface faces
/// up.
using UprightMatrix = Eigen::Matrix<float, Eigen::Dynamic, 2, Eigen::RowMajor>;

/// Those of the points cloud.points[centers[k]], one row each, in the units of FPFH: docs/ALGORITHM.md, "Deviations".
/// For scans whose z axis points roughly up; `ground` is their ground.
[[nodiscard]] UprightMatrix describe_upright(const PointCloud& cloud, std::span<const Index> centers,
                                             const PlanarPatch& ground);

}  // namespace parte
