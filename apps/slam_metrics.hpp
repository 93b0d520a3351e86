#pragma once

#include <apps/slam_replay.hpp>
#include <slam/metrics.hpp>

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace parte::apps {

/// A loop attempt against the truth.
struct AttemptError {
  double true_distance_m = 0.0, true_rotation_deg = 0.0;  ///< between the two scans
  double translation_m = 0.0, rotation_deg = 0.0;         ///< error of the registration, if it succeeded
  double nees = 0.0;                                      ///< the same, as the covariance has it; 6 on average is ideal
  bool right = false;                                     ///< registered, within the limits of the paper's benchmarks
};
/// Nothing without ground truth.
[[nodiscard]] std::optional<AttemptError> error_of(const SlamReplay& run, const JudgedAttempt& attempt);

/// Squared Mahalanobis distance between a loop and what is said of the same two places.
[[nodiscard]] double chi2(const slam::LoopAttempt& loop, const Eigen::Isometry3d& T_from_to);

struct TrajectoryErrors {
  double ate_m = 0.0;             ///< aligned
  double ate_first_pose_m = 0.0;  ///< with the first poses laid on each other
  double end_m = 0.0;             ///< the last position as seen from the first pose
  slam::LateralError lateral;     ///< aligned
  slam::RelativeError step;       ///< from one frame to the next
  std::optional<slam::KittiError> kitti;
};

/// Registrations of one kind.
struct SuccessRate {
  std::string kind;
  std::size_t tried = 0, right = 0;
};

struct LoopMetrics {
  std::size_t tried = 0, accepted = 0;
  std::map<std::string, std::size_t> refused;  ///< by reason
  std::map<std::string, std::string> options;  ///< of the command line that these reasons were measured against
  double median_chi2 = 0.0;                    ///< of accepted loops against the final trajectory, 6 degrees of freedom
  // With ground truth only:
  std::size_t wrong = 0;     ///< accepted
  std::size_t revisits = 0;  ///< keyframes that come near an earlier one (10 m, indoors 1 m), far enough along the way
  std::size_t closed_revisits = 0;                                ///< those of them with an accepted and right loop
  double mean_nees = 0.0;                                         ///< of accepted and right loops
  std::vector<SuccessRate> by_distance, by_rotation, by_overlap;  ///< each counts all that were tried

  [[nodiscard]] std::optional<double> precision() const;  ///< [%]; nothing if none was accepted
  [[nodiscard]] std::optional<double> recall() const;     ///< [%]; nothing if no place was met again
};

/// As far as it goes without ground truth. `places` are the final poses that the attempts count.
[[nodiscard]] LoopMetrics loop_metrics(std::span<const slam::LoopAttempt> attempts,
                                       const std::vector<Eigen::Isometry3d>& places);

/// The parts of slam::RebuildResult that are reported.
struct RebuildMetrics {
  std::size_t clusters = 0, used_clusters = 0;
  int rounds = 0;
  double cost = 0.0;
  RebuildMetrics() = default;
  explicit RebuildMetrics(const slam::RebuildResult& r)
      : clusters(r.clusters), used_clusters(r.used_clusters), rounds(r.rounds), cost(r.cost) {}
};

struct SlamMetrics {
  std::string sequence;
  double voxel_m = 0.0;  ///< of the registrations
  std::size_t frames = 0, keyframes = 0, lost = 0;
  double path_m = 0.0;
  std::optional<TrajectoryErrors> odometry, corrected;  ///< nothing without ground truth
  LoopMetrics loops;
  RebuildMetrics rebuild;
  StageTimes times;
  double peak_memory_gb = 0.0;
};

/// Of a finished run.
[[nodiscard]] SlamMetrics measure(const SlamReplay& run);

/// Of this program so far.
[[nodiscard]] double peak_memory_gb();

}  // namespace parte::apps
