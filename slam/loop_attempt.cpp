#include <slam/loop_attempt.hpp>

#include <parte/align_near.hpp>
#include <slam/pose3.hpp>

#include <cmath>
#include <cstdio>

namespace parte::slam {
namespace {

/// printf into a string.
template <class... Args>
std::string text(const char* format, Args... args) {
  char buffer[300];
  std::snprintf(buffer, sizeof buffer, format, args...);
  return buffer;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string all;
  for (const std::string& part : parts) all += (all.empty() ? "" : "; ") + part;
  return all;
}

/// "along x (0.98, 0.17, 0.02)", by the larger half of the direction.
std::string open_direction(const Vector6d& direction) {
  const bool turns = direction.head<3>().norm() > direction.tail<3>().norm();
  const Eigen::Vector3d axis = turns ? direction.head<3>() : direction.tail<3>();
  Eigen::Index largest = 0;
  axis.cwiseAbs().maxCoeff(&largest);
  return text("leaves a direction open: %s %c (%.2f, %.2f, %.2f)", turns ? "about" : "along", "xyz"[largest], axis.x(),
              axis.y(), axis.z());
}

std::string not_verified(const LoopAttempt& a, const VerificationOptions& limits) {
  if (a.confidence >= limits.min_confidence)
    return "the grounds would not face the same way, or refinement went elsewhere";
  return text(
      "confidence %.3f < %g (--min-confidence): %.0f separate members in the clique, overlap %.3f, agreement %.3f, "
      "sharpness %.2f, best rival %.2f",
      a.confidence, limits.min_confidence, a.members, a.overlap, a.agreement, a.sharpness, a.rival);
}

/// What the alignment found near an expectation does not reach.
std::string not_verified_near(const LoopAttempt& a) {
  const NearLimits limits;
  std::vector<std::string> missing;
  if (a.overlap < limits.min_overlap) missing.push_back(text("overlap %.3f < %g", a.overlap, limits.min_overlap));
  if (a.agreement < limits.min_agreement)
    missing.push_back(text("agreement %.3f < %g", a.agreement, limits.min_agreement));
  if (a.sharpness < limits.min_sharpness)
    missing.push_back(text("sharpness %.3f < %g", a.sharpness, limits.min_sharpness));
  if (missing.empty()) missing.push_back("another alignment is as possible where the trajectory has the two places");
  return joined(missing);
}

std::string against_odometry(const LoopAttempt& a, double limit) {
  return text(
      "chi2 %.1f against odometry > %g (--max-odometry-chi2): %.1f m and %.1f deg apart where 3 sigma are %.1f m",
      a.odometry_chi2, limit, a.odometry_gap_m, a.odometry_gap_deg, 3.0 * a.odometry_sigma_m);
}

std::string neighbors(const LoopAttempt& a) {
  if (a.asked == 0) return "no neighbour was asked (--max-neighbors)";
  const int silent = a.asked - a.confirmed - a.contradicted;
  return text("of %d neighbours %d confirm it, %d contradict it, %d did not register", a.asked, a.confirmed,
              a.contradicted, silent);
}

LoopVerdict verdict_of(LoopOutcome outcome) {
  switch (outcome) {
    case LoopOutcome::kept:
      return LoopVerdict::accepted;
    case LoopOutcome::too_little_evidence:
      return LoopVerdict::too_little_evidence;
    case LoopOutcome::contradicts_odometry:
      return LoopVerdict::contradicts_odometry;
    case LoopOutcome::contradicts_other_loops:
      return LoopVerdict::contradicts_other_loops;
    case LoopOutcome::off_the_trajectory:
      return LoopVerdict::off_the_trajectory;
  }
  return LoopVerdict::accepted;
}

}  // namespace

std::string_view LoopAttempt::reason() const {
  switch (verdict) {
    case LoopVerdict::accepted:
      return "accepted";
    case LoopVerdict::not_registered:
      return to_string(status);
    case LoopVerdict::contradicts_odometry:
      return "contradicts odometry";
    case LoopVerdict::too_little_evidence:
      return "too little evidence";
    case LoopVerdict::contradicts_other_loops:
      return "contradicts other loops";
    case LoopVerdict::off_the_trajectory:
      return "off the trajectory";
  }
  return "";
}

std::string explain(const LoopAttempt& a, const LoopLimits& limits) {
  if (a.verdict == LoopVerdict::contradicts_odometry) return against_odometry(a, limits.max_odometry_chi2);
  if (a.verdict != LoopVerdict::not_registered) return "";
  switch (a.status) {
    case Status::degenerate:
      return open_direction(a.free_direction);
    case Status::not_verified:
      return a.from_estimate ? not_verified_near(a) : not_verified(a, limits.verification);
    case Status::too_few_points:
      return "a scan has too few points at this voxel (--voxel)";
    case Status::too_many_points:
      return "a scan has too many points at this voxel (--voxel)";
    case Status::too_few_correspondences:
      return "no clique that fixes a transform: the scans share next to nothing";
    case Status::success:
      break;
  }
  return "";
}

std::string explain(const LoopAttempt& a, const LoopJudgement& j) {
  switch (j.outcome) {
    case LoopOutcome::kept:
      return "";
    case LoopOutcome::too_little_evidence:
      return text("evidence %.1f < %g (--min-evidence): ", j.evidence, j.limit) + neighbors(a);
    case LoopOutcome::contradicts_odometry:
      return text("its cluster has chi2 %.1f against odometry > %g (--max-cluster-chi2)", j.chi2, j.limit);
    case LoopOutcome::contradicts_other_loops:
      return j.chi2 > j.limit ? text("its cluster has chi2 %.1f against the loops believed > %g (--max-cluster-chi2)",
                                     j.chi2, j.limit)
                              : text(
                                    "its cluster contradicted others that were believed first; chi2 %.1f <= %g against "
                                    "those believed "
                                    "in the end (--max-cluster-chi2)",
                                    j.chi2, j.limit);
    case LoopOutcome::off_the_trajectory:
      return text("chi2 %.1f against the trajectory > %g (--max-loop-chi2)", j.chi2, j.limit);
  }
  return "";
}

std::string_view options_of(const LoopAttempt& a) {
  switch (a.verdict) {
    case LoopVerdict::accepted:
      return "";
    case LoopVerdict::not_registered:
      return a.status == Status::not_verified && !a.from_estimate                        ? "--min-confidence"
             : a.status == Status::too_few_points || a.status == Status::too_many_points ? "--voxel"
                                                                                         : "";
    case LoopVerdict::contradicts_odometry:
      return "--max-odometry-chi2, --max-cluster-chi2";
    case LoopVerdict::too_little_evidence:
      return "--min-evidence, --max-neighbors";
    case LoopVerdict::contradicts_other_loops:
      return "--max-cluster-chi2";
    case LoopVerdict::off_the_trajectory:
      return "--max-loop-chi2";
  }
  return "";
}

RebuildResult rebuild_with(std::vector<LoopAttempt>& attempts, const std::vector<gtsam::Key>& keys,
                           const gtsam::NonlinearFactorGraph& trusted, const gtsam::Values& initial,
                           const RebuildOptions& options) {
  std::vector<LoopEdge> edges;
  std::vector<LoopAttempt*> of_edges;
  for (LoopAttempt& a : attempts) {
    if (!a.accepted()) continue;
    edges.push_back({keys[a.from], keys[a.to], to_pose3(a.T_from_to),
                     gtsam::noiseModel::Gaussian::Covariance(a.covariance), a.net_evidence()});
    of_edges.push_back(&a);
  }
  RebuildResult result = rebuild(trusted, initial, edges, options);
  for (std::size_t i = 0; i < edges.size(); ++i) {
    of_edges[i]->verdict = verdict_of(result.judgements[i].outcome);
    of_edges[i]->detail = explain(*of_edges[i], result.judgements[i]);
  }
  return result;
}

}  // namespace parte::slam
