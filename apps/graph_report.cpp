#include <apps/graph_report.hpp>

#include <apps/slam_output.hpp>
#include <slam/pose3.hpp>

#include <algorithm>
#include <memory>

namespace parte::apps {
namespace {

using Poses = std::vector<Eigen::Isometry3d>;

/// Frames and trajectories.
void add_vertices(SlamPage& page, const ClosedGraph& closed) {
  std::map<long, Eigen::Isometry3d> before;
  for (const auto& vertex : closed.graph.vertices) before[vertex.id] = vertex.T_world_vertex.isometry();
  const Eigen::Isometry3d T_first_world = before.begin()->second.inverse();
  for (const auto& [id, T_world_vertex] : before) {
    const auto after = closed.result.values.at<gtsam::Pose3>(static_cast<gtsam::Key>(id));
    page.times_s.push_back(static_cast<double>(page.frame_ids.size()));
    page.frame_ids.push_back(id);
    page.odometry.push_back(T_first_world * T_world_vertex);
    page.corrected.push_back(T_first_world * slam::to_isometry(after));
  }
  for (const gtsam::Key key : closed.result.keys) {
    const auto frame = std::lower_bound(page.frame_ids.begin(), page.frame_ids.end(), static_cast<long>(key));
    page.keyframes.push_back(static_cast<std::size_t>(frame - page.frame_ids.begin()));
  }
}

SlamMetrics metrics_of(const SlamPage& page, const ClosedGraph& closed, const std::string& name) {
  Poses places;
  for (const std::size_t frame : page.keyframes) places.push_back(page.corrected[frame]);
  SlamMetrics m;
  m.sequence = name;
  m.frames = page.frame_ids.size();
  m.keyframes = page.keyframes.size();
  for (std::size_t i = 1; i < page.odometry.size(); ++i)
    m.path_m += (page.odometry[i].translation() - page.odometry[i - 1].translation()).norm();
  m.loops = loop_metrics(closed.result.attempts, places);
  m.rebuild = RebuildMetrics(closed.result.rebuilt);
  m.peak_memory_gb = peak_memory_gb();
  return m;
}

datasets::Points map_of(const SlamPage& page) {
  std::map<std::size_t, Eigen::Isometry3d> poses;  // of keyframes
  for (const ReportedLoop& loop : page.loops)
    if (loop.attempt.accepted())
      for (const std::size_t k : {loop.attempt.from, loop.attempt.to}) poses[k] = page.corrected[page.keyframes[k]];
  std::vector<MapPart> parts;
  for (const auto& [keyframe, pose] : poses) parts.push_back({page.scan(keyframe), pose});
  return join_map(parts, page.map_voxel);
}

}  // namespace

SlamPage page_of(const ClosedGraph& closed, const std::string& name, double map_voxel, const RunInfo& info) {
  SlamPage page;
  page.info = info;
  page.map_voxel = map_voxel;
  page.upright = closed.upright;
  if (closed.interrupted) page.warnings = {"Interrupted: only the scans looked at until then."};
  add_vertices(page, closed);
  page.metrics = to_json(metrics_of(page, closed, name));
  page.metrics["times_ms"] = {{"loops", closed.milliseconds}};  // there are no other stages
  for (const slam::LoopAttempt& a : closed.result.attempts) {
    const auto detail = closed.details.find({a.from, a.to});
    page.loops.push_back({a, detail == closed.details.end() ? LoopDetail() : detail->second, std::nullopt, 0.0});
  }
  auto known = std::make_shared<std::map<std::size_t, datasets::Points>>();
  page.scan = [&closed, known, map_voxel](std::size_t keyframe) -> const datasets::Points& {
    const auto [scan, fresh] = known->try_emplace(keyframe);
    if (fresh) scan->second = map_points_of(closed.scans.at(closed.result.keys[keyframe])(), map_voxel);
    return scan->second;
  };
  page.map = map_of(page);
  page.notes = {"A pose graph has no times: the frames are counted instead.",
                "The map is made of the scans of accepted loops."};
  return page;
}

}  // namespace parte::apps
