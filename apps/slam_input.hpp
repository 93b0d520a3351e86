#pragma once

#include <apps/slam_config.hpp>
#include <datasets/sequence.hpp>

namespace parte::apps {

/// What a run maps.
struct SlamInput {
  datasets::Sequence sequence;
  /// KITTI's official poses: wrong locally, but what its odometry benchmark is measured against. Empty if there are
  /// none.
  std::vector<Eigen::Isometry3d> official;
  std::vector<Eigen::Isometry3d> odometry;  ///< T_world_lidar of each frame; empty: to be made from the scans

  [[nodiscard]] bool has_truth() const { return !sequence.ground_truth.empty(); }
};

/// Opens what the configuration names, down to the frames it asks for. Throws IoError and std::invalid_argument.
[[nodiscard]] SlamInput open_input(const SlamConfig& config);

/// One line about it.
[[nodiscard]] std::string describe(const SlamInput& input);

}  // namespace parte::apps
