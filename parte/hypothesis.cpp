#include <parte/hypothesis.hpp>

#include <parte/hypothesis_evidence.hpp>

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

namespace parte {
namespace {

int graph_weight(double confidence, const Options& o) {
  switch (o.plane_weights) {
    case PlaneWeights::confidence:
      return std::max(1, static_cast<int>(std::ceil(o.plane_weight * confidence)));
    case PlaneWeights::fixed:
      return std::max(1, static_cast<int>(std::lround(o.plane_weight)));
    case PlaneWeights::none:
      break;
  }
  return 1;
}

/// Cosine of the angle between the grounds of two aligned scans; nothing if one of them has none.
std::optional<double> ground_cosine(const Candidates& c, const Eigen::Isometry3d& T_target_source) {
  if (c.source.up.isZero() || c.target.up.isZero()) return std::nullopt;
  return c.target.up.dot(T_target_source.linear() * c.source.up);
}

/// The ground votes for no place, but a cloud that would stand on its head is wrong.
bool ground_fits(const Candidates& c, const Eigen::Isometry3d& T_target_source) {
  constexpr double kUpright = 0.87;  // cosine of 30 degrees
  return ground_cosine(c, T_target_source).value_or(1.0) > kUpright;
}

/// Grounds that face the same way hold roll and pitch as surely as plane normals match, be they ever so far apart.
Matrix6d ground_strength(const Hypothesis& h, const Candidates& c, const Options& o) {
  const double tolerance = o.angular_tolerance_deg * EIGEN_PI / 180.0;
  Matrix6d strength = Matrix6d::Zero();
  if (ground_cosine(c, h.refinement.T_target_source).value_or(-1.0) < std::cos(tolerance)) return strength;
  const double sure = o.transform().max_uncertainty * h.estimate.size / tolerance;
  strength.topLeftCorner<3, 3>() = sure * sure * (Eigen::Matrix3d::Identity() - c.source.up * c.source.up.transpose());
  return strength;
}

/// The clique's strength as far as it is more than the handful of members that chance brings together.
Matrix6d strength_beyond_chance(const Hypothesis& h) {
  constexpr double kByChance = 8.0;
  return std::max(0.0, 1.0 - kByChance / static_cast<double>(h.clique.vertices.size())) * h.estimate.strength;
}

/// Whether anybody asks the surfaces; else the clique has the last word, as in the paper.
bool asks_surfaces(const Options& o) { return o.verification.enabled || o.verification.refine; }

/// What the surfaces leave open (a bare wall says nothing of shifts along it) the clique must fix.
void find_open_directions(Hypothesis& h, const Candidates& c, const Options& o) {
  if (!asks_surfaces(o)) return;
  const Matrix6d surfaces = surface_strength(surfaces_of(c.source), surfaces_of(c.target), h.refinement,
                                             h.estimate.center, h.estimate.size, o.verification.radius * o.voxel);
  h.free_directions = weak_directions(strength_beyond_chance(h) + surfaces + ground_strength(h, c, o),
                                      h.estimate.center, h.estimate.size);
}

/// On the surfaces of a scale: far ones are in the reach of coarse ones alone.
Overlap overlap_of(const Hypothesis& h, const Candidates& c, int level, double radius, std::size_t samples) {
  return measure_overlap(surfaces_of(c.source.at_level(level)), surfaces_of(c.target.at_level(level)),
                         h.refinement.T_target_source, radius, samples);
}

Refinement refined(const Hypothesis& h, const Candidates& c, int level, double radius,
                   const RefinementEffort& effort = {}) {
  return refine(surfaces_of(c.source.at_level(level)), surfaces_of(c.target.at_level(level)),
                h.refinement.T_target_source, h.estimate.information, radius, effort);
}

void refine_and_measure(Hypothesis& h, const Candidates& c, const Options& o) {
  constexpr std::size_t kSamples = 1500;
  const double radius = o.verification.radius * o.voxel;
  if (asks_surfaces(o) && c.level > 0) h.refinement = refined(h, c, c.level, c.radius(), kRough);
  if (asks_surfaces(o)) h.refinement = refined(h, c, 0, radius);
  h.overlap = overlap_of(h, c, 0, radius, kSamples);
  h.ground_fits = ground_fits(c, h.refinement.T_target_source);
}

/// Which of two hypotheses to prefer. Members err together, so that four times as many only count twice.
double merit(const Hypothesis& h) { return h.overlap.score() * std::sqrt(static_cast<double>(h.clique.weight)); }

/// Calls measure(Hypothesis&) for each, and keeps the best `count` by their merit, the best one first.
template <class Measure>
void rank(std::vector<Hypothesis>& hypotheses, std::size_t count, const Measure& measure) {
  tbb::parallel_for(std::size_t{0}, hypotheses.size(), [&](std::size_t k) { measure(hypotheses[k]); });
  std::stable_sort(hypotheses.begin(), hypotheses.end(),
                   [](const Hypothesis& a, const Hypothesis& b) { return merit(a) > merit(b); });
  if (hypotheses.size() > count) hypotheses.resize(count);
}

/// Fewer fix nothing of their own, so that the surfaces would be all that speaks.
constexpr std::size_t kMinMembers = 3;

bool is_confirmed(const Hypothesis& h, const Options& o) {
  return h.clique.vertices.size() >= kMinMembers && h.ground_fits && h.confidence >= o.verification.min_confidence;
}

/// Whether a motion moves the matched points rather than turning them about their middle.
bool is_shift(const Vector6d& direction, const TransformEstimate& at) {
  constexpr double kTurning = 0.3;  // of the displacement at the distance of the clique's size
  const double turn = at.size * direction.head<3>().norm();
  const double shift = (direction.tail<3>() + direction.head<3>().cross(at.center)).norm();
  return turn < kTurning * shift;
}

/// The first `count` that are no near copies of one before; of those within `tolerance_m` the heaviest clique stays.
std::vector<Hypothesis> distinct(std::vector<Hypothesis> hypotheses, std::size_t count, double tolerance_m) {
  std::vector<Hypothesis> chosen;
  for (Hypothesis& h : hypotheses) {
    const auto alike = std::find_if(chosen.begin(), chosen.end(), [&](const Hypothesis& other) {
      const Eigen::Isometry3d between = other.refinement.T_target_source.inverse() * h.refinement.T_target_source;
      return motion_size(between, other.estimate) < tolerance_m;
    });
    if (alike == chosen.end() && chosen.size() < count)
      chosen.push_back(std::move(h));
    else if (alike != chosen.end() && h.clique.weight > alike->clique.weight)
      *alike = std::move(h);
  }
  return chosen;
}

/// Several cliques may stand for the motion of the first: the heaviest of them speaks for it, if it fits as well.
Hypothesis& spokesman(std::vector<Hypothesis>& hypotheses, double tolerance_m) {
  constexpr double kAsWell = 0.95;  // of the score
  const Hypothesis& front = hypotheses.front();
  const Eigen::Isometry3d T_source_target = front.refinement.T_target_source.inverse();
  Hypothesis* heaviest = &hypotheses.front();
  for (Hypothesis& h : hypotheses) {
    const double apart_m = motion_size(T_source_target * h.refinement.T_target_source, front.estimate);
    const bool as_well = h.overlap.score() >= kAsWell * front.overlap.score();
    if (as_well && apart_m < tolerance_m && h.clique.weight > heaviest->clique.weight) heaviest = &h;
  }
  return *heaviest;
}

/// The score of the best of the others that is another motion, as a part of this one's.
double rival_among(const std::vector<Hypothesis>& others, const Hypothesis& h, double radius) {
  const double own = h.overlap.score();
  double best = 0.0;
  for (const Hypothesis& other : others)
    if (motion_size(h.refinement.T_target_source.inverse() * other.refinement.T_target_source, h.estimate) >
        2.0 * radius)
      best = std::max(best, other.overlap.score());
  return own > 0.0 ? best / own : 1.0;
}

}  // namespace

std::vector<int> Candidates::weights() const {
  std::vector<int> weights(points.size(), 1);
  for (const PlaneMatch& m : plane_matches) weights.push_back(graph_weight(m.confidence, matched));
  return weights;
}

Surfaces surfaces_of(const Features& f) { return {f.cloud, f.surfaces}; }

double motion_size(const Eigen::Isometry3d& motion, const TransformEstimate& at) {
  return (motion * at.center - at.center).norm() + Eigen::AngleAxisd(motion.linear()).angle() * at.size;
}

Hypothesis hypothesis_of(Clique clique, const Candidates& candidates) {
  std::vector<PointPair> points;
  std::vector<PlanePair> planes;
  for (const Index v : clique.vertices)
    if (v < candidates.points.size())
      points.push_back(candidates.points[v]);
    else
      planes.push_back(candidates.planes[v - candidates.points.size()]);
  Hypothesis h{std::move(clique), estimate_transform(points, planes, candidates.matched.transform()), {}};
  h.refinement.T_target_source = h.estimate.T_target_source;
  h.free_directions = h.estimate.free_directions;
  return h;
}

void judge(Hypothesis& h, const Candidates& c, const Options& o) {
  refine_and_measure(h, c, o);
  find_open_directions(h, c, o);
  if (!asks_surfaces(o) || h.clique.vertices.size() < kMinMembers) return;
  h.evidence = evidence_for(h, c, o);
  h.confidence = confidence(h.evidence, o.sensor);
}

bool is_success(const Hypothesis& h, const Options& o) {
  if (!h.free_directions.empty()) return false;
  // Where the clique's own transform is returned, it must be the one that was confirmed.
  const Eigen::Isometry3d refined = h.estimate.T_target_source.inverse() * h.refinement.T_target_source;
  if (!o.verification.refine && motion_size(refined, h.estimate) > 2.0 * o.verification.radius * o.voxel) return false;
  return !o.verification.enabled || is_confirmed(h, o);
}

bool is_partial(const Hypothesis& h, const Options& o) {
  return h.free_directions.size() == 1 && o.verification.enabled && o.verification.refine &&
         is_shift(h.free_directions.front(), h.estimate) && is_confirmed(h, o);
}

bool is_better(const Hypothesis& a, const Hypothesis& b, const Options& o) {
  const auto rank = [&](const Hypothesis& h) {
    return std::tuple(is_success(h, o), is_partial(h, o), h.clique.vertices.size() >= kMinMembers, h.confidence);
  };
  return rank(a) > rank(b);
}

SurfaceEvidence evidence_of(const Hypothesis& h, const Candidates& c, const Options& o) {
  return measure_evidence(surfaces_of(c.source), surfaces_of(c.target), h.refinement.T_target_source,
                          o.verification.radius * o.voxel);
}

Hypothesis best_alternative(const BitMatrix& graph, const std::vector<int>& weights, const Candidates& c,
                            const Options& o, int& tried) {
  constexpr std::size_t kPromising = 50, kFinalists = 3, kFewSamples = 50, kSamples = 200;
  const double radius = c.radius();
  const auto max_refined = static_cast<std::size_t>(o.verification.max_refined);
  std::vector<Clique> cliques =
      alternative_cliques(graph, weights, static_cast<std::size_t>(o.verification.max_hypotheses - 1), o.clique);
  std::vector<Hypothesis> hypotheses(cliques.size());
  tried += static_cast<int>(cliques.size());
  tbb::parallel_for(std::size_t{0}, cliques.size(),
                    [&](std::size_t k) { hypotheses[k] = hypothesis_of(std::move(cliques[k]), c); });
  // Each round looks closer at fewer of them.
  rank(hypotheses, std::max(kPromising, max_refined),
       [&](Hypothesis& h) { h.overlap = overlap_of(h, c, c.level, 2.0 * radius, kFewSamples); });
  rank(hypotheses, std::max(kPromising, max_refined),
       [&](Hypothesis& h) { h.overlap = overlap_of(h, c, c.level, 2.0 * radius, kSamples); });
  hypotheses = distinct(std::move(hypotheses), max_refined, radius);
  rank(hypotheses, kFinalists, [&](Hypothesis& h) {
    h.refinement = refined(h, c, c.level, radius, kRough);
    h.overlap = overlap_of(h, c, c.level, radius, kSamples);
  });
  rank(hypotheses, kFinalists, [&](Hypothesis& h) { refine_and_measure(h, c, o); });
  if (hypotheses.empty()) return {};
  Hypothesis& best = spokesman(hypotheses, o.voxel);
  const double rival = rival_among(hypotheses, best, o.verification.radius * o.voxel);
  find_open_directions(best, c, o);  // this and the evidence cost more than the overlap
  best.evidence = evidence_for(best, c, o);
  best.evidence.rival = std::max(best.evidence.rival, rival);
  best.confidence = confidence(best.evidence, o.sensor);
  return std::move(best);
}

}  // namespace parte
