#include <apps/slam_replay.hpp>

#include <datasets/random.hpp>
#include <datasets/scan_stream.hpp>
#include <parte/downsample.hpp>
#include <parte/transform.hpp>
#include <slam/pose3.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>

namespace parte::apps {
namespace {

/// Adds the time that passes until the end of the scope.
class Stopwatch {
 public:
  explicit Stopwatch(double& sum_ms) : sum_(sum_ms) {}
  ~Stopwatch() { sum_ += std::chrono::duration<double, std::milli>(Clock::now() - start_).count(); }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  using Clock = std::chrono::steady_clock;
  double& sum_;
  Clock::time_point start_ = Clock::now();
};

/// The frame with a motion that is turned and shifted at random, and with a covariance that says by how much. The same
/// for a frame whenever it is asked for, so that a resumed run has the same.
FrameRecord with_drift(FrameRecord frame, const SlamConfig& config, std::size_t index) {
  if (!config.degrade || index == 0) return frame;
  constexpr double kUpright = 0.1;  // gravity is felt, so that tilt and height drift less
  datasets::Random random(config.seed * 1'000'003 + index);
  const double root = std::sqrt(std::max(frame.motion.translation().norm(), 0.05));  // [m] also where it stands
  const double turn = root * config.degrade_deg * std::numbers::pi / 180.0, shift = root * config.degrade_m;
  Vector6d deviations;
  deviations << kUpright * turn, kUpright * turn, turn, shift, shift, kUpright * shift;
  Vector6d error = deviations;
  for (int k = 0; k < 6; ++k) error[k] *= random.normal();
  error.tail<3>() += config.degrade_scale * frame.motion.translation();
  frame.motion = frame.motion * motion(error);
  frame.covariance += Matrix6d(deviations.cwiseAbs2().asDiagonal());
  return frame;
}

}  // namespace

datasets::Points map_points_of(datasets::Points points, double voxel) {
  constexpr float kRange = 40.0f;  // [m] farther points are sparse and blur the map
  std::erase_if(points, [](const Eigen::Vector3f& p) { return !(p.norm() < kRange); });
  return callers_points(voxel_downsample(points, voxel));
}

/// Where scans and their motions come from: the stream of all scans and the odometry, or given poses and just the scans
/// that are asked for.
class SlamReplay::Source {
 public:
  Source(const SlamConfig& config, const SlamInput& input)
      : config_(config), input_(input), odometry_(config.lidar_odometry()) {}

  [[nodiscard]] bool makes_odometry() const { return input_.odometry.empty(); }
  slam::Odometry& odometry() { return odometry_; }

  FrameRecord next(std::size_t index) { return makes_odometry() ? by_scan(index) : by_pose(index); }
  /// Of the frame that next() gave.
  datasets::Points points(std::size_t index) {
    return makes_odometry() ? std::move(scan_.points) : input_.sequence.read(index);
  }

 private:
  FrameRecord by_scan(std::size_t index) {
    if (!stream_) stream_.emplace(input_.sequence, datasets::StreamOptions{.first = index});
    scan_ = *stream_->next();
    const slam::Odometry::Step step = odometry_.add(scan_.points);
    FrameRecord frame;
    frame.motion = step.T_last_this;
    if (index == 0) return frame;
    frame.covariance = slam::step_covariance(step.T_last_this, step.information, config_.noise);
    frame.lost = !step.converged;
    return frame;
  }

  FrameRecord by_pose(std::size_t index) const {
    FrameRecord frame;
    if (index == 0) return frame;
    frame.motion = input_.odometry[index - 1].inverse() * input_.odometry[index];
    if (!(config_.degrade && config_.odometry == "truth"))
      frame.covariance = slam::step_covariance(frame.motion, config_.noise);
    return frame;
  }

  const SlamConfig& config_;
  const SlamInput& input_;
  slam::Odometry odometry_;
  std::optional<datasets::ScanStream> stream_;
  datasets::Scan scan_{};
};

SlamReplay::SlamReplay(const SlamConfig& config, const SlamInput& input)
    : config_(config),
      input_(input),
      registration_(config.registration()),
      source_(std::make_unique<Source>(config, input)),
      features_(static_cast<std::size_t>(config.memory_gb * 1e9),
                [this](std::size_t keyframe) {
                  const std::size_t frame = mapper_.keyframes()[keyframe].position;
                  return registration_.extract(undistorted(input_.sequence.read(frame), frame));
                }),
      mapper_(registration_, mapping(), [this](std::size_t keyframe) { return features_.get(keyframe); }) {}

SlamReplay::~SlamReplay() = default;

slam::MapperOptions SlamReplay::mapping() {
  slam::MapperOptions options = config_.mapping();
  options.loops.on_registered = [this](const slam::LoopAttempt& loop, const Result& result, const Features& source,
                                       const Features& target) {
    details_[{loop.from, loop.to}] = loop_detail(result, source, target);
  };
  return options;
}

std::string SlamReplay::odometry_state() const {
  return source_->makes_odometry() ? source_->odometry().state() : std::string();
}

bool SlamReplay::add_frame(const FrameRecord& frame) {
  const FrameRecord drifted = with_drift(frame, config_, frames.size());
  return mapper_.add_frame(drifted.motion, drifted.covariance);
}

void SlamReplay::restore(std::vector<FrameRecord> done_frames, std::vector<KeyframeRecord> done_keyframes,
                         std::string_view odometry_state) {
  if (done_frames.size() > input_.sequence.size()) throw std::invalid_argument("scans have disappeared since");
  if (source_->makes_odometry()) source_->odometry().restore(odometry_state);
  for (FrameRecord& frame : done_frames) {
    if (add_frame(frame)) {
      KeyframeRecord& keyframe = done_keyframes.at(keyframes.size());
      std::vector<slam::LoopAttempt> attempts;
      for (const JudgedAttempt& a : keyframe.attempts) attempts.push_back(a.attempt);
      mapper_.restore_keyframe(keyframe.place, attempts);
      keyframes.push_back(std::move(keyframe));
    }
    frames.push_back(std::move(frame));
  }
}

double SlamReplay::true_overlap(const slam::LoopAttempt& attempt) {
  if (!input_.has_truth()) return 0.0;
  constexpr std::size_t kSamples = 1000;
  const auto target = features_.get(attempt.from), source = features_.get(attempt.to);
  if (source->status != Status::success || target->status != Status::success) return 0.0;
  const auto& truth = input_.sequence.ground_truth;
  const Eigen::Isometry3d T_target_source =
      truth[mapper_.keyframes()[attempt.from].position].inverse() * truth[mapper_.keyframes()[attempt.to].position];
  const Eigen::Isometry3d local =
      Eigen::Translation3d(-target->cloud.origin) * T_target_source * Eigen::Translation3d(source->cloud.origin);
  const Options& options = registration_.options();
  return measure_overlap({source->cloud, source->surfaces}, {target->cloud, target->surfaces}, local,
                         options.verification.radius * options.voxel, kSamples)
      .fraction();
}

datasets::Points SlamReplay::undistorted(datasets::Points points, std::size_t frame) const {
  if (config_.deskew && frame > 0) slam::deskew(points, frames[frame - 1].motion);
  return points;
}

void SlamReplay::add_keyframe(const datasets::Points& points) {
  KeyframeRecord record;
  {
    const Stopwatch watch(times.extract_ms);
    const auto features = features_.put(keyframes.size(), registration_.extract(points));
    record.place = slam::make_place(frames.size(), *features, config_.mapper.loops);
    record.map_points = map_points_of(points, config_.map_voxel);
  }
  std::vector<slam::LoopAttempt> attempts;
  {
    const Stopwatch watch(times.loops_ms);
    details_.clear();
    attempts = mapper_.add_keyframe(record.place);
  }
  // The truth is for the evaluation only: it takes no time of a run.
  for (const slam::LoopAttempt& attempt : attempts) record.attempts.push_back(judged(attempt));
  keyframes.push_back(std::move(record));
}

JudgedAttempt SlamReplay::judged(const slam::LoopAttempt& attempt) {
  return {attempt, std::move(details_[{attempt.from, attempt.to}]), true_overlap(attempt)};
}

bool SlamReplay::step() {
  const std::size_t index = frames.size();
  if (index == input_.sequence.size()) return false;
  FrameRecord frame;
  std::optional<datasets::Points> points;  // of a keyframe
  {
    const Stopwatch watch(times.odometry_ms);
    frame = source_->next(index);
    if (add_frame(frame)) points = undistorted(source_->points(index), index);
  }
  if (points) add_keyframe(*points);
  frames.push_back(frame);
  return true;
}

void SlamReplay::finish() {
  {
    const Stopwatch watch(times.rebuild_ms);
    details_.clear();
    rebuilt_ = mapper_.finish();
  }
  // Verdicts may have changed, and neighbours have been asked.
  const std::vector<slam::LoopAttempt>& attempts = mapper_.attempts();
  std::size_t next = 0;
  for (KeyframeRecord& keyframe : keyframes)
    for (JudgedAttempt& a : keyframe.attempts) a.attempt = attempts[next++];
  for (; next < attempts.size(); ++next) keyframes[attempts[next].to].attempts.push_back(judged(attempts[next]));
}

std::vector<Eigen::Isometry3d> SlamReplay::odometry_trajectory() const {
  std::vector<Eigen::Isometry3d> poses;
  for (std::size_t i = 0; i < mapper_.frames(); ++i) poses.push_back(slam::to_isometry(mapper_.odometry().pose(i)));
  return poses;
}

}  // namespace parte::apps
