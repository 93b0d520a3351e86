#include <apps/slam_metrics.hpp>

#include <apps/register_report.hpp>
#include <datasets/kitti.hpp>
#include <parte/decompositions.hpp>
#include <slam/icp.hpp>

#include <algorithm>

#include <sys/resource.h>

namespace parte::apps {
namespace {

/// The paper's criteria for LiDAR loops and for RGB-D fragments.
bool within_limits(const PoseError& error, Sensor sensor) {
  return sensor == Sensor::lidar ? error.translation_m <= 2.0 && error.rotation_deg <= 5.0
                                 : error.translation_m <= 0.3 && error.rotation_deg <= 15.0;
}

Eigen::Isometry3d between(const SlamReplay& run, const std::vector<Eigen::Isometry3d>& poses,
                          const slam::LoopAttempt& loop) {
  return poses[run.keyframes[loop.from].place.position].inverse() * poses[run.keyframes[loop.to].place.position];
}

/// The loop's transform, moved along the direction that it leaves open to where it is nearest to the truth.
Eigen::Isometry3d moved_along(const slam::LoopAttempt& loop, const Eigen::Isometry3d& T_true) {
  const Vector6d& open = loop.free_direction;
  const Vector6d error = slam::tangent(loop.T_from_to.inverse() * T_true);
  return loop.T_from_to * motion(open.tail<3>().dot(error.tail<3>()) / open.tail<3>().squaredNorm() * open);
}

/// Of an even number the mean of the two in the middle.
double median(std::vector<double> values) {
  if (values.empty()) return 0.0;
  std::sort(values.begin(), values.end());
  return 0.5 * (values[(values.size() - 1) / 2] + values[values.size() / 2]);
}

std::optional<double> percent(std::size_t part, std::size_t whole) {
  if (whole == 0) return std::nullopt;
  return 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}

TrajectoryErrors errors_of(const SlamInput& input, const std::vector<Eigen::Isometry3d>& estimate) {
  const datasets::Sequence& s = input.sequence;
  TrajectoryErrors errors;
  errors.ate_m = slam::ate_rmse_m(estimate, s.ground_truth);
  errors.ate_first_pose_m = slam::ate_rmse_first_pose_m(estimate, s.ground_truth);
  errors.end_m =
      pose_error(estimate.front().inverse() * estimate.back(), s.ground_truth.front().inverse() * s.ground_truth.back())
          .translation_m;
  errors.lateral = slam::lateral_error(estimate, s.ground_truth);
  errors.step = slam::relative_pose_error(estimate, s.ground_truth);
  // KITTI measures the camera, against its own poses.
  errors.kitti = slam::kitti_error(
      datasets::to_camera_frame(estimate, s.T_camera_lidar),
      datasets::to_camera_frame(input.official.empty() ? s.ground_truth : input.official, s.T_camera_lidar));
  return errors;
}

bool is_revisit(const SlamReplay& run, std::size_t keyframe) {
  const double near = run.sensor() == Sensor::lidar ? 10.0 : 1.0;  // [m]
  const auto& truth = run.input().sequence.ground_truth;
  const slam::OdometryChain& way = run.mapper().odometry();
  const std::size_t here = run.keyframes[keyframe].place.position;
  for (std::size_t k = 0; k < keyframe; ++k) {
    const std::size_t there = run.keyframes[k].place.position;
    if (way.path_m(here) - way.path_m(there) < run.mapper().options().loops.min_path_m) return false;
    if ((truth[here].translation() - truth[there].translation()).norm() < near) return true;
  }
  return false;
}

/// The kinds that are told apart, in `by_distance` and so on, each with the limits between them.
struct Bins {
  std::vector<double> distance_m, rotation_deg, overlap;
};

/// For LiDAR the paper's, and what is beyond them.
Bins make_bins(LoopMetrics& m, Sensor sensor) {
  const bool lidar = sensor == Sensor::lidar;
  m.by_distance = lidar ? std::vector<SuccessRate>{{"0-10 m"}, {"10-20 m"}, {"20-30 m"}, {"above 30 m"}}
                        : std::vector<SuccessRate>{{"0-1 m"}, {"1-2 m"}, {"2-4 m"}, {"above 4 m"}};
  m.by_rotation = {{"0-30 deg"}, {"30-90 deg"}, {"90-180 deg"}};
  m.by_overlap = {{"below 10 %"}, {"10-30 %"}, {"30-50 %"}, {"above 50 %"}};
  return {lidar ? std::vector<double>{10.0, 20.0, 30.0} : std::vector<double>{1.0, 2.0, 4.0},
          {30.0, 90.0},
          {0.1, 0.3, 0.5}};
}

/// Counts an attempt with the first kind whose limit it does not exceed, or else with the last.
void count(std::vector<SuccessRate>& rates, const std::vector<double>& limits, double value, bool right) {
  SuccessRate& rate =
      rates.at(static_cast<std::size_t>(std::lower_bound(limits.begin(), limits.end(), value) - limits.begin()));
  ++rate.tried;
  if (right) ++rate.right;
}

void count_against_truth(LoopMetrics& m, const Bins& bins, const AttemptError& error, const JudgedAttempt& judged) {
  count(m.by_distance, bins.distance_m, error.true_distance_m, error.right);
  count(m.by_rotation, bins.rotation_deg, error.true_rotation_deg, error.right);
  count(m.by_overlap, bins.overlap, judged.true_overlap, error.right);
  if (!judged.attempt.accepted()) return;
  if (!error.right) ++m.wrong;
  if (error.right) m.mean_nees += error.nees;
}

LoopMetrics loops_of(const SlamReplay& run) {
  const std::vector<Eigen::Isometry3d> poses = run.mapper().trajectory();
  std::vector<Eigen::Isometry3d> places;
  for (const KeyframeRecord& keyframe : run.keyframes) places.push_back(poses[keyframe.place.position]);
  LoopMetrics m = loop_metrics(run.mapper().attempts(), places);
  if (!run.input().has_truth()) return m;
  const Bins bins = make_bins(m, run.sensor());
  for (std::size_t k = 0; k < run.keyframes.size(); ++k) {
    bool closed = false;
    for (const JudgedAttempt& judged : run.keyframes[k].attempts) {
      const AttemptError error = *error_of(run, judged);
      count_against_truth(m, bins, error, judged);
      closed |= judged.attempt.accepted() && error.right;
    }
    if (!is_revisit(run, k)) continue;
    ++m.revisits;
    if (closed) ++m.closed_revisits;
  }
  m.mean_nees /= static_cast<double>(std::max<std::size_t>(m.accepted - m.wrong, 1));
  return m;
}

}  // namespace

double chi2(const slam::LoopAttempt& loop, const Eigen::Isometry3d& T_from_to) {
  const Vector6d e = slam::tangent(loop.T_from_to.inverse() * T_from_to);
  return parte::chi2(e, loop.covariance);
}

LoopMetrics loop_metrics(std::span<const slam::LoopAttempt> attempts, const std::vector<Eigen::Isometry3d>& places) {
  LoopMetrics m;
  std::vector<double> chi2s;
  for (const slam::LoopAttempt& a : attempts) {
    ++m.tried;
    if (!a.accepted()) {
      ++m.refused[std::string(a.reason())];
      m.options[std::string(a.reason())] = options_of(a);
      continue;
    }
    ++m.accepted;
    chi2s.push_back(chi2(a, places[a.from].inverse() * places[a.to]));
  }
  m.median_chi2 = median(std::move(chi2s));
  return m;
}

std::optional<AttemptError> error_of(const SlamReplay& run, const JudgedAttempt& judged) {
  if (!run.input().has_truth()) return std::nullopt;
  const slam::LoopAttempt& a = judged.attempt;
  const Eigen::Isometry3d truth = between(run, run.input().sequence.ground_truth, a);
  const PoseError apart = pose_error(truth, Eigen::Isometry3d::Identity());
  AttemptError error;
  error.true_distance_m = apart.translation_m;
  error.true_rotation_deg = apart.rotation_deg;
  if (!a.registered()) return error;
  const PoseError wrong = pose_error(a.partial ? moved_along(a, truth) : a.T_from_to, truth);
  error.translation_m = wrong.translation_m;
  error.rotation_deg = wrong.rotation_deg;
  error.nees = chi2(a, truth);
  error.right = within_limits(wrong, run.sensor());
  return error;
}

std::optional<double> LoopMetrics::precision() const { return percent(accepted - wrong, accepted); }
std::optional<double> LoopMetrics::recall() const { return percent(closed_revisits, revisits); }

SlamMetrics measure(const SlamReplay& run) {
  SlamMetrics m;
  m.sequence = run.input().sequence.name;
  m.voxel_m = run.voxel();
  m.frames = run.frames.size();
  m.keyframes = run.keyframes.size();
  m.lost = static_cast<std::size_t>(
      std::count_if(run.frames.begin(), run.frames.end(), [](const FrameRecord& f) { return f.lost; }));
  m.path_m = run.mapper().odometry().path_m(run.frames.size() - 1);
  if (run.input().has_truth()) {
    m.odometry = errors_of(run.input(), run.odometry_trajectory());
    m.corrected = errors_of(run.input(), run.mapper().trajectory());
  }
  m.loops = loops_of(run);
  m.rebuild = RebuildMetrics(run.rebuilt());
  m.times = run.times;
  m.peak_memory_gb = peak_memory_gb();
  return m;
}

double peak_memory_gb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) * 1024.0 / 1e9;
}

}  // namespace parte::apps
