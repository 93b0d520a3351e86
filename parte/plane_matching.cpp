#include <parte/matching.hpp>

#include <parte/require.hpp>

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace parte {
namespace {

Eigen::MatrixXd distances(const std::vector<Pch>& source, const std::vector<Pch>& target) {
  Eigen::MatrixXd d(source.size(), target.size());
  for (std::size_t i = 0; i < source.size(); ++i)
    for (std::size_t j = 0; j < target.size(); ++j)
      d(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) = chi2_distance(source[i], target[j]);
  return d;
}

std::vector<Pch> group_descriptors(const PlaneFeatures& planes) {
  std::vector<Pch> descriptors;
  for (const auto& group : planes.groups) {
    Pch sum{};
    for (const Index p : group)
      for (std::size_t b = 0; b < sum.size(); ++b) sum[b] += planes.context[p][b];
    descriptors.push_back(normalised(sum));
  }
  return descriptors;
}

std::vector<Pch> all_normalised(std::vector<Pch> histograms) {
  for (Pch& h : histograms) h = normalised(h);
  return histograms;
}

std::vector<Pch> pick(const std::vector<Pch>& all, const std::vector<Index>& chosen) {
  std::vector<Pch> picked;
  for (const Index i : chosen) picked.push_back(normalised(all[i]));
  return picked;
}

/// The ground is a plane of its own: a low roof or a kerb beside it is told apart by no context.
bool coplanar(const PlanarPatch& a, const PlanarPatch& b, const PlaneFeatureOptions& o) {
  if (a.ground || b.ground) return false;
  const Eigen::Vector3d between = b.centroid - a.centroid;
  return a.normal.dot(b.normal) >= std::cos(o.coplanar_angle_deg * EIGEN_PI / 180.0) &&
         std::max(std::abs(a.normal.dot(between)), std::abs(b.normal.dot(between))) <= o.coplanar_distance;
}

/// Each patch joins the first group whose largest patch is coplanar with it.
std::vector<std::vector<Index>> coplanar_groups(const std::vector<PlanarPatch>& patches,
                                                const PlaneFeatureOptions& options) {
  std::vector<std::vector<Index>> groups;
  for (Index i = 0; i < patches.size(); ++i) {
    const auto home = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
      return coplanar(patches[group.front()], patches[i], options);
    });
    if (home != groups.end())
      home->push_back(i);
    else
      groups.push_back({i});
  }
  return groups;
}

std::vector<bool> ground_points(const PointCloud& cloud, const std::vector<PlanarPatch>& patches) {
  std::vector<bool> ground(cloud.size(), false);
  for (const PlanarPatch& patch : patches)
    if (patch.ground)
      for (const Index i : patch.indices) ground[i] = true;
  return ground;
}

}  // namespace

void PlaneFeatureOptions::validate() const {
  require_positive(half_range, "PlaneFeatureOptions::half_range");
  if (!(coplanar_angle_deg >= 0.0 && coplanar_angle_deg < 90.0))
    throw std::invalid_argument("PlaneFeatureOptions::coplanar_angle_deg must lie in [0, 90)");
  if (!(coplanar_distance >= 0.0) || !std::isfinite(coplanar_distance))
    throw std::invalid_argument("PlaneFeatureOptions::coplanar_distance must be finite and not negative");
}

PlaneFeatures describe_planes(const PointCloud& cloud, std::vector<PlanarPatch> patches,
                              const PlaneFeatureOptions& options) {
  options.validate();
  PlaneFeatures features;
  features.patches = std::move(patches);
  features.context.resize(features.patches.size());
  features.box_context.resize(features.patches.size());
  // How much ground there is depends on where the sensor stood, and it is most of what there is.
  const std::vector<bool> nothing, ground = ground_points(cloud, features.patches);
  tbb::parallel_for(std::size_t{0}, features.patches.size(), [&](std::size_t p) {
    const PlanarPatch& patch = features.patches[p];
    const PatchBox box = bounding_box(cloud, patch);
    const std::vector<bool>& excluded = patch.ground ? nothing : ground;
    features.context[p] = plane_context(cloud, patch, options.half_range, excluded);
    features.box_context[p] = plane_context(cloud, patch, options.half_range, excluded, &box);
  });
  features.groups = coplanar_groups(features.patches, options);
  return features;
}

std::vector<PlaneMatch> match_mutually(const Eigen::MatrixXd& distance) {
  std::vector<PlaneMatch> matches;
  // 1 - d / d2; a plane with no second candidate has no ambiguity, its ratio is 0.
  const auto distinctness = [](double d, const auto& candidates, Eigen::Index chosen) {
    double second = std::numeric_limits<double>::infinity();
    for (Eigen::Index k = 0; k < candidates.size(); ++k)
      if (k != chosen) second = std::min(second, candidates[k]);
    if (second == 0.0) return 0.0;
    return 1.0 - d / second;
  };
  for (Eigen::Index i = 0; i < distance.rows() && distance.cols() > 0; ++i) {
    Eigen::Index j = 0, back = 0;
    const double d = distance.row(i).minCoeff(&j);
    distance.col(j).minCoeff(&back);
    if (back != i) continue;
    const double w = std::sqrt(distinctness(d, distance.row(i), j) * distinctness(d, distance.col(j), i));
    matches.push_back({{static_cast<Index>(i), static_cast<Index>(j)}, w});
  }
  return matches;
}

Eigen::MatrixXd plane_distances(const PlaneFeatures& source, const PlaneFeatures& target, PlaneMatching mode) {
  if (mode == PlaneMatching::one_level)
    return distances(all_normalised(source.context), all_normalised(target.context));
  const Eigen::MatrixXd planes = distances(group_descriptors(source), group_descriptors(target));
  Eigen::MatrixXd result = distances(all_normalised(source.box_context), all_normalised(target.box_context));
  for (std::size_t g = 0; g < source.groups.size(); ++g)
    for (std::size_t h = 0; h < target.groups.size(); ++h) {
      const auto &from = source.groups[g], &to = target.groups[h];
      const double d = planes(static_cast<Eigen::Index>(g), static_cast<Eigen::Index>(h));
      const bool single = from.size() == 1 && to.size() == 1;  // there is no second level
      for (const Index i : from)
        for (const Index j : to) result(i, j) = single ? d : std::max(d, result(i, j));
    }
  return result;
}

std::vector<PlaneMatch> match_planes(const PlaneFeatures& source, const PlaneFeatures& target, PlaneMatching mode) {
  if (mode == PlaneMatching::one_level) return match_mutually(plane_distances(source, target, mode));
  std::vector<PlaneMatch> matches;
  for (const PlaneMatch& plane : match_mutually(distances(group_descriptors(source), group_descriptors(target)))) {
    const auto& from = source.groups[plane.source];
    const auto& to = target.groups[plane.target];
    if (from.size() == 1 && to.size() == 1) {
      matches.push_back({{from.front(), to.front()}, plane.confidence});
      continue;
    }
    // A piece is no surer than the plane it is a piece of.
    for (const PlaneMatch& patch :
         match_mutually(distances(pick(source.box_context, from), pick(target.box_context, to))))
      matches.push_back({{from[patch.source], to[patch.target]}, std::min(plane.confidence, patch.confidence)});
  }
  std::sort(matches.begin(), matches.end(), [](const PlaneMatch& a, const PlaneMatch& b) {
    return std::pair(a.source, a.target) < std::pair(b.source, b.target);
  });
  return matches;
}

}  // namespace parte
