#pragma once

#include <Eigen/Geometry>
#include <span>
#include <vector>

namespace parte::datasets {

/// Two frames of one drive by number: the source is `i`, the target `j` > `i`.
struct FramePair {
  int i = 0, j = 0;
  Eigen::Isometry3d T_j_i = Eigen::Isometry3d::Identity();
};

struct DistancePairOptions {
  double distance_m = 10.0;
  int window = 100;       ///< frames ahead that are looked at
  void validate() const;  ///< throws std::invalid_argument naming the field and its range
};

/// The KITTI-10m rule of FCGF and those after it: from frame i go to the first frame more than 10 m away and take the
/// one before it as j; go on with the one after j. Frames that leave 10 m too late for the window are passed over.
/// KITTI-10m itself was made with the official poses of the camera, and comes out of those exactly.
/// Throws std::invalid_argument unless there is a pose for every id and ids ascend.
[[nodiscard]] std::vector<FramePair> distance_pairs(std::span<const int> ids,
                                                    std::span<const Eigen::Isometry3d> T_world_frame,
                                                    const DistancePairOptions& options = {});

struct LoopPairOptions {
  double min_distance_m = 0.0, max_distance_m = 10.0;  ///< both ends excluded; KITTI-LC has 0-10, 10-20, 20-30
  int min_gap = 250;                                   ///< frames; loops are at least one more apart
  double interval_m = 2.0;  ///< both frames of a pair are that far from those of the pair before
  void validate() const;    ///< throws std::invalid_argument naming the field and its range
};

/// The KITTI-LC rule of G3Reg: pairs in the order of i, then j, each one taken if it keeps the interval to the one
/// taken before. Among the j of one i the published lists follow the order of a search tree, which is no rule: the
/// smallest j is taken here, so that i agrees with the lists and j often does not.
/// Throws as distance_pairs().
[[nodiscard]] std::vector<FramePair> loop_pairs(std::span<const int> ids,
                                                std::span<const Eigen::Isometry3d> T_world_frame,
                                                const LoopPairOptions& options = {});

}  // namespace parte::datasets
