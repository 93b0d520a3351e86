#include <apps/slam_output.hpp>

#include <apps/attempt_csv.hpp>
#include <apps/html_report.hpp>
#include <datasets/file.hpp>
#include <datasets/g2o.hpp>
#include <datasets/kitti.hpp>
#include <datasets/scan_io.hpp>
#include <datasets/trajectory.hpp>
#include <parte/downsample.hpp>
#include <slam/graph_edges.hpp>

#include <Eigen/Dense>

namespace parte::apps {
namespace {

namespace fs = std::filesystem;
using Poses = std::vector<Eigen::Isometry3d>;

void write_trajectory(const fs::path& folder, const std::string& name, const Poses& poses,
                      const datasets::Sequence& sequence) {
  datasets::write_kitti_poses(folder / (name + "_kitti.txt"),
                              datasets::to_camera_frame(poses, sequence.T_camera_lidar));
  std::vector<datasets::StampedPose> stamped;
  for (std::size_t i = 0; i < poses.size(); ++i) stamped.push_back({sequence.times_s[i], poses[i]});
  datasets::write_tum(folder / (name + ".tum"), stamped);
}

/// Vertices are the keyframes, by the numbers of their frames; edges are odometry, then the loops that were accepted.
datasets::PoseGraph graph_of(const SlamReplay& run, const Poses& poses) {
  const auto id = [&](std::size_t keyframe) {
    return long{run.input().sequence.ids[run.keyframes[keyframe].place.position]};
  };
  datasets::PoseGraph graph;
  for (std::size_t k = 0; k < run.keyframes.size(); ++k) {
    const std::size_t frame = run.keyframes[k].place.position;
    graph.vertices.push_back({id(k), datasets::QuaternionPose(poses[frame])});
  }
  const auto add = [&](std::size_t from, std::size_t to, const Eigen::Isometry3d& T, const Matrix6d& covariance) {
    graph.edges.push_back({id(from), id(to), datasets::QuaternionPose(T), slam::g2o_information(covariance)});
  };
  for (std::size_t k = 1; k < run.keyframes.size(); ++k) {
    const slam::ChainLoop step = run.mapper().odometry_step(k);
    add(k - 1, k, Eigen::Isometry3d(step.T_from_to.matrix()), step.covariance);
  }
  for (const KeyframeRecord& keyframe : run.keyframes)
    for (const JudgedAttempt& a : keyframe.attempts)
      if (a.attempt.accepted()) add(a.attempt.from, a.attempt.to, a.attempt.T_from_to, a.attempt.covariance);
  return graph;
}

void add_truth(Csv& csv, const SlamReplay& run, const JudgedAttempt& judged) {
  const auto error = error_of(run, judged);
  if (error)
    csv << error->true_distance_m << error->true_rotation_deg << judged.true_overlap;
  else
    csv << ""
        << ""
        << "";
  if (error && judged.attempt.registered())
    csv << error->translation_m << error->rotation_deg << error->nees << (error->right ? 1 : 0);
  else
    csv << ""
        << ""
        << ""
        << "";
}

std::string loops_csv(const SlamReplay& run) {
  Csv csv(std::string("from,to,") + kAttemptColumns +
          ",true_distance_m,true_rotation_deg,true_overlap,error_m,error_deg,nees,right," + kExplanationColumns + "\n");
  const auto id = [&](std::size_t keyframe) {
    return run.input().sequence.ids[run.keyframes[keyframe].place.position];
  };
  for (const KeyframeRecord& keyframe : run.keyframes)
    for (const JudgedAttempt& judged : keyframe.attempts) {
      csv << id(judged.attempt.from) << id(judged.attempt.to);
      add_columns(csv, judged.attempt);
      add_truth(csv, run, judged);
      add_explanation(csv, judged.attempt);
      csv.end_line();
    }
  return csv.text();
}

}  // namespace

void remove_results(const fs::path& folder) {
  for (const char* name : kResultFiles) fs::remove(folder / name);
}

datasets::Points join_map(std::span<const MapPart> parts, double voxel) {
  datasets::Points all;
  std::size_t count = 0;
  for (const MapPart& part : parts) count += part.points.size();
  all.reserve(count);
  for (const MapPart& part : parts) {
    const Eigen::Isometry3f T = part.T_world_sensor.cast<float>();
    for (const Eigen::Vector3f& p : part.points) all.push_back(T * p);
  }
  return callers_points(voxel_downsample(all, voxel));
}

void write_results(const fs::path& folder, const SlamReplay& run, const SlamMetrics& metrics, double map_voxel,
                   const RunInfo& info) {
  fs::create_directories(folder);
  const Poses poses = run.mapper().trajectory();
  write_trajectory(folder, "odometry", run.odometry_trajectory(), run.input().sequence);
  write_trajectory(folder, "trajectory", poses, run.input().sequence);
  datasets::write_g2o(folder / "graph.g2o", graph_of(run, poses));
  datasets::write_file(folder / "loops.csv", loops_csv(run));
  std::vector<MapPart> parts;
  for (const KeyframeRecord& keyframe : run.keyframes)
    parts.push_back({keyframe.map_points, poses[keyframe.place.position]});
  SlamPage page = page_of(run, metrics, info);
  page.map = join_map(parts, map_voxel);
  page.map_voxel = map_voxel;
  datasets::write_ply(folder / "map.ply", page.map);
  write_report(folder, slam_report(page));
  datasets::write_file(folder / "metrics.json", json_text(page.metrics));
}

}  // namespace parte::apps
