#pragma once

#include <apps/slam_metrics.hpp>

#include <functional>

#include <nlohmann/json.hpp>

namespace parte::apps {

/// How a run was started.
struct RunInfo {
  std::string command;   ///< as it was typed
  std::string settings;  ///< as config.toml has them
};

/// A loop that was tried, and what is known about it.
struct ReportedLoop {
  slam::LoopAttempt attempt;
  LoopDetail detail;                  ///< empty: not registered
  std::optional<AttemptError> error;  ///< nothing without ground truth
  double true_overlap = 0.0;          ///< the same
};

/// Everything that the page of a run tells.
struct SlamPage {
  RunInfo info;
  nlohmann::ordered_json metrics;
  std::vector<long> frame_ids;
  std::vector<double> times_s;
  std::vector<Eigen::Isometry3d> odometry, corrected;  ///< T_world_frame; the world is the first scan
  std::vector<Eigen::Isometry3d> truth;                ///< in any frame; empty: there is none
  std::vector<std::size_t> keyframes;                  ///< among the frames
  std::vector<ReportedLoop> loops;                     ///< between keyframes, in the order in which they were tried
  /// Of keyframes in a loop, in the sensor's frame.
  std::function<const datasets::Points&(std::size_t keyframe)> scan;
  datasets::Points map;
  double map_voxel = 0.5;             ///< what it was made with
  bool upright = true;                ///< z of the first scan is up
  std::vector<std::string> notes;     ///< what else the reader should know
  std::vector<std::string> warnings;  ///< what the reader must know first
};
[[nodiscard]] SlamPage page_of(const SlamReplay& run, const SlamMetrics& metrics, const RunInfo& info);

/// SlamReport of apps/report/src/data.ts. Scans, and if need be the number of loops that can be opened, are cut down
/// until the page stays below 15 MB.
[[nodiscard]] nlohmann::ordered_json slam_report(const SlamPage& page);

/// Distance of each position from the true one, after the alignment of the ATE.
[[nodiscard]] std::vector<double> position_errors_m(const std::vector<Eigen::Isometry3d>& estimate,
                                                    const std::vector<Eigen::Isometry3d>& truth);

}  // namespace parte::apps
