#pragma once

#include <datasets/scene.hpp>

namespace parte::datasets {

/// About 200 m of a town street: houses with recessed windows, gardens, side streets, parked cars, poles and trees.
/// Every seed is another street. It can be driven from s = 0 to s = 200, and goes on a little at both ends.
[[nodiscard]] Scene make_street(std::uint64_t seed);

/// A furnished room, 6 m by 5 m by 3 m, with a corner at the origin. Every seed is another room.
[[nodiscard]] Scene make_room(std::uint64_t seed);

/// Where a LiDAR on a car stands: `s_along` [m] along the street, `lateral` [m] to the left of its middle, turned by
/// `yaw` [rad] from its direction; x ahead, y to the left, 1.73 m above the ground and tilted as the ground is.
[[nodiscard]] Eigen::Isometry3d street_pose(const Scene& scene, double s_along, double lateral, double yaw);

/// Where a camera (z ahead, x to the right, y down) at `eye` stands that looks at `target`, not straight up or down.
[[nodiscard]] Eigen::Isometry3d look_at(const Eigen::Vector3d& eye, const Eigen::Vector3d& target);

/// A spinning LiDAR; the defaults resemble the one of KITTI.
struct LidarOptions {
  int rings = 64;
  int azimuth_steps = 1800;
  double min_elevation_deg = -24.8, max_elevation_deg = 2.0;
  double range_noise_m = 0.02;  ///< standard deviation; no error exceeds 3.5 times it
  double max_range_m = 80.0;
  double dropout = 0.05;  ///< the part of the returns that are lost, at random
  std::uint64_t seed = 0;
  void validate() const;  ///< throws std::invalid_argument naming the field
};

/// What the LiDAR sees, in its own frame, ring by ring from below.
[[nodiscard]] std::vector<Eigen::Vector3f> scan_lidar(const Scene& scene, const Eigen::Isometry3d& T_world_sensor,
                                                      const LidarOptions& options = {});

/// A depth camera; the defaults resemble those of RGB-D data sets.
struct DepthOptions {
  int width = 320, height = 240;
  double horizontal_fov_deg = 58.0;
  double depth_noise = 0.0015;  ///< [1/m] standard deviation at 1 m; it grows with the square of the depth
  double max_depth_m = 6.0;
  double dropout = 0.05;  ///< the part of the pixels without depth, at random
  std::uint64_t seed = 0;
  void validate() const;  ///< throws std::invalid_argument naming the field
};

/// What the camera sees, in its own frame (z ahead, x to the right, y down), row by row from the top.
[[nodiscard]] std::vector<Eigen::Vector3f> scan_depth(const Scene& scene, const Eigen::Isometry3d& T_world_camera,
                                                      const DepthOptions& options = {});

}  // namespace parte::datasets
