#pragma once

#include <datasets/pair_list.hpp>

namespace parte::datasets {

struct EthOptions {
  double min_overlap = 0.3;  ///< for the original layout: pairs that both see less of each other are left out
  void validate() const;     ///< throws std::invalid_argument naming the field and its range
};

/// The pairs of one scene of ETH's "challenging data sets for point cloud registration": gazebo_summer, gazebo_winter,
/// wood_autumn, wood_summer. Of i < j, scan j is the source, scan i the target, the scene the group. Two layouts:
///   as the registration papers share it  root/<scene>/gt.log and Hokuyo_N.ply; wood_autumn is spelt wood_autmn there,
///                                        which is found under the right name too
///   as the laboratory published it       pose_scanner_leica.csv in root/<scene>/ or its csv_global/, global_frame/,
///                                        csv_local/, local_frame/ or leica/; Hokuyo_N.csv in root/<scene>/ or its
///                                        csv_local/ or local_frame/; overlap_<scene>.csv or overlap.csv,
///                                        which chooses the pairs
/// Throws IoError naming what was looked for.
[[nodiscard]] std::vector<Pair> read_eth_scene(const std::filesystem::path& root, const std::string& scene,
                                               const EthOptions& options = {});

}  // namespace parte::datasets
