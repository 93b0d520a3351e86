#pragma once

#include <Eigen/Geometry>
#include <functional>
#include <string>
#include <vector>

namespace parte::datasets {

using Points = std::vector<Eigen::Vector3f>;

/// Scans in the order of a drive, wherever they come from. Scans are read one at a time and never kept.
struct Sequence {
  std::string name;
  std::vector<int> ids;         ///< the number of each frame; ascending, gaps are fine
  std::vector<double> times_s;  ///< of each frame
  /// T_world_lidar of each frame, in the LiDAR frame of frame 0 where the source has it; empty: no ground truth.
  std::vector<Eigen::Isometry3d> ground_truth;
  Eigen::Isometry3d T_camera_lidar = Eigen::Isometry3d::Identity();  ///< Tr of KITTI's calib.txt
  /// The points of the index-th frame in the LiDAR frame. Safe to call from several threads. Throws IoError.
  std::function<Points(std::size_t index)> read;

  [[nodiscard]] std::size_t size() const { return ids.size(); }
};

}  // namespace parte::datasets
