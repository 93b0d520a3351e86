#pragma once

#include <parte/registration.hpp>

namespace parte {

/// The correspondences of one pair at one scale, in the local coordinates of the clouds.
struct Candidates {
  const Features& source;  ///< of the finest scale, whose surfaces judge
  const Features& target;
  int level = 0;    ///< of the scale that they were matched at
  Options matched;  ///< the options there
  std::vector<PointPair> points = {};
  std::vector<Match> point_matches = {};  ///< where each of the points comes from, see Result::clique_matches
  std::vector<PlaneMatch> plane_matches = {};
  std::vector<PlanePair> planes = {};

  /// Of the vertices of the graph: the points, then the planes.
  [[nodiscard]] std::vector<int> weights() const;
  [[nodiscard]] const PlaneFeatures& source_planes() const { return source.at_level(level).description().planes; }
  [[nodiscard]] const PlaneFeatures& target_planes() const { return target.at_level(level).description().planes; }
  /// [m] within which its cliques leave a point beside its surface.
  [[nodiscard]] double radius() const { return matched.verification.radius * matched.voxel; }
};

/// A clique with the alignment it stands for, and what the aligned clouds say of it.
struct Hypothesis {
  Clique clique;
  TransformEstimate estimate;
  Refinement refinement;  ///< nothing but the estimate's transform if there was none
  std::vector<Vector6d> free_directions = {};
  Overlap overlap = {};
  bool ground_fits = true;
  AlignmentEvidence evidence = {};
  double confidence = 0.0;
};

[[nodiscard]] Surfaces surfaces_of(const Features& f);
/// How far a motion moves points at the distance of the clique's size from its centre, at most [m].
[[nodiscard]] double motion_size(const Eigen::Isometry3d& motion, const TransformEstimate& at);
/// The effort of a first look.
inline constexpr RefinementEffort kRough = {.rounds = 4, .settling = 0, .samples = 300, .ground_samples = 100};

[[nodiscard]] Hypothesis hypothesis_of(Clique clique, const Candidates& candidates);

/// Refines the alignment if asked to, and measures how well the clouds agree.
void judge(Hypothesis& h, const Candidates& c, const Options& o);

[[nodiscard]] bool is_success(const Hypothesis& h, const Options& o);
/// Confirmed but for one shift that is left open; see Result::partial.
[[nodiscard]] bool is_partial(const Hypothesis& h, const Options& o);

/// A success before a partial one, then the more confident one.
[[nodiscard]] bool is_better(const Hypothesis& a, const Hypothesis& b, const Options& o);

/// Of the refined alignment.
[[nodiscard]] SurfaceEvidence evidence_of(const Hypothesis& h, const Candidates& c, const Options& o);

/// The best of the other cliques by verified overlap: a look at each as it is, a closer one at those that look best.
/// Adds their number to `tried`; an empty hypothesis if there are none.
[[nodiscard]] Hypothesis best_alternative(const BitMatrix& graph, const std::vector<int>& weights, const Candidates& c,
                                          const Options& o, int& tried);

}  // namespace parte
