#pragma once

#include <datasets/sequence.hpp>
#include <datasets/world/lidar.hpp>
#include <datasets/world/ray_tracer.hpp>

#include <functional>

namespace parte::datasets {

/// Points with what is known of them besides their place.
struct LabelledScan {
  Points points;                      ///< in the frame of the sensor
  std::vector<float> intensities;     ///< in [0, 1]
  std::vector<std::uint16_t> labels;  ///< SemanticKITTI's
};

/// Where the sensor is at a part of its turn, from -0.5 to 0.5; constant unless the sensor moves while it turns.
using SensorMotion = std::function<Eigen::Isometry3d(double turn)>;

/// What the LiDAR sees, ring by ring from above, each counter-clockwise from ahead. `moving` may be null.
[[nodiscard]] LabelledScan scan_lidar(const RayTracer& world, const RayTracer* moving,
                                      const SensorMotion& T_world_sensor, const LidarOptions& options);
/// The points alone, seen from one place.
[[nodiscard]] Points scan_lidar(const RayTracer& world, const Eigen::Isometry3d& T_world_sensor,
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
[[nodiscard]] Points scan_depth(const RayTracer& world, const Eigen::Isometry3d& T_world_camera,
                                const DepthOptions& options = {});

/// Where a camera (z ahead, x to the right, y down) at `eye` stands that looks at `target`, not straight up or down.
[[nodiscard]] Eigen::Isometry3d look_at(const Eigen::Vector3d& eye, const Eigen::Vector3d& target);

}  // namespace parte::datasets
