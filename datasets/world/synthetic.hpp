#pragma once

#include <datasets/world/sensors.hpp>
#include <datasets/world/world.hpp>

namespace parte::datasets {

struct SyntheticOptions {
  Preset preset = Preset::town;
  std::uint64_t seed = 1;
  double length_m = kDriveLength;  ///< of the drives that have no length of their own, see make_world()
  bool motion_distortion = false;  ///< the car moves while the LiDAR turns, and nobody corrects it
  LidarOptions lidar;
};

/// A drive through a world that exists only as its preset and seed. Scans are made when asked for.
class SyntheticDrive {
 public:
  /// Not for Preset::indoor.
  explicit SyntheticDrive(const SyntheticOptions& options);

  [[nodiscard]] const World& world() const { return world_; }
  [[nodiscard]] std::size_t size() const { return world_.drive.poses.size(); }
  /// T_world_lidar of each frame; the world is the first frame.
  [[nodiscard]] std::vector<Eigen::Isometry3d> ground_truth() const;
  /// The same scan on every call and thread.
  [[nodiscard]] LabelledScan scan(std::size_t index) const;

 private:
  [[nodiscard]] Mesh movers_at(double time_s, const Eigen::Vector3d& sensor) const;
  [[nodiscard]] Eigen::Isometry3d pose_within(std::size_t index, double turn) const;

  SyntheticOptions options_;
  World world_;
  RayTracer standing_;
};

/// T_camera_lidar as KITTI's car has it: the camera looks ahead, x to the right and y down.
[[nodiscard]] Eigen::Isometry3d kitti_like_calibration();

/// Furnished rooms, seen by a depth camera that looks around; each frame is a fragment, the union of some views in
/// the frame of the first.
struct IndoorWorld {
  Mesh mesh;
  std::vector<Eigen::Isometry3d> poses;  ///< T_world_camera of each fragment
};
[[nodiscard]] IndoorWorld make_indoor(std::uint64_t seed);

/// Any preset as a sequence that is made while it is read. Ground truth starts at the identity.
[[nodiscard]] Sequence open_synthetic(const SyntheticOptions& options);

}  // namespace parte::datasets
