#pragma once

#include <apps/slam_metrics.hpp>

#include <filesystem>

namespace parte::apps {

/// Trajectories before and after, graph.g2o, loops.csv, metrics.json and map.ply; docs/FORMATS.md says what is in them.
/// Throws IoError.
void write_results(const std::filesystem::path& folder, const SlamReplay& run, const SlamMetrics& metrics,
                   double map_voxel);

/// The content of metrics.json.
[[nodiscard]] std::string to_json(const SlamMetrics& metrics, const SlamReplay& run);

/// For people, on standard output.
void print_summary(const SlamMetrics& metrics, const std::filesystem::path& folder);

}  // namespace parte::apps
