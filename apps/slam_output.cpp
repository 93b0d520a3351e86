#include <apps/slam_output.hpp>

#include <datasets/file.hpp>
#include <datasets/g2o.hpp>
#include <datasets/kitti.hpp>
#include <datasets/scan_io.hpp>
#include <datasets/text.hpp>
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

class Csv {
 public:
  explicit Csv(std::string header) : text_(std::move(header)) {}
  template <class T>
  Csv& operator<<(const T& value) {
    if (!std::exchange(first_, false)) text_ += ',';
    if constexpr (std::is_arithmetic_v<T>)
      datasets::append_number(text_, value);
    else
      text_.append(std::string_view(value));
    return *this;
  }
  void end_line() { text_ += '\n', first_ = true; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
  bool first_ = true;
};

void add_line(Csv& csv, const SlamReplay& run, const JudgedAttempt& judged) {
  const slam::LoopAttempt& a = judged.attempt;
  const auto& ids = run.input().sequence.ids;
  csv << ids[run.keyframes[a.from].place.position] << ids[run.keyframes[a.to].place.position]
      << (a.look_alike ? "look-alike" : "nearby") << a.expected_distance_m << a.unlikeness
      << (a.accepted() ? "accepted" : "refused") << a.reason() << a.clique_points << a.clique_planes << a.clique_weight
      << (a.proven_optimal ? 1 : 0) << a.residual_m << a.overlap << a.agreement << a.odometry_chi2;
  const auto error = error_of(run, judged);
  if (error)
    csv << error->true_distance_m << error->true_rotation_deg << judged.true_overlap;
  else
    csv << "" << "" << "";
  if (error && a.status == Status::success)
    csv << error->translation_m << error->rotation_deg << error->nees << (error->right ? 1 : 0);
  else
    csv << "" << "" << "" << "";
  csv << a.milliseconds;
  csv.end_line();
}

std::string loops_csv(const SlamReplay& run) {
  Csv csv(
      "from,to,kind,expected_distance_m,unlikeness,status,reason,clique_points,clique_planes,clique_weight,"
      "proven_optimal,residual_m,overlap,agreement,odometry_chi2,true_distance_m,true_rotation_deg,true_overlap,"
      "error_m,error_deg,nees,right,milliseconds\n");
  for (const KeyframeRecord& keyframe : run.keyframes)
    for (const JudgedAttempt& judged : keyframe.attempts) add_line(csv, run, judged);
  return csv.text();
}

datasets::Points map_of(const SlamReplay& run, const Poses& poses, double voxel) {
  datasets::Points all;
  for (const KeyframeRecord& keyframe : run.keyframes) {
    const Eigen::Isometry3f T = poses[keyframe.place.position].cast<float>();
    for (const Eigen::Vector3f& p : keyframe.map_points) all.push_back(T * p);
  }
  PointCloud map = voxel_downsample(all, voxel);
  for (Eigen::Vector3f& p : map.points) p += map.origin.cast<float>();
  return std::move(map.points);
}

}  // namespace

void write_results(const fs::path& folder, const SlamReplay& run, const SlamMetrics& metrics, double map_voxel) {
  fs::create_directories(folder);
  const Poses poses = run.mapper().trajectory();
  write_trajectory(folder, "odometry", run.odometry_trajectory(), run.input().sequence);
  write_trajectory(folder, "trajectory", poses, run.input().sequence);
  datasets::write_g2o(folder / "graph.g2o", graph_of(run, poses));
  datasets::write_file(folder / "loops.csv", loops_csv(run));
  datasets::write_ply(folder / "map.ply", map_of(run, poses, map_voxel));
  datasets::write_file(folder / "metrics.json", to_json(metrics, run));
}

}  // namespace parte::apps
