#pragma once

#include <parte/neighbors.hpp>

namespace parte {

struct NormalOptions {
  double radius = 0.6;     ///< [m]; default 2 v
  int max_neighbors = 30;  ///< nearest ones first, the point itself included
  int min_neighbors = 3;   ///< fewer than these give no normal (a zero vector)
  void validate() const;   ///< throws std::invalid_argument naming the field
};

/// Principal components of a neighbourhood.
struct LocalPlane {
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();       ///< from the centre on
  Eigen::Vector3d normal = Eigen::Vector3d::Zero();     ///< unit, of either side
  Eigen::Vector3d variances = Eigen::Vector3d::Zero();  ///< ascending
  /// Nearly a line, so that the normal turns freely about it: docs/ALGORITHM.md, "Refinement".
  [[nodiscard]] bool is_line() const { return variances[1] < 0.1 * variances[2]; }
};
[[nodiscard]] LocalPlane local_plane(const std::vector<Eigen::Vector3f>& points, const Eigen::Vector3f& center,
                                     std::span<const Index> neighbors);

/// Sets cloud.normals, on_line, heights and roughness by PCA of each neighbourhood, oriented toward `sensor` (in the
/// cloud's local coordinates). Returns the neighbourhoods, which plane extraction uses again.
Neighborhoods estimate_normals(PointCloud& cloud, const Eigen::Vector3d& sensor, const NormalOptions& options);

/// Fewer neighbours give a normal that says how a place looks, but not where its surface is: docs/ALGORITHM.md,
/// "Normals".
inline constexpr int kSurfaceNeighbors = 5;
/// Takes the normals back from points with fewer than kSurfaceNeighbors neighbours, as if they had never had one.
void drop_weak_normals(PointCloud& cloud, const Neighborhoods& neighbors);

}  // namespace parte
