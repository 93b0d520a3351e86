#include <parte/registration.hpp>

#include <parte/extraction.hpp>
#include <parte/hypothesis.hpp>
#include <parte/stop_watch.hpp>

#include <tbb/task_arena.h>

namespace parte {
namespace {

/// Runs inside an arena of the call's own, so that no two users share a thread limit.
template <class Work>
auto with_threads(int threads, Work&& work) {
  tbb::task_arena arena(threads > 0 ? threads : tbb::task_arena::automatic);
  return arena.execute([&] { return tbb::this_task_arena::isolate(work); });
}

std::vector<PlanePair> plane_pairs(const Candidates& c) {
  std::vector<PlanePair> pairs;
  for (const PlaneMatch& m : c.plane_matches) {
    const PlanarPatch& p = c.source_planes().patches[m.source];
    const PlanarPatch& q = c.target_planes().patches[m.target];
    pairs.push_back({p.centroid, p.normal, q.centroid, q.normal, m.confidence});
  }
  return pairs;
}

/// At most `count` of them, evenly spread.
template <class T>
void thin(std::vector<T>& items, std::size_t count) {
  if (items.size() <= count) return;
  for (std::size_t k = 0; k < count; ++k) items[k] = items[k * items.size() / count];
  items.resize(count);
}

void match_points_into(Candidates& c) {
  const Features &source = c.source.at_level(c.level), &target = c.target.at_level(c.level);
  const Description &from = source.description(), &to = target.description();
  std::vector<Match> matches = match_points(from.descriptors, to.descriptors, from.upright, to.upright);
  const double spacing = c.matched.match_spacing;
  std::vector<float> distances;  // of descriptors
  if (spacing > 0.0)
    for (const Match& m : matches)
      distances.push_back((from.descriptors.row(m.source) - to.descriptors.row(m.target)).norm());
  for (Match& m : matches) m = {from.point_indices[m.source], to.point_indices[m.target]};
  if (spacing > 0.0)
    matches = spaced_matches(matches, distances, source.cloud, target.cloud, spacing * c.matched.voxel);
  for (const Match& m : matches) c.points.push_back({source.cloud.at(m.source), target.cloud.at(m.target)});
  c.point_matches = std::move(matches);
}

void report(const Hypothesis& h, const Candidates& c, const Options& o, Result& result) {
  const Eigen::Vector3d& from = c.source.cloud.origin;
  const Eigen::Vector3d& to = c.target.cloud.origin;
  for (const Index v : h.clique.vertices) {
    if (v < c.points.size()) {
      result.clique_points.push_back({c.points[v].source + from, c.points[v].target + to});
      result.clique_matches.push_back(c.point_matches[v]);
    } else {
      result.clique_planes.push_back(c.plane_matches[v - c.points.size()]);
    }
  }
  result.level = c.level;
  result.point_candidates = c.points.size();
  result.plane_candidates = c.planes.size();
  result.clique_weight = h.clique.weight;
  result.proven_optimal = h.clique.proven_optimal;
  if (h.clique.vertices.size() < 3) return;  // too_few_correspondences
  result.T_clique = Eigen::Translation3d(to) * h.estimate.T_target_source * Eigen::Translation3d(-from);
  result.T_target_source = result.T_clique;
  if (o.verification.refine)
    result.T_target_source = Eigen::Translation3d(to) * h.refinement.T_target_source * Eigen::Translation3d(-from);
  // Local and the caller's source frame differ by a shift: xi moves with it.
  const Matrix6d adjoint = translation_adjoint(-from);
  result.information = adjoint.transpose() * h.estimate.information * adjoint;
  for (const Vector6d& d : h.free_directions)
    result.free_directions.push_back((translation_adjoint(from) * d).normalized());
  result.point_rms_m = h.estimate.point_rms_m;
  result.overlap = h.overlap;
  result.evidence = h.evidence;
  result.confidence = h.confidence;
  result.status = !h.free_directions.empty() ? Status::degenerate
                  : is_success(h, o)         ? Status::success
                                             : Status::not_verified;
  result.partial = is_partial(h, o);
  if (!o.verification.refine) return;
  result.surface_information = adjoint.transpose() * h.refinement.information * adjoint;
  result.surface_rms_m = h.refinement.rms_m;
  if (!result.usable()) return;
  result.surface_evidence = evidence_of(h, c, o);
  result.surface_evidence.information = adjoint.transpose() * result.surface_evidence.information * adjoint;
  result.surface_evidence.open = translation_adjoint(from) * result.surface_evidence.open * adjoint;
}

/// The best hypothesis of one scale.
Hypothesis align_at(Candidates& c, const Options& o, StopWatch& watch, Result& result) {
  thin(c.points, o.max_correspondences);
  thin(c.point_matches, o.max_correspondences);
  if (o.use_planes) c.plane_matches = match_planes(c.source_planes(), c.target_planes(), o.plane_matching);
  c.planes = plane_pairs(c);
  AlignTimings& t = result.timings;
  t.matching_ms += watch.lap();

  const BitMatrix graph = compatibility_graph(c.points, c.planes, c.matched.compatibility());
  t.graph_ms += watch.lap();
  const std::vector<int> weights = c.weights();
  Clique heaviest = max_weight_clique(graph, weights, o.clique);
  t.clique_ms += watch.lap();
  Hypothesis best = hypothesis_of(std::move(heaviest), c);
  t.transform_ms += watch.lap();

  judge(best, c, o);
  result.hypotheses += 1;
  if (o.verification.enabled && o.verification.max_hypotheses > 1 && !is_success(best, o)) {
    Hypothesis other = best_alternative(graph, weights, c, o, result.hypotheses);
    if (is_better(other, best, o)) best = std::move(other);
  }
  t.verification_ms += watch.lap();
  return best;
}

/// Scale after scale, the coarsest first, until an alignment is confirmed; else the most confident one.
void align_scales(const Features& source, const Features& target, const Options& o, Result& result) {
  int level = 0;
  while (level < o.levels_tried() && source.at_level(level).coarse && target.at_level(level).coarse) ++level;
  StopWatch watch;
  std::optional<Candidates> best_candidates;
  Hypothesis best;
  for (; level >= 0; --level) {
    ++result.levels;
    Candidates c{source, target, level, o.at_level(level)};
    for (const Features* scan : {&source, &target}) static_cast<void>(scan->at_level(level).description());
    result.timings.describe_ms += watch.lap();
    match_points_into(c);
    Hypothesis found = align_at(c, o, watch, result);
    const bool success = is_success(found, o);
    if (!best_candidates || is_better(found, best, o)) {
      best = std::move(found);
      best_candidates.emplace(std::move(c));
    }
    if (success) break;
  }
  report(best, *best_candidates, o, result);
  result.timings.verification_ms += watch.lap();
}

/// A result that says which cloud is unusable, if one is.
std::optional<Result> refuse(const Features& source, const Features& target) {
  for (const Features* f : {&source, &target})
    if (f->status != Status::success) {
      Result result;
      result.status = f->status;
      return result;
    }
  return std::nullopt;
}

}  // namespace

std::string_view to_string(Status status) {
  switch (status) {
    case Status::success:
      return "success";
    case Status::too_few_points:
      return "too few points";
    case Status::too_many_points:
      return "too many points";
    case Status::too_few_correspondences:
      return "too few correspondences";
    case Status::degenerate:
      return "degenerate";
    case Status::not_verified:
      return "not verified";
  }
  return "unknown";
}

Registration::Registration(Options options) : options_(std::move(options)) { options_.validate(); }

Features Registration::extract(PointsView points, std::optional<Eigen::Vector3d> sensor) const {
  Features features;
  with_threads(options_.threads, [&] { extract_into(features, points, sensor, options_); });
  return features;
}

Result Registration::align(const Features& source, const Features& target) const {
  if (auto refusal = refuse(source, target)) return *refusal;
  Result result;
  with_threads(options_.threads, [&] { align_scales(source, target, options_, result); });
  return result;
}

Result Registration::align(const Features& source, const Features& target,
                           std::span<const Correspondence> correspondences) const {
  if (auto refusal = refuse(source, target)) return *refusal;
  Result result;
  with_threads(options_.threads, [&] {
    StopWatch watch;
    if (options_.use_planes)
      for (const Features* scan : {&source, &target}) static_cast<void>(scan->description());
    result.timings.describe_ms += watch.lap();
    Candidates c{source, target, 0, options_};
    for (Index k = 0; k < correspondences.size(); ++k) {
      const Correspondence& pair = correspondences[k];
      if (!pair.source.allFinite() || !pair.target.allFinite()) continue;
      c.points.push_back({pair.source - source.cloud.origin, pair.target - target.cloud.origin});
      c.point_matches.push_back({k, k});
    }
    result.levels = 1;
    const Hypothesis best = align_at(c, options_, watch, result);
    report(best, c, options_, result);
    result.timings.verification_ms += watch.lap();
  });
  return result;
}

}  // namespace parte
