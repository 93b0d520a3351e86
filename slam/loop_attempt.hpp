#pragma once

#include <parte/registration.hpp>
#include <slam/pose_graph.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace parte::slam {

enum class LoopVerdict {
  accepted,
  not_registered,           ///< LoopAttempt::status says why
  contradicts_odometry,     ///< more than odometry can have drifted, from its own track and from the current estimate
  too_little_evidence,      ///< it may be wrong, and too few neighbours and other loops agree
  contradicts_other_loops,  ///< which together have more evidence
  off_the_trajectory,       ///< that odometry and the loops believed lead to
};

/// A candidate, what became of it and why.
struct LoopAttempt {
  std::size_t from = 0, to = 0;  ///< places, from < to; `to` is the source of the registration
  bool look_alike = false;       ///< found by its looks, not nearby
  bool neighbor = false;         ///< asked about a loop next to it
  bool from_estimate = false;    ///< registered from where the trajectory has it: align_near()
  bool partial = false;          ///< its registration leaves `free_direction` open, and its covariance is wide there
  double expected_distance_m = 0.0;  ///< under the estimate of that moment
  double unlikeness = 0.0;           ///< descriptor_distance(), 0 without descriptors
  LoopVerdict verdict = LoopVerdict::not_registered;
  std::string detail;  ///< of a refusal: what was missing, in numbers, and the option that it was measured against

  // What the registration says; the overlap, agreement and sharpness also of one that was not confirmed.
  Status status = Status::too_few_correspondences;
  std::size_t clique_points = 0, clique_planes = 0;
  std::int64_t clique_weight = 0;
  bool proven_optimal = false;
  int hypotheses = 0;  ///< cliques tried; 1: the heaviest one was confirmed at once
  double residual_m = 0.0, overlap = 0.0, agreement = 0.0, sharpness = 0.0;
  double confidence = 0.0;                     ///< Result::confidence; 0 from align_near(), which has none
  double members = 0.0, rival = 0.0;           ///< AlignmentEvidence
  Vector6d free_direction = Vector6d::Zero();  ///< the first one that a degenerate result leaves open: rotation first
  double milliseconds = 0.0;

  // If registered():
  Eigen::Isometry3d T_from_to = Eigen::Isometry3d::Identity();
  Matrix6d covariance = Matrix6d::Zero();  ///< rotation first, in the frame of `to`
  double odometry_chi2 = 0.0;              ///< against odometry alone or the current estimate, whichever agrees better
  double odometry_gap_m = 0.0, odometry_gap_deg = 0.0;  ///< how far it is from that
  double odometry_sigma_m = 0.0;  ///< standard deviation of the position by odometry, along its worst direction
  double evidence = 0.0;          ///< [decades] the registration's and what agreement with odometry is worth

  // What the neighbours said, if they were asked:
  int asked = 0, confirmed = 0, contradicted = 0;
  double contradiction = 0.0;  ///< [decades] evidence of those that contradict

  /// With what contradicts it taken off: of two statements that exclude each other one is wrong.
  [[nodiscard]] double net_evidence() const { return std::max(0.0, evidence - contradiction); }
  [[nodiscard]] bool registered() const { return status == Status::success || partial; }
  [[nodiscard]] bool accepted() const { return verdict == LoopVerdict::accepted; }
  [[nodiscard]] std::string_view reason() const;  ///< in words
};

/// The options that a candidate is measured against, for explain().
struct LoopLimits {
  VerificationOptions verification;
  double max_odometry_chi2 = 0.0;
};

/// What a candidate lacked that was not registered or contradicts odometry: "confidence 0.43 < 0.99 (--min-confidence):
/// ...".
[[nodiscard]] std::string explain(const LoopAttempt& loop, const LoopLimits& limits);
/// What a loop lacked that the robust pose graph did not keep.
[[nodiscard]] std::string explain(const LoopAttempt& loop, const LoopJudgement& judgement);
/// The options of parte_slam that such a refusal was measured against; empty if there is none.
[[nodiscard]] std::string_view options_of(const LoopAttempt& loop);

/// rebuild() with the accepted ones among the attempts; those that it does not keep get their verdict. `keys` of the
/// places.
RebuildResult rebuild_with(std::vector<LoopAttempt>& attempts, const std::vector<gtsam::Key>& keys,
                           const gtsam::NonlinearFactorGraph& trusted, const gtsam::Values& initial,
                           const RebuildOptions& options);

}  // namespace parte::slam
