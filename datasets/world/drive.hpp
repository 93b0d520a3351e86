#pragma once

#include <datasets/world/ground.hpp>
#include <datasets/world/path.hpp>

namespace parte::datasets {

/// Where the sensor is, frame by frame.
struct Drive {
  std::vector<double> times_s;
  std::vector<Eigen::Isometry3d> poses;  ///< T_world_sensor: x ahead, y to the left
};

struct DriveOptions {
  double cruise_mps = 13.0;
  double lateral_mps2 = 3.0;  ///< slows down for curves to feel no more than this
  double accelerate_mps2 = 2.2;
  double frame_s = 0.1;
  double sensor_height_m = 1.73;
  double sway_deg = 0.3;  ///< pitch and roll on top of the road's own
  std::uint64_t seed = 0;
};

/// x along the heading, tilted as the ground is, `height` [m] above it.
[[nodiscard]] Eigen::Isometry3d standing_at(const Path::Place& place, const Ground& ground, double height);

/// A car that follows the path at the speed its curves allow, starting and ending at walking pace.
[[nodiscard]] Drive drive_along(const Path& path, const Ground& ground, const DriveOptions& options);

}  // namespace parte::datasets
