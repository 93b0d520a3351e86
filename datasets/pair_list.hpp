#pragma once

#include <parte/transform.hpp>

#include <Eigen/Geometry>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parte::datasets {

/// Two scans and the true transform between them.
struct Pair {
  std::string source, target;  ///< paths of the scans
  Eigen::Isometry3d T_target_source = Eigen::Isometry3d::Identity();
  std::string group;  ///< results are reported by group
  /// Where the benchmark has it (gt.info): the matrix of 3DMatch's error e' I e / I(0, 0), with e the translation and
  /// then the x, y, z of the rotation's quaternion.
  std::optional<Matrix6d> information = std::nullopt;
};

/// The path of the list is for messages only where its content is given as text.
///
/// KITTI-LC, KITTI-10m and lists like them: a header line, then `seq i seq_db j` and 16 numbers, row major, that map
/// scan i into the frame of scan j. Scans are root/sequences/NN/velodyne/NNNNNN.bin, groups the sequence "NN".
/// Throws IoError naming the line.
[[nodiscard]] std::vector<Pair> parse_kitti_pairs(std::string_view text, const std::filesystem::path& list,
                                                  const std::filesystem::path& root);
[[nodiscard]] std::vector<Pair> read_kitti_pairs(const std::filesystem::path& list, const std::filesystem::path& root);

/// Lines `file_i file_j scene benchmark overlap` and 16 numbers, row major, that map cloud j into the frame of cloud i:
/// j is the source. Files are relative to root, groups are "benchmark/scene". Throws IoError naming the line.
[[nodiscard]] std::vector<Pair> parse_3dmatch_pairs(std::string_view text, const std::filesystem::path& list,
                                                    const std::filesystem::path& root);
[[nodiscard]] std::vector<Pair> read_3dmatch_pairs(const std::filesystem::path& list,
                                                   const std::filesystem::path& root);

}  // namespace parte::datasets
