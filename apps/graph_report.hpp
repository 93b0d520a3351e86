#pragma once

#include <apps/slam_report.hpp>
#include <datasets/g2o.hpp>
#include <slam/graph_loops.hpp>

namespace parte::apps {

/// Loops that were added to a graph, and what it took.
struct ClosedGraph {
  const datasets::PoseGraph& graph;  ///< as it was
  const std::map<gtsam::Key, slam::ScanOf>& scans;
  slam::GraphLoops result;
  std::map<std::pair<std::size_t, std::size_t>, LoopDetail> details;  ///< of loops, by `from` and `to`
  double milliseconds = 0.0;
  bool upright = true;       ///< z of the scans is up
  bool interrupted = false;  ///< not all scans were looked at
};

/// The vertices in the order of their ids are the frames, those with a scan the keyframes. Scans of loops are read
/// again; the map is made of those that were accepted. Must not outlive `closed`.
[[nodiscard]] SlamPage page_of(const ClosedGraph& closed, const std::string& name, double map_voxel,
                               const RunInfo& info);

}  // namespace parte::apps
