#pragma once

#include <datasets/pair_list.hpp>

#include <string_view>

namespace parte::datasets {

/// One scan of a RESSO scene and where it stands.
struct RessoScan {
  std::string name;
  Eigen::Isometry3d T_world_scan = Eigen::Isometry3d::Identity();
};

/// The number of scans, then for each its file name and 4 rows of 4 numbers, which map it into the frame of the scene.
/// Throws IoError naming the line.
[[nodiscard]] std::vector<RessoScan> parse_resso(std::string_view text, const std::filesystem::path& path);

/// Partial-to-full pairs of a RESSO scene (6a to 6h: hand-held scans of a room and one static scan of all of it): every
/// other scan is a source, the full one the target, the folder's name the group. Files are beside the list.
///
/// The list's form is that of published readers of RESSO. That its first scan is the full one is an assumption, drawn
/// from copies of the dataset in which scan 000 of 6a sees 76 % of scan 009 and is itself seen by 4 %; name it where
/// that does not hold. Throws IoError.
[[nodiscard]] std::vector<Pair> read_resso_pairs(const std::filesystem::path& list, const std::string& full = {});

}  // namespace parte::datasets
