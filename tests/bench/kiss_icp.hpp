#pragma once

#include <parte/types.hpp>
#include <slam/voxel_map.hpp>

#include <Eigen/Geometry>

/// A plain reference of KISS-ICP for comparison, written from its paper (Vizzo et al., "KISS-ICP: In Defense of
/// Point-to-Point ICP", RA-L 2023) with its published defaults.
namespace parte::bench {

struct KissIcpOptions {
  double max_range_m = 100.0;
  double min_range_m = 2.0;          ///< that of OdometryOptions; the published default keeps the vehicle's own points
  double voxel = 1.0;                ///< max_range / 100
  double initial_threshold_m = 2.0;  ///< sigma before there is experience
  double min_motion_m = 0.1;         ///< deviations from the prediction below it are not counted
  int max_iterations = 500;
  double convergence = 1e-4;  ///< norm of the step that ends the iteration
  bool deskew = false;        ///< constant velocity, time from the azimuth, as Odometry does it
};

class KissIcp {
 public:
  explicit KissIcp(KissIcpOptions options = {}) : options_(options), map_(options.voxel) {}
  /// T_world_lidar of the scan; the world is the first scan's frame.
  Eigen::Isometry3d add(PointsView points);

 private:
  [[nodiscard]] std::vector<Eigen::Vector3d> usable_points(PointsView points) const;
  [[nodiscard]] double threshold_m() const;
  [[nodiscard]] Eigen::Isometry3d aligned(const std::vector<Eigen::Vector3d>& source,
                                          const Eigen::Isometry3d& T_guess) const;

  KissIcpOptions options_;
  slam::VoxelMap map_;
  Eigen::Isometry3d T_world_last_ = Eigen::Isometry3d::Identity(), T_last_this_ = Eigen::Isometry3d::Identity();
  double squared_errors_ = 0.0;  // of predictions [m^2]
  int errors_ = 0;
};

}  // namespace parte::bench
