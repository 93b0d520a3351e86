#pragma once

#include <datasets/sequence.hpp>

#include <filesystem>
#include <optional>
#include <string_view>

namespace parte::datasets {

/// Which poses a KITTI sequence takes for the truth. The official ones come from GNSS and are locally wrong by up to a
/// metre; SemanticKITTI's come from a scan-based SLAM.
enum class KittiTruth {
  best,      ///< SemanticKITTI's where they are, else the official ones, else none
  semantic,  ///< sequences/NN/poses.txt or semantickitti_poses/NN.txt
  official,  ///< poses/NN.txt
  file,      ///< KittiOptions::ground_truth_file
  none,
};

struct KittiOptions {
  KittiTruth ground_truth = KittiTruth::best;
  std::filesystem::path ground_truth_file = {};  ///< for KittiTruth::file; camera frame, a pose for every frame number
  /// [deg], added to the elevation of every point; see correct_elevation(). KITTI's calibration of the Velodyne is
  /// wrong by about this much (docs/BENCHMARK.md); 0 for the scans of other sensors.
  double elevation_correction_deg = 0.205;
  void validate() const;  ///< throws std::invalid_argument naming the field and its range
};

/// The folder that holds sequences/: the argument or its dataset/, else $KITTI_ROOT, else the usual places.
/// Throws IoError with every place looked at.
[[nodiscard]] std::filesystem::path find_kitti_root(const std::optional<std::filesystem::path>& root = {});

/// Sequence "00" .. "21" of KITTI odometry. Frame numbers are those of the file names, so a part of a sequence will do.
///   sequences/NN/velodyne/NNNNNN.bin  the scans
///   sequences/NN/times.txt            a line for every frame number; absent: 0.1 s a frame
///   sequences/NN/calib.txt            Tr; must be there if ground truth is
/// Ground truth is T_world_lidar = Tr^-1 T_camera Tr. Throws IoError where files are missing or do not fit together.
[[nodiscard]] Sequence open_kitti(const std::filesystem::path& root, const std::string& sequence,
                                  const KittiOptions& options = {});

/// T_camera_lidar of a calib.txt: the line "Tr:" or "Tr_velo_to_cam:" with 12 numbers.
[[nodiscard]] Eigen::Isometry3d parse_kitti_calib(std::string_view text, const std::filesystem::path& path);
/// One number of seconds a line.
[[nodiscard]] std::vector<double> parse_kitti_times(std::string_view text, const std::filesystem::path& path);

/// Poses of the camera, relative to its first one, as poses of the LiDAR relative to its own: Tr^-1 T Tr.
[[nodiscard]] std::vector<Eigen::Isometry3d> to_lidar_frame(std::vector<Eigen::Isometry3d> camera_poses,
                                                            const Eigen::Isometry3d& T_camera_lidar);
/// The inverse: Tr T Tr^-1, as KITTI's evaluation wants trajectories.
[[nodiscard]] std::vector<Eigen::Isometry3d> to_camera_frame(std::vector<Eigen::Isometry3d> lidar_poses,
                                                             const Eigen::Isometry3d& T_camera_lidar);

/// Turns every point about the horizontal axis p x z, so that its elevation as seen from the sensor rises by the angle.
/// Points straight above or below the sensor have no such axis and stay.
void correct_elevation(Points& points, double degrees);

}  // namespace parte::datasets
