#pragma once

#include <parte/types.hpp>

#include <Eigen/Core>

namespace parte::slam {

struct ScanDescriptorOptions {
  double max_range_m = 60.0;  ///< what is farther does not count
  double max_height_m = 8.0;  ///< taller things count as this tall
  int rings = 20;             ///< by distance from the sensor
  int sectors = 60;           ///< by direction
  void validate() const;      ///< throws std::invalid_argument naming the field
};

/// What a place looks like from above, whichever way the sensor faces: in the manner of Scan Context (Kim and Kim, IROS
/// 2018), the height of the tallest thing in each cell of a polar grid around the sensor.
struct ScanDescriptor {
  Eigen::MatrixXf heights;  ///< [m] above a level 3 m below the sensor; rings x sectors; 0 where nothing was seen
  Eigen::VectorXf rings;    ///< mean of each ring: does not change when the sensor turns
};

/// From the heights alone.
[[nodiscard]] ScanDescriptor descriptor_of(Eigen::MatrixXf heights);

/// `points` in the sensor's frame, z up.
[[nodiscard]] ScanDescriptor describe_scan(PointsView points, const ScanDescriptorOptions& options = {});

/// 0 for the same place, up to 1: one minus the mean cosine of the two grids' sectors, with the second one turned so
/// that they agree best. Both must come from the same options.
[[nodiscard]] double descriptor_distance(const ScanDescriptor& a, const ScanDescriptor& b);

}  // namespace parte::slam
