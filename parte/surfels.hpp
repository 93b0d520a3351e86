#pragma once

#include <parte/types.hpp>

namespace parte {

/// The points of a cloud as pieces of surface, for what has to be exact: docs/ALGORITHM.md, "Refinement".
struct Surfels {
  std::vector<Eigen::Vector3f> points;   ///< each moved onto the plane through its neighbourhood
  std::vector<Eigen::Vector3f> normals;  ///< of that plane; zero if there is none
  std::vector<float> roughness;          ///< [m^2] variance of the neighbourhood across that plane
  std::vector<Index> others, ground;     ///< those with a normal, off the ground and on it
};

/// Of a cloud that has normals. `edge` [m]: of the first of the coarser grids on which points that lie on a line find
/// their surface.
[[nodiscard]] Surfels make_surfels(const PointCloud& cloud, const std::vector<bool>& on_ground,
                                   const Eigen::Vector3f& sensor, double edge);

}  // namespace parte
