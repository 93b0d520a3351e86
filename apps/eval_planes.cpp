#include <apps/eval_planes.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace parte::apps {
namespace {

using Points2 = std::vector<Eigen::Vector2d>;

/// Counter-clockwise, by Andrew's monotone chain.
Points2 convex_hull(Points2 points) {
  std::sort(points.begin(), points.end(),
            [](const auto& a, const auto& b) { return std::pair(a.x(), a.y()) < std::pair(b.x(), b.y()); });
  Points2 hull;
  const auto add_side = [&](auto first, auto last) {
    const std::size_t start = hull.size();
    for (auto p = first; p != last; ++p) {
      const auto bends_left = [&] {
        const Eigen::Vector2d a = hull.back() - hull[hull.size() - 2], b = *p - hull.back();
        return a.x() * b.y() - a.y() * b.x() > 0.0;
      };
      while (hull.size() >= start + 2 && !bends_left()) hull.pop_back();
      hull.push_back(*p);
    }
    hull.pop_back();  // the other side begins with it
  };
  if (points.size() < 2) return points;
  add_side(points.begin(), points.end());
  add_side(points.rbegin(), points.rend());
  return hull;
}

/// The part of the smaller patch's points that have a point of the other within `radius`.
double overlap(const std::vector<Eigen::Vector3f>& a, const std::vector<Eigen::Vector3f>& b, double radius) {
  const auto& smaller = a.size() <= b.size() ? a : b;
  const NeighborGrid grid(a.size() <= b.size() ? b : a, radius);
  const auto near = std::count_if(smaller.begin(), smaller.end(), [&](const Eigen::Vector3f& p) {
    return grid.nearest(p, static_cast<float>(radius)) != NeighborGrid::kNone;
  });
  return static_cast<double>(near) / static_cast<double>(std::max<std::size_t>(smaller.size(), 1));
}

std::vector<Eigen::Vector3f> moved_points(const PointCloud& cloud, const PlanarPatch& patch,
                                          const Eigen::Isometry3d& T) {
  std::vector<Eigen::Vector3f> points;
  for (const Index i : patch.indices) points.push_back((T * cloud.at(i)).cast<float>());
  return points;
}

/// |log(a / b)| of every two sizes.
Eigen::MatrixXd log_ratios(const Features& source, const Features& target, double HullSize::*size) {
  const auto logarithms = [&](const Features& f) {
    Eigen::VectorXd logs(f.description().planes.patches.size());
    for (Eigen::Index i = 0; i < logs.size(); ++i)  // a line has no area, but it has to have a logarithm
      logs[i] = std::log(
          std::max(hull_size(f.cloud, f.description().planes.patches[static_cast<std::size_t>(i)]).*size, 1e-12));
    return logs;
  };
  const Eigen::VectorXd a = logarithms(source), b = logarithms(target);
  return (a.replicate(1, b.size()) - b.transpose().replicate(a.size(), 1)).cwiseAbs();
}

Eigen::MatrixXd descriptor_distances(const Features& source, const Features& target, PlaneDescriptor descriptor) {
  switch (descriptor) {
    case PlaneDescriptor::pch_two_level:
      return plane_distances(source.description().planes, target.description().planes, PlaneMatching::two_level);
    case PlaneDescriptor::pch_one_level:
      return plane_distances(source.description().planes, target.description().planes, PlaneMatching::one_level);
    case PlaneDescriptor::area:
      return log_ratios(source, target, &HullSize::area_m2);
    case PlaneDescriptor::perimeter:
      return log_ratios(source, target, &HullSize::perimeter_m);
  }
  return {};
}

double ratio(std::size_t part, std::size_t whole) {
  return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
}

/// How many candidates are right, and how many of the matches.
struct Counts {
  std::size_t right = 0, matches = 0, right_matches = 0;
};

Counts count(const PlaneTally& tally) {
  Counts counts;
  for (const PlaneCandidate& c : tally.candidates) {
    counts.right += c.right;
    counts.matches += c.matched;
    counts.right_matches += c.matched && c.right;
  }
  return counts;
}

/// Every limit on the distance at which the recall rises. Candidates of one distance come together, so that their order
/// does not matter.
std::vector<CurvePoint> recall_steps(const PlaneTally& tally) {
  std::vector<PlaneCandidate> sorted = tally.candidates;
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.distance < b.distance; });
  const std::size_t all_right = count(tally).right;
  std::vector<CurvePoint> steps;
  std::size_t right = 0;
  for (std::size_t k = 0; k < sorted.size();) {
    const std::size_t before = right;
    for (const double limit = sorted[k].distance; k < sorted.size() && sorted[k].distance == limit; ++k)
      right += sorted[k].right;
    if (right > before) steps.push_back({ratio(right, all_right), ratio(right, k), k});
  }
  return steps;
}

}  // namespace

std::string_view to_string(PlaneDescriptor descriptor) {
  switch (descriptor) {
    case PlaneDescriptor::pch_two_level:
      return "PCH-2L";
    case PlaneDescriptor::pch_one_level:
      return "PCH";
    case PlaneDescriptor::area:
      return "Area";
    case PlaneDescriptor::perimeter:
      return "Perimeter";
  }
  return "?";
}

HullSize hull_size(const PointCloud& cloud, const PlanarPatch& patch) {
  const Eigen::Vector3d u = patch.normal.unitOrthogonal(), v = patch.normal.cross(u);
  Points2 points;
  for (const Index i : patch.indices) {
    const Eigen::Vector3d d = cloud.at(i) - patch.centroid;
    points.emplace_back(u.dot(d), v.dot(d));
  }
  const Points2 hull = convex_hull(std::move(points));
  HullSize size;
  for (std::size_t k = 0; k < hull.size(); ++k) {
    const Eigen::Vector2d &a = hull[k], &b = hull[(k + 1) % hull.size()];
    size.area_m2 += 0.5 * (a.x() * b.y() - a.y() * b.x());
    size.perimeter_m += (b - a).norm();
  }
  return size;
}

SamePlanes same_planes(const Features& source, const Features& target, const Eigen::Isometry3d& T_target_source,
                       double voxel) {
  const double min_cosine = std::cos(10.0 * std::numbers::pi / 180.0), radius = 2.0 * voxel;
  constexpr double kMinOverlap = 0.1;
  // Between local coordinates, which are relative to each cloud's origin.
  const Eigen::Isometry3d T =
      Eigen::Translation3d(-target.cloud.origin) * T_target_source * Eigen::Translation3d(source.cloud.origin);
  const auto &from = source.description().planes.patches, &to = target.description().planes.patches;
  SamePlanes same(from.size(), to.size());
  for (std::size_t i = 0; i < from.size(); ++i)
    for (std::size_t j = 0; j < to.size(); ++j) {
      const Eigen::Vector3d normal = T.linear() * from[i].normal, between = T * from[i].centroid - to[j].centroid;
      same(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
          normal.dot(to[j].normal) >= min_cosine && std::abs(normal.dot(between)) <= radius &&
          std::abs(to[j].normal.dot(between)) <= radius &&
          overlap(moved_points(source.cloud, from[i], T),
                  moved_points(target.cloud, to[j], Eigen::Isometry3d::Identity()), radius) >= kMinOverlap;
    }
  return same;
}

void PlaneTally::add(const PlaneTally& other) {
  candidates.insert(candidates.end(), other.candidates.begin(), other.candidates.end());
  pairs += other.pairs;
}

PlaneTally tally_planes(const Features& source, const Features& target, const SamePlanes& same,
                        PlaneDescriptor descriptor) {
  const Eigen::MatrixXd distances = descriptor_distances(source, target, descriptor);
  PlaneTally tally;
  tally.pairs = 1;
  for (Eigen::Index i = 0; i < distances.rows(); ++i)
    for (Eigen::Index j = 0; j < distances.cols(); ++j)
      tally.candidates.push_back({.distance = distances(i, j), .right = same(i, j)});
  // Two levels are more than the neighbours of one matrix.
  for (const PlaneMatch& m :
       descriptor == PlaneDescriptor::pch_two_level
           ? match_planes(source.description().planes, target.description().planes, PlaneMatching::two_level)
           : match_mutually(distances)) {
    auto& candidate = tally.candidates[m.source * static_cast<std::size_t>(distances.cols()) + m.target];
    candidate.matched = true;
    candidate.confidence = m.confidence;
  }
  return tally;
}

PlaneScores scores(const PlaneTally& tally) {
  const Counts counts = count(tally);
  PlaneScores s;
  s.precision = ratio(counts.right_matches, counts.matches);
  s.recall = ratio(counts.right_matches, counts.right);
  s.f1 = ratio(2 * counts.right_matches, counts.matches + counts.right);
  s.mean_true_positives = ratio(counts.right_matches, tally.pairs);
  double recall = 0.0;
  for (const CurvePoint& step : recall_steps(tally)) {
    s.average_precision += (step.x - recall) * step.y;
    recall = step.x;
  }
  return s;
}

std::vector<CurvePoint> precision_recall(const PlaneTally& tally, std::size_t points) {
  const std::vector<CurvePoint> steps = recall_steps(tally);
  if (steps.size() <= points) return steps;
  std::vector<CurvePoint> thinned;
  for (std::size_t k = 0; k < points; ++k) thinned.push_back(steps[k * (steps.size() - 1) / (points - 1)]);
  return thinned;
}

std::vector<CurvePoint> confidence_calibration(const PlaneTally& tally, std::size_t bins) {
  std::vector<std::size_t> matches(bins, 0), right(bins, 0);
  for (const PlaneCandidate& c : tally.candidates) {
    if (!c.matched) continue;
    const auto bin = std::min(static_cast<std::size_t>(c.confidence * static_cast<double>(bins)), bins - 1);
    ++matches[bin];
    right[bin] += c.right;
  }
  std::vector<CurvePoint> curve;
  for (std::size_t b = 0; b < bins; ++b)
    if (matches[b] > 0)
      curve.push_back(
          {(static_cast<double>(b) + 0.5) / static_cast<double>(bins), ratio(right[b], matches[b]), matches[b]});
  return curve;
}

}  // namespace parte::apps
