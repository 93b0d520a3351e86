#pragma once

#include <datasets/pair_list.hpp>

#include <array>
#include <string_view>

namespace parte::datasets {

/// The pairs of a gt.log or gt.info: `i j n`, n the number of clouds, then a matrix.
template <class Value>
struct FragmentEntry {
  int i = 0, j = 0;
  Value value;
};

/// `i j n` and 4 rows of 4 numbers that map cloud j into the frame of cloud i. Throws IoError naming the line.
[[nodiscard]] std::vector<FragmentEntry<Eigen::Isometry3d>> parse_gt_log(std::string_view text,
                                                                         const std::filesystem::path& path);
/// `i j n` and 6 rows of 6 numbers; see Pair::information.
[[nodiscard]] std::vector<FragmentEntry<Matrix6d>> parse_gt_info(std::string_view text,
                                                                 const std::filesystem::path& path);

/// The test scenes of 3DMatch and 3DLoMatch.
inline constexpr std::array<std::string_view, 8> k3DMatchScenes = {
    "7-scenes-redkitchen",
    "sun3d-home_at-home_at_scan1_2013_jan_1",
    "sun3d-home_md-home_md_scan9_2012_sep_30",
    "sun3d-hotel_uc-scan3",
    "sun3d-hotel_umd-maryland_hotel1",
    "sun3d-hotel_umd-maryland_hotel3",
    "sun3d-mit_76_studyroom-76-1studyroom2",
    "sun3d-mit_lab_hj-lab_hj_tea_nov_2_2012_scan1_erika",
};

/// The pairs of one scene: cloud j is the source, cloud i the target, the scene the group.
///   clouds  root/<scene>/cloud_bin_N.ply or root/fragments/<scene>/cloud_bin_N.ply
///   gt.log  in logs/<scene>-evaluation/, logs/<scene>/ or logs/gt_result/<scene>-evaluation/, with gt.info beside it
/// `logs` is where the lists are if not in root: 3DMatch and 3DLoMatch share the clouds and differ in the lists.
/// Throws IoError with every place looked at.
[[nodiscard]] std::vector<Pair> read_3dmatch_scene(const std::filesystem::path& root, const std::string& scene,
                                                   const std::filesystem::path& logs = {});

/// The same for clouds `prefix`N.ply, whatever the benchmark.
[[nodiscard]] std::vector<Pair> read_fragment_pairs(const std::filesystem::path& root, const std::string& scene,
                                                    const std::filesystem::path& logs, const std::string& prefix);

}  // namespace parte::datasets
