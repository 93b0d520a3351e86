#include <parte/registration.hpp>

#include <parte/downsample.hpp>

#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace parte {
namespace {

constexpr std::size_t kMinPoints = 10;

/// Milliseconds since the last call.
class StopWatch {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double, std::milli>(now - std::exchange(last_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// Runs inside an arena of the call's own, so that no two users share a thread limit.
template <class Work>
auto with_threads(int threads, Work&& work) {
  tbb::task_arena arena(threads > 0 ? threads : tbb::task_arena::automatic);
  return arena.execute([&] { return tbb::this_task_arena::isolate(work); });
}

/// Local coordinates put (0, 0, 0) at the median of the raw points, which a spinning LiDAR has near its foot.
Eigen::Vector3d local_sensor(const PointCloud& cloud, const std::optional<Eigen::Vector3d>& sensor, Sensor kind) {
  if (sensor) return *sensor - cloud.origin;
  if (cloud.size() == 0) return Eigen::Vector3d::Zero();
  Eigen::Vector3f low = cloud.points.front(), high = low;
  for (const auto& p : cloud.points) low = low.cwiseMin(p), high = high.cwiseMax(p);
  const Eigen::Vector3d origin = -cloud.origin;
  const Eigen::Vector3d nearest = origin.cwiseMax(low.cast<double>()).cwiseMin(high.cast<double>());
  const bool outside = (origin - nearest).norm() > (high - low).cast<double>().norm();
  if (!outside) return origin;
  return kind == Sensor::lidar ? Eigen::Vector3d(0.0, 0.0, 2.0) : Eigen::Vector3d(0.5 * (low + high).cast<double>());
}

std::vector<Index> indices_where(const std::vector<bool>& flags) {
  std::vector<Index> indices;
  for (Index i = 0; i < flags.size(); ++i)
    if (flags[i]) indices.push_back(i);
  return indices;
}

/// Points that lie on no patch: the descriptor centres.
std::vector<Index> non_planar_points(const PointCloud& cloud, const std::vector<PlanarPatch>& patches) {
  std::vector<bool> free(cloud.size(), true);
  for (const auto& patch : patches)
    for (const Index i : patch.indices) free[i] = false;
  for (Index i = 0; i < cloud.size(); ++i)
    if (!cloud.has_normal(i)) free[i] = false;
  return indices_where(free);
}

void extract_into(Features& f, PointsView points, const std::optional<Eigen::Vector3d>& sensor, const Options& o) {
  StopWatch watch;
  f.cloud = voxel_downsample(points, o.voxel);
  f.timings.downsample_ms = watch.lap();
  f.status = f.cloud.size() < kMinPoints     ? Status::too_few_points
             : f.cloud.size() > o.max_points ? Status::too_many_points
                                             : Status::success;
  if (f.status != Status::success) return;

  f.sensor = local_sensor(f.cloud, sensor, o.sensor);
  const Neighborhoods neighbors = estimate_normals(f.cloud, f.sensor, o.normals());
  f.timings.normals_ms = watch.lap();

  std::vector<PlanarPatch> patches;
  f.ground.assign(f.cloud.size(), false);
  if (o.use_planes && o.use_ground && o.sensor == Sensor::lidar) f.ground = segment_ground(f.cloud, o.ground);
  f.timings.ground_ms = watch.lap();

  if (o.use_planes) {
    patches = extract_planes(f.cloud, neighbors, f.ground, f.sensor, o.planes());
    if (auto ground = indices_where(f.ground); static_cast<int>(ground.size()) >= o.plane_min_points) {
      patches.insert(patches.begin(), fit_patch(f.cloud, std::move(ground), f.sensor));
      patches.front().ground = true;
    }
  }
  f.timings.planes_ms = watch.lap();

  f.point_indices = non_planar_points(f.cloud, patches);
  f.descriptors = compute_fpfh(f.cloud, f.point_indices, o.fpfh());
  f.timings.fpfh_ms = watch.lap();

  f.planes = describe_planes(f.cloud, std::move(patches), o.plane_features());
  f.timings.pch_ms = watch.lap();
  f.surfaces = SurfaceModel(f.cloud, f.ground, f.sensor, 2.0 * o.verification.radius * o.voxel);
  f.timings.surfaces_ms = watch.lap();
}

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

std::vector<PlanePair> plane_pairs(const Features& source, const Features& target,
                                   std::span<const PlaneMatch> matches) {
  std::vector<PlanePair> pairs;
  for (const PlaneMatch& m : matches) {
    const PlanarPatch& p = source.planes.patches[m.source];
    const PlanarPatch& q = target.planes.patches[m.target];
    pairs.push_back({p.centroid, p.normal, q.centroid, q.normal, m.confidence});
  }
  return pairs;
}

/// At most `count` of them, evenly spread.
std::vector<PointPair> thinned(std::vector<PointPair> points, std::size_t count) {
  if (points.size() <= count) return points;
  for (std::size_t k = 0; k < count; ++k) points[k] = points[k * points.size() / count];
  points.resize(count);
  return points;
}

/// The correspondences of one pair, and what the aligned clouds say of a clique among them.
struct Candidates {
  const Features& source;
  const Features& target;
  std::vector<PointPair> points;
  std::vector<PlaneMatch> plane_matches;
  std::vector<PlanePair> planes;

  [[nodiscard]] std::vector<int> weights(const Options& o) const {
    std::vector<int> weights(points.size(), 1);
    for (const PlaneMatch& m : plane_matches) weights.push_back(graph_weight(m.confidence, o));
    return weights;
  }
};

/// A clique with the alignment it stands for.
struct Hypothesis {
  Clique clique;
  TransformEstimate estimate;
  Eigen::Isometry3d T_target_source;
  Matrix6d surface_information = Matrix6d::Zero();
  double surface_rms_m = 0.0;
  std::vector<Vector6d> free_directions = {};
  Overlap overlap = {};
  bool ground_fits = true;
};

Hypothesis hypothesis_of(Clique clique, const Candidates& candidates, const Options& o) {
  std::vector<PointPair> points;
  std::vector<PlanePair> planes;
  for (const Index v : clique.vertices)
    if (v < candidates.points.size())
      points.push_back(candidates.points[v]);
    else
      planes.push_back(candidates.planes[v - candidates.points.size()]);
  Hypothesis h{std::move(clique), estimate_transform(points, planes, o.transform()), {}};
  h.T_target_source = h.estimate.T_target_source;
  h.free_directions = h.estimate.free_directions;
  return h;
}

/// The ground votes for no place, but a cloud that would stand on its head is wrong.
bool ground_fits(const Candidates& c, const Eigen::Isometry3d& T_target_source) {
  constexpr double kUpright = 0.87;  // cosine of 30 degrees
  const auto &source = c.source.planes.patches, &target = c.target.planes.patches;
  if (source.empty() || target.empty() || !source.front().ground || !target.front().ground) return true;
  return target.front().normal.dot(T_target_source.linear() * source.front().normal) > kUpright;
}

/// Refines the alignment if asked to, and measures how well the clouds agree.
void judge(Hypothesis& h, const Candidates& c, const Options& o) {
  constexpr std::size_t kSamples = 1500;
  const Surfaces source{c.source.cloud, c.source.surfaces}, target{c.target.cloud, c.target.surfaces};
  const double radius = o.verification.radius * o.voxel;
  if (o.verification.refine) {
    const Refinement refined = refine(source, target, h.T_target_source, h.estimate.information, radius);
    h.T_target_source = refined.T_target_source;
    h.surface_information = refined.information;
    h.surface_rms_m = refined.rms_m;
    // What the surfaces leave open (a bare wall says nothing of shifts along it) the clique must fix, and by more
    // than the handful of members that chance brings together.
    constexpr double kByChance = 8.0;
    const double beyond_chance = std::max(0.0, 1.0 - kByChance / static_cast<double>(h.clique.vertices.size()));
    const Matrix6d strength = beyond_chance * h.estimate.strength +
                              surface_strength(source, target, refined, h.estimate.center, h.estimate.size, radius);
    h.free_directions = weak_directions(strength, h.estimate.center, h.estimate.size);
  }
  h.overlap = measure_overlap(source, target, h.T_target_source, radius, kSamples);
  h.ground_fits = ground_fits(c, h.T_target_source);
}

bool is_success(const Hypothesis& h, const Options& o) {
  constexpr std::size_t kMinMembers = 5;  // smaller cliques turn up between any two clouds
  if (!h.free_directions.empty()) return false;
  return !o.verification.enabled ||
         (h.clique.vertices.size() >= kMinMembers && h.ground_fits && confirms(h.overlap, o.verification));
}

/// How far a motion moves points at the distance of the clique's size from its centre, at most [m].
double motion_size(const Eigen::Isometry3d& motion, const TransformEstimate& at) {
  return (motion * at.center - at.center).norm() + Eigen::AngleAxisd(motion.linear()).angle() * at.size;
}

/// The best of the other cliques by verified overlap: a look at each as it is, a closer one at those that look best.
Hypothesis best_alternative(const BitMatrix& graph, const std::vector<int>& weights, const Candidates& c,
                            const Options& o, int& tried) {
  constexpr std::size_t kGlance = 300;
  std::vector<Clique> cliques =
      alternative_cliques(graph, weights, static_cast<std::size_t>(o.verification.max_hypotheses - 1), o.clique);
  std::vector<Hypothesis> hypotheses(cliques.size());
  tried += static_cast<int>(cliques.size());
  const Surfaces source{c.source.cloud, c.source.surfaces}, target{c.target.cloud, c.target.surfaces};
  tbb::parallel_for(std::size_t{0}, cliques.size(), [&](std::size_t k) {
    hypotheses[k] = hypothesis_of(std::move(cliques[k]), c, o);
    hypotheses[k].overlap =
        measure_overlap(source, target, hypotheses[k].T_target_source, 2.0 * o.verification.radius * o.voxel, kGlance);
  });
  const auto better = [](const Hypothesis& a, const Hypothesis& b) { return a.overlap.score() > b.overlap.score(); };
  std::stable_sort(hypotheses.begin(), hypotheses.end(), better);
  hypotheses.resize(std::min(hypotheses.size(), static_cast<std::size_t>(o.verification.max_refined)));
  tbb::parallel_for(std::size_t{0}, hypotheses.size(), [&](std::size_t k) { judge(hypotheses[k], c, o); });
  std::stable_sort(hypotheses.begin(), hypotheses.end(), better);
  if (hypotheses.empty()) return {};
  // Several cliques may stand for one motion: the heaviest of them speaks for it.
  const Hypothesis& front = hypotheses.front();
  const auto spokesman = std::max_element(hypotheses.begin(), hypotheses.end(), [&](const auto& a, const auto& b) {
    const auto weight = [&](const Hypothesis& h) {
      const double apart = motion_size(front.T_target_source.inverse() * h.T_target_source, front.estimate);
      return apart < o.voxel ? h.clique.weight : 0;
    };
    return weight(a) < weight(b);
  });
  return std::move(*spokesman);
}

void report(const Hypothesis& h, const Candidates& c, const Options& o, Result& result) {
  const Eigen::Vector3d& from = c.source.cloud.origin;
  const Eigen::Vector3d& to = c.target.cloud.origin;
  for (const Index v : h.clique.vertices)
    if (v < c.points.size())
      result.clique_points.push_back({c.points[v].source + from, c.points[v].target + to});
    else
      result.clique_planes.push_back(c.plane_matches[v - c.points.size()]);
  result.clique_weight = h.clique.weight;
  result.proven_optimal = h.clique.proven_optimal;
  if (h.clique.vertices.size() < 3) return;  // too_few_correspondences
  result.T_target_source = Eigen::Translation3d(to) * h.T_target_source * Eigen::Translation3d(-from);
  result.T_clique = Eigen::Translation3d(to) * h.estimate.T_target_source * Eigen::Translation3d(-from);
  // Local and the caller's source frame differ by a shift: xi moves with it.
  const Matrix6d adjoint = translation_adjoint(-from);
  result.information = adjoint.transpose() * h.estimate.information * adjoint;
  result.surface_information = adjoint.transpose() * h.surface_information * adjoint;
  result.surface_rms_m = h.surface_rms_m;
  for (const Vector6d& d : h.free_directions)
    result.free_directions.push_back((translation_adjoint(from) * d).normalized());
  result.point_rms_m = h.estimate.point_rms_m;
  result.overlap = h.overlap;
  result.status = !h.free_directions.empty() ? Status::degenerate
                  : is_success(h, o)         ? Status::success
                                             : Status::not_verified;
}

void align_into(Result& result, Candidates c, StopWatch& watch, const Options& o) {
  c.points = thinned(std::move(c.points), o.max_correspondences);
  if (o.use_planes) c.plane_matches = match_planes(c.source.planes, c.target.planes, o.plane_matching);
  c.planes = plane_pairs(c.source, c.target, c.plane_matches);
  result.point_candidates = c.points.size();
  result.plane_candidates = c.planes.size();
  result.timings.matching_ms = watch.lap();

  const BitMatrix graph = compatibility_graph(c.points, c.planes, o.compatibility());
  result.timings.graph_ms = watch.lap();
  const std::vector<int> weights = c.weights(o);
  Clique heaviest = max_weight_clique(graph, weights, o.clique);
  result.timings.clique_ms = watch.lap();
  Hypothesis best = hypothesis_of(std::move(heaviest), c, o);
  result.timings.transform_ms = watch.lap();

  judge(best, c, o);
  result.hypotheses = 1;
  if (o.verification.enabled && o.verification.max_hypotheses > 1 && !is_success(best, o)) {
    Hypothesis other = best_alternative(graph, weights, c, o, result.hypotheses);
    if (is_success(other, o) || other.overlap.score() > best.overlap.score()) best = std::move(other);
  }
  report(best, c, o, result);
  result.timings.verification_ms = watch.lap();
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
  with_threads(options_.threads, [&] {
    StopWatch watch;
    std::vector<PointPair> points;
    for (const Match& m : match_points(source.descriptors, target.descriptors))
      points.push_back(
          {source.cloud.at(source.point_indices[m.source]), target.cloud.at(target.point_indices[m.target])});
    align_into(result, {source, target, std::move(points), {}, {}}, watch, options_);
  });
  return result;
}

Result Registration::align(const Features& source, const Features& target,
                           std::span<const Correspondence> correspondences) const {
  if (auto refusal = refuse(source, target)) return *refusal;
  Result result;
  with_threads(options_.threads, [&] {
    StopWatch watch;
    std::vector<PointPair> points;
    for (const Correspondence& c : correspondences)
      if (c.source.allFinite() && c.target.allFinite())
        points.push_back({c.source - source.cloud.origin, c.target - target.cloud.origin});
    align_into(result, {source, target, std::move(points), {}, {}}, watch, options_);
  });
  return result;
}

}  // namespace parte
