#pragma once

#include <apps/slam_report.hpp>

#include <array>
#include <filesystem>

namespace parte::apps {

/// Everything that a run leaves when it is finished, with or without --graph.
inline constexpr std::array kResultFiles = {
    "metrics.json",         "report.html", "odometry.tum",  "odometry_kitti.txt", "trajectory.tum",
    "trajectory_kitti.txt", "graph.g2o",   "optimised.g2o", "loops.csv",          "map.ply"};

/// Those of an earlier run, so that they do not stand beside what another begins.
void remove_results(const std::filesystem::path& folder);

/// Trajectories before and after, graph.g2o, loops.csv, map.ply, report.html and metrics.json; docs/FORMATS.md says
/// what is in them. Throws IoError.
void write_results(const std::filesystem::path& folder, const SlamReplay& run, const SlamMetrics& metrics,
                   double map_voxel, const RunInfo& info);

/// Points of keyframes in the sensor's frame, brought together where the keyframes are.
struct MapPart {
  const datasets::Points& points;
  Eigen::Isometry3d T_world_sensor;
};
[[nodiscard]] datasets::Points join_map(std::span<const MapPart> parts, double voxel);

/// The content of metrics.json; and as it is written.
[[nodiscard]] nlohmann::ordered_json to_json(const SlamMetrics& metrics);
[[nodiscard]] std::string json_text(const nlohmann::ordered_json& json);

/// For people, on standard output.
void print_summary(const SlamMetrics& metrics, const std::filesystem::path& folder);

}  // namespace parte::apps
