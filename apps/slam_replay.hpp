#pragma once

#include <apps/loop_detail.hpp>
#include <apps/slam_input.hpp>
#include <parte/feature_cache.hpp>
#include <slam/mapper.hpp>

#include <map>
#include <memory>

namespace parte::apps {

/// A loop attempt with what only the truth can tell, and what can be drawn of it.
struct JudgedAttempt {
  slam::LoopAttempt attempt;
  LoopDetail detail;          ///< of registrations that succeeded
  double true_overlap = 0.0;  ///< of the two scans where they truly are; 0 without ground truth
};

struct FrameRecord {
  /// From the frame before, as odometry has it, without the drift that is added to it: scans are undistorted by it.
  Eigen::Isometry3d motion = Eigen::Isometry3d::Identity();
  Matrix6d covariance = Matrix6d::Zero();
  bool lost = false;  ///< the odometry says that it does not know
};

struct KeyframeRecord {
  slam::Place place;
  std::vector<Eigen::Vector3f> map_points;  ///< in the sensor's frame
  std::vector<JudgedAttempt> attempts;
};

/// What a map takes of a scan, on a grid of `voxel` [m].
[[nodiscard]] datasets::Points map_points_of(datasets::Points points, double voxel);

/// Odometry includes reading the scans. What only the truth tells is in none of them.
struct StageTimes {
  double odometry_ms = 0, extract_ms = 0, loops_ms = 0, rebuild_ms = 0;
};

/// A run from the first scan to the trajectory. What it has done is in `frames` and `keyframes`, and put back there it
/// goes on from that point.
class SlamReplay {
 public:
  SlamReplay(const SlamConfig& config, const SlamInput& input);
  ~SlamReplay();

  /// Takes in what an interrupted run had done.
  void restore(std::vector<FrameRecord> frames, std::vector<KeyframeRecord> keyframes, std::string_view odometry_state);
  /// Everything that the odometry remembers, to go on from; empty if the odometry was given.
  [[nodiscard]] std::string odometry_state() const;

  /// The next frame. False if there is none.
  bool step();
  /// Judges the loops and rebuilds the trajectory.
  void finish();

  std::vector<FrameRecord> frames;
  std::vector<KeyframeRecord> keyframes;
  StageTimes times;

  [[nodiscard]] const SlamInput& input() const { return input_; }
  [[nodiscard]] Sensor sensor() const { return registration_.options().sensor; }
  [[nodiscard]] double voxel() const { return registration_.options().voxel; }
  [[nodiscard]] const slam::Mapper& mapper() const { return mapper_; }
  [[nodiscard]] const slam::RebuildResult& rebuilt() const { return rebuilt_; }
  [[nodiscard]] std::vector<Eigen::Isometry3d> odometry_trajectory() const;

 private:
  class Source;
  [[nodiscard]] slam::MapperOptions mapping();
  /// With the drift of --degrade. True if it is due to become a keyframe.
  bool add_frame(const FrameRecord& frame);
  void add_keyframe(const datasets::Points& points);
  [[nodiscard]] JudgedAttempt judged(const slam::LoopAttempt& attempt);
  /// As they are registered: without the distortion of the motion, if there is one.
  [[nodiscard]] datasets::Points undistorted(datasets::Points points, std::size_t frame) const;
  [[nodiscard]] double true_overlap(const slam::LoopAttempt& attempt);

  const SlamConfig& config_;
  const SlamInput& input_;
  Registration registration_;
  std::unique_ptr<Source> source_;
  FeatureCache features_;
  /// Of loops that were found since the last keyframe, by their keyframes.
  std::map<std::pair<std::size_t, std::size_t>, LoopDetail> details_;
  slam::Mapper mapper_;
  slam::RebuildResult rebuilt_;
};

}  // namespace parte::apps
