#pragma once

#include <datasets/sequence.hpp>

#include <array>
#include <filesystem>
#include <string_view>

namespace parte::datasets {

/// A drive of KITTI raw ("synced+rectified data"), 2011_09_26/2011_09_26_drive_0001_sync:
///   velodyne_points/data/NNNNNNNNNN.bin  the scans; frames may be missing
///   velodyne_points/timestamps.txt       a date for every frame number
///   oxts/data/NNNNNNNNNN.txt             GNSS/IMU of every frame that has a scan
///   ../calib_imu_to_velo.txt, ../calib_velo_to_cam.txt
/// Times are seconds since frame 0. Ground truth is T_world_lidar by the Mercator projection of the raw devkit,
/// relative to the first scan. T_camera_lidar is that of camera 0 before rectification. Throws IoError naming what was
/// looked for.
[[nodiscard]] Sequence open_kitti_raw(const std::filesystem::path& drive);

/// The first six of the 30 values of an oxts file.
struct Oxts {
  double latitude_deg = 0, longitude_deg = 0, altitude_m = 0;
  double roll_rad = 0, pitch_rad = 0, yaw_rad = 0;  ///< yaw 0 is east, counter-clockwise
};
[[nodiscard]] Oxts parse_oxts(std::string_view text, const std::filesystem::path& path);

/// T_world_imu, x east and y north, in metres at the latitude of `origin`.
[[nodiscard]] Eigen::Isometry3d mercator_pose(const Oxts& oxts, const Oxts& origin);

/// Lines like "2011-09-26 13:02:25.964389445" as seconds since the first one.
[[nodiscard]] std::vector<double> parse_kitti_timestamps(std::string_view text, const std::filesystem::path& path);

/// The lines "R:" (9 numbers, row major) and "T:" (3 numbers) of a calibration file.
[[nodiscard]] Eigen::Isometry3d parse_kitti_raw_calib(std::string_view text, const std::filesystem::path& path);

}  // namespace parte::datasets
