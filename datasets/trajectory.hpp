#pragma once

#include <Eigen/Geometry>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace parte::datasets {

/// Poses map coordinates of the moving frame into the fixed one (T_world_body); which frames these are is not in the
/// files. Reading throws IoError naming the line, also for a file without poses; `path` is for messages only where the
/// content is given as text. Writing throws IoError, and std::invalid_argument for what could not be read again. A file
/// of that name is replaced at once or not at all.

/// KITTI: the 12 numbers of the 3 x 4 matrix, row major, one pose per line.
[[nodiscard]] std::vector<Eigen::Isometry3d> parse_kitti_poses(std::string_view text,
                                                               const std::filesystem::path& path);
[[nodiscard]] std::vector<Eigen::Isometry3d> read_kitti_poses(const std::filesystem::path& path);
void write_kitti_poses(const std::filesystem::path& path, std::span<const Eigen::Isometry3d> poses);

struct StampedPose {
  double time_s;
  Eigen::Isometry3d pose;
};

/// TUM: `t tx ty tz qx qy qz qw` per line, times ascending; quaternions within 0.01 of unit length are normalised.
[[nodiscard]] std::vector<StampedPose> parse_tum(std::string_view text, const std::filesystem::path& path);
[[nodiscard]] std::vector<StampedPose> read_tum(const std::filesystem::path& path);
void write_tum(const std::filesystem::path& path, std::span<const StampedPose> poses);

struct Trajectory {
  std::vector<Eigen::Isometry3d> poses;
  std::optional<std::vector<double>> times_s;  ///< of each pose; KITTI's format has none
};

/// Either format: 12 columns in the first line are KITTI's, 8 are TUM's.
[[nodiscard]] Trajectory parse_trajectory(std::string_view text, const std::filesystem::path& path);
[[nodiscard]] Trajectory read_trajectory(const std::filesystem::path& path);

}  // namespace parte::datasets
