#pragma once

#include <Eigen/Geometry>
#include <filesystem>
#include <string_view>
#include <vector>

namespace parte::datasets {

/// KITTI's pose files: one pose a line, 12 numbers, the rows of [R t]. `path` is for messages only.
/// Throws IoError naming the line.
[[nodiscard]] std::vector<Eigen::Isometry3d> parse_kitti_poses(std::string_view text,
                                                               const std::filesystem::path& path);
[[nodiscard]] std::vector<Eigen::Isometry3d> read_kitti_poses(const std::filesystem::path& path);

/// Every number in the shortest form that reads back as the same double. Throws IoError.
void write_kitti_poses(const std::filesystem::path& path, const std::vector<Eigen::Isometry3d>& poses);

}  // namespace parte::datasets
