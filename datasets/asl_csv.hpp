#pragma once

#include <Eigen/Geometry>
#include <filesystem>
#include <string_view>
#include <vector>

namespace parte::datasets {

/// Comma-separated tables of ETH's Autonomous Systems Lab. (Its scans are text clouds: see xyz.hpp.)

/// pose_scanner_leica.csv: poseId, timestamp, T00 .. T33, the rows of T_world_scanner. Ids count from 0.
[[nodiscard]] std::vector<Eigen::Isometry3d> parse_asl_poses(std::string_view text, const std::filesystem::path& path);

/// A square table of overlaps within [0, 1], without heading: row i, column j is the share of scan i that scan j sees.
[[nodiscard]] Eigen::MatrixXd parse_asl_overlaps(std::string_view text, const std::filesystem::path& path);

}  // namespace parte::datasets
