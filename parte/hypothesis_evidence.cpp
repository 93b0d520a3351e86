#include <parte/hypothesis_evidence.hpp>

#include <Eigen/Eigenvalues>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>

namespace parte {
namespace {

/// Another place for the source.
struct Place {
  Eigen::Isometry3d T_target_source;
  Overlap overlap = {};
};

template <class Measure>
void for_each_place(std::vector<Place>& places, const Measure& measure) {
  tbb::parallel_for(std::size_t{0}, places.size(), [&](std::size_t k) { measure(places[k]); });
}

/// The members of a clique, those of one neighbourhood counted once: neighbours err together.
double separate_members(const Hypothesis& h, const Candidates& c) {
  constexpr double kApart = 3.0;  // [v]
  const double spacing = kApart * c.matched.voxel;
  std::vector<const PointPair*> chosen;
  double planes = 0.0;
  for (const Index v : h.clique.vertices) {
    if (v >= c.points.size()) {
      planes += 1.0;
      continue;
    }
    const PointPair& p = c.points[v];
    const bool is_beside_one = std::ranges::any_of(chosen, [&](const PointPair* q) {
      return (p.source - q->source).norm() < spacing && (p.target - q->target).norm() < spacing;
    });
    if (!is_beside_one) chosen.push_back(&p);
  }
  return planes + static_cast<double>(chosen.size());
}

constexpr std::size_t kSteps = 8;  // to one side

/// Where the source would be after shifts along the principal directions of what its surfaces face, as along and across
/// a street: one side of one direction after the other. A refinement reaches two radii, so the nearest place is three
/// away and the others two farther each.
std::vector<Place> places_beside(const Hypothesis& h, double radius) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(h.refinement.facing.bottomRightCorner<3, 3>());
  std::vector<Place> places;
  for (int k = 0; k < 3; ++k)
    for (const double sign : {-1.0, 1.0})
      for (std::size_t step = 1; step <= kSteps; ++step) {
        const Eigen::Vector3d shift =
            sign * radius * static_cast<double>(2 * step + 1) * principal.eigenvectors().col(k);
        places.push_back({h.refinement.T_target_source * Eigen::Translation3d(shift)});
      }
  return places;
}

/// What other places around have to say: how well scans agree by chance, and the score of the best other motion as a
/// part of this one's, for what repeats shows up as a rival.
void compare_with_others(const Hypothesis& h, const Candidates& c, const Options& o, AlignmentEvidence& e) {
  constexpr std::size_t kFewSamples = 100, kSamples = 400;
  const double radius = o.verification.radius * o.voxel;
  const Surfaces source = surfaces_of(c.source), target = surfaces_of(c.target);
  std::vector<Place> places = places_beside(h, radius);
  for_each_place(
      places, [&](Place& p) { p.overlap = measure_overlap(source, target, p.T_target_source, radius, kFewSamples); });
  Overlap chance;
  for (const Place& p : places) {
    chance.supported += p.overlap.supported;
    chance.conflicting += p.overlap.conflicting;
    chance.unseen += p.overlap.unseen;
  }
  e.chance_overlap = chance.fraction();
  const bool has_votes = chance.supported + chance.conflicting > 0;
  e.chance_agreement = has_votes ? chance.agreement() : 1.0;  // nothing to compare with speaks for nothing
  constexpr double kWorthAsking = 0.5;                        // a rival only takes confidence away
  if (confidence(e, o.sensor) < kWorthAsking) return;
  std::vector<Place> rivals;  // the best place to each side
  for (auto side = places.begin(); side != places.end(); side += kSteps)
    rivals.push_back(*std::max_element(
        side, side + kSteps, [](const Place& a, const Place& b) { return a.overlap.score() < b.overlap.score(); }));
  for_each_place(rivals, [&](Place& p) {
    p.T_target_source = refine(source, target, p.T_target_source, Matrix6d::Zero(), radius, kRough).T_target_source;
    p.overlap = measure_overlap(source, target, p.T_target_source, radius, kSamples);
  });
  const double own = measure_overlap(source, target, h.refinement.T_target_source, radius, kSamples).score();
  const Eigen::Isometry3d T_source_target = h.refinement.T_target_source.inverse();
  for (const Place& p : rivals)  // some slide back
    if (motion_size(T_source_target * p.T_target_source, h.estimate) > 2.0 * radius)
      e.rival = std::max(e.rival, own > 0.0 ? p.overlap.score() / own : 1.0);
}

}  // namespace

AlignmentEvidence evidence_for(const Hypothesis& h, const Candidates& c, const Options& o) {
  AlignmentEvidence e;
  e.members = separate_members(h, c);
  e.overlap = h.overlap.fraction();
  e.agreement = h.overlap.agreement();
  e.sharpness = h.overlap.sharpness();
  const Eigen::Isometry3d corrected = h.estimate.T_target_source.inverse() * h.refinement.T_target_source;
  e.correction = motion_size(corrected, h.estimate) / c.matched.voxel;
  e.fit = h.refinement.rms_m / o.voxel;
  compare_with_others(h, c, o, e);
  return e;
}

}  // namespace parte
