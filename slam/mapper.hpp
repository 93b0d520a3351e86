#pragma once

#include <slam/loop_finder.hpp>
#include <slam/pose_graph.hpp>

#include <gtsam/nonlinear/ISAM2.h>

namespace parte::slam {

struct MapperOptions {
  double keyframe_m = 3.0;     ///< travelled since the last keyframe
  double keyframe_deg = 30.0;  ///< or turned
  LoopFinderOptions loops;
  RebuildOptions rebuild;
  void validate() const;  ///< throws std::invalid_argument naming the field
};

/// From odometry and features, frame after frame, to a trajectory without drift. Loops are closed as they are found,
/// so that the search for the next ones starts from a corrected estimate; finish() then judges them all together.
/// For one thread at a time.
class Mapper {
 public:
  Mapper(Registration registration, MapperOptions options, LoopFinder::FeaturesOf features);

  /// The next frame, by its motion from the one before; that of the first is where the trajectory starts. True if it is
  /// due to become a keyframe: then add_keyframe() or restore_keyframe() must follow.
  bool add_frame(const Eigen::Isometry3d& motion, const Matrix6d& covariance);

  /// Makes the last frame a keyframe and tries to close loops from it.
  std::vector<LoopAttempt> add_keyframe(Place place);
  /// The same with attempts that were made before, by an interrupted run.
  void restore_keyframe(Place place, const std::vector<LoopAttempt>& attempts);

  [[nodiscard]] std::size_t frames() const { return chain_.size(); }
  [[nodiscard]] const std::vector<Place>& keyframes() const { return finder_.places(); }
  /// Of all keyframes, in the order in which they were made; after finish() followed by those of neighbours.
  [[nodiscard]] const std::vector<LoopAttempt>& attempts() const { return attempts_; }
  [[nodiscard]] const OdometryChain& odometry() const { return chain_; }  ///< of all frames
  /// Odometry from the keyframe before to this one.
  [[nodiscard]] ChainLoop odometry_step(std::size_t keyframe) const;
  [[nodiscard]] const MapperOptions& options() const { return options_; }

  /// Asks the neighbours of loops whose evidence does not suffice, judges all loops together and rebuilds the
  /// trajectory; loops that do not fit get their verdict.
  RebuildResult finish();
  /// T_world_frame of every frame, each where its keyframe takes it.
  [[nodiscard]] std::vector<Eigen::Isometry3d> trajectory() const;

 private:
  void start_keyframe(Place place);
  void close_loops(const std::vector<LoopAttempt>& attempts);

  MapperOptions options_;
  LoopFinder finder_;
  OdometryChain chain_;                   ///< of all frames
  gtsam::NonlinearFactorGraph odometry_;  ///< of the keyframes
  std::vector<gtsam::Pose3> estimates_;   ///< of the keyframes
  std::vector<LoopAttempt> attempts_;
  gtsam::ISAM2 isam_;
};

}  // namespace parte::slam
