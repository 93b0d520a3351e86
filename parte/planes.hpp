#pragma once

#include <parte/neighbors.hpp>

#include <optional>

namespace parte {

/// Planar-patch extraction, Algorithm 1.
struct PlaneOptions {
  double thickness = 0.3;          ///< tau_d [m]: RMS distance of a patch's points to its plane; default 1 v
  double normal_dispersion = 0.2;  ///< tau_theta [-]: RMS sine between patch and point normals
  int min_points = 100;            ///< patches with less support are dropped
  void validate() const;           ///< throws std::invalid_argument naming the field
};

/// Mergeable moments of a set of points and their normals, eqs. (patch-point-statistics) and (patch-normal-moment).
struct PatchStatistics {
  double count = 0.0;
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();        ///< mu
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();  ///< C
  Eigen::Matrix3d normals = Eigen::Matrix3d::Zero();     ///< Q

  static PatchStatistics of_point(const Eigen::Vector3d& point, const Eigen::Vector3d& normal);
  /// Statistics of the union of two disjoint sets, in O(1).
  [[nodiscard]] PatchStatistics merged(const PatchStatistics& other) const;
};

struct PlanarPatch {
  std::vector<Index> indices;                                           ///< support, ascending
  Eigen::Vector3d centroid = Eigen::Vector3d::Zero();                   ///< mu, local coordinates of the cloud
  Eigen::Vector3d normal = Eigen::Vector3d::UnitZ();                    ///< v3(C), toward the sensor
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();                 ///< C
  bool ground = false;                                                  ///< from ground segmentation
  [[nodiscard]] double offset() const { return normal.dot(centroid); }  ///< d = u' mu
};

/// Eq. (patch-normal): max u'Qu subject to u'Cu <= tau_d^2, |u| = 1, by its one-dimensional KKT dual.
/// Nothing if no direction is feasible. It decides whether patches may merge.
[[nodiscard]] std::optional<Eigen::Vector3d> constrained_normal(const Eigen::Matrix3d& Q, const Eigen::Matrix3d& C,
                                                                double thickness_squared);

/// Patches in descending support; every point belongs to at most one. Points with `excluded[i]` join none
/// (pass an empty vector for none), though the flatness of their neighbours still counts them; points without a
/// normal never do.
[[nodiscard]] std::vector<PlanarPatch> extract_planes(const PointCloud& cloud, const Neighborhoods& neighbors,
                                                      const std::vector<bool>& excluded, const Eigen::Vector3d& sensor,
                                                      const PlaneOptions& options);

/// One patch of the given points as they are (the ground), whatever its thickness.
[[nodiscard]] PlanarPatch fit_patch(const PointCloud& cloud, std::vector<Index> indices, const Eigen::Vector3d& sensor);

}  // namespace parte
