#include <parte/matching.hpp>

#include <parte/descriptor_search.hpp>

#include <tbb/parallel_for.h>
#include <tbb/parallel_invoke.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

namespace parte {
namespace {

/// Mutual nearest neighbours of a small distance matrix, with the confidence of eq. (plane-match-confidence).
std::vector<PlaneMatch> mutual_with_confidence(const Eigen::MatrixXd& distance) {
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

std::vector<Pch> pick(const std::vector<Pch>& all, const std::vector<Index>& chosen) {
  std::vector<Pch> picked;
  for (const Index i : chosen) picked.push_back(normalised(all[i]));
  return picked;
}

bool coplanar(const PlanarPatch& a, const PlanarPatch& b, const PlaneFeatureOptions& o) {
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

}  // namespace

std::vector<Match> match_points(const FpfhMatrix& source, const FpfhMatrix& target) {
  std::vector<Match> matches;
  if (source.rows() == 0 || target.rows() == 0) return matches;
  const detail::DescriptorAxes axes = detail::principal_axes(target);
  std::optional<detail::SearchRows> from, to;
  tbb::parallel_invoke([&] { from.emplace(source, axes); }, [&] { to.emplace(target, axes); });
  std::vector<detail::Nearest> forth(static_cast<std::size_t>(source.rows()));
  std::vector<detail::Nearest> back(static_cast<std::size_t>(target.rows()));
  from->find_nearest(from->order(), *to, forth);
  // Only a row that is somebody's nearest can be mutual, with the nearest of those that chose it if nobody is nearer.
  for (std::size_t i = 0; i < forth.size(); ++i)
    if (forth[i].index >= 0)
      back[static_cast<std::size_t>(forth[i].index)].offer(forth[i].squared_distance, static_cast<std::int32_t>(i));
  std::vector<std::int32_t> chosen;
  for (const std::int32_t j : to->order())
    if (back[static_cast<std::size_t>(j)].index >= 0) chosen.push_back(j);
  to->find_nearest(chosen, *from, back);
  for (std::size_t i = 0; i < forth.size(); ++i)
    if (const std::int32_t j = forth[i].index;
        j >= 0 && back[static_cast<std::size_t>(j)].index == static_cast<std::int32_t>(i))
      matches.push_back({static_cast<Index>(i), static_cast<Index>(j)});
  return matches;
}

void PlaneFeatureOptions::validate() const {
  if (!(half_range > 0.0)) throw std::invalid_argument("PlaneFeatureOptions::half_range must be positive");
  if (!(coplanar_angle_deg >= 0.0 && coplanar_angle_deg < 90.0))
    throw std::invalid_argument("PlaneFeatureOptions::coplanar_angle_deg must lie in [0, 90)");
  if (!(coplanar_distance >= 0.0))
    throw std::invalid_argument("PlaneFeatureOptions::coplanar_distance must not be negative");
}

PlaneFeatures describe_planes(const PointCloud& cloud, std::vector<PlanarPatch> patches,
                              const PlaneFeatureOptions& options) {
  options.validate();
  PlaneFeatures features;
  features.patches = std::move(patches);
  features.context.resize(features.patches.size());
  features.box_context.resize(features.patches.size());
  tbb::parallel_for(std::size_t{0}, features.patches.size(), [&](std::size_t p) {
    const PlanarPatch& patch = features.patches[p];
    const PatchBox box = bounding_box(cloud, patch);
    features.context[p] = plane_context(cloud, patch, options.half_range);
    features.box_context[p] = plane_context(cloud, patch, options.half_range, &box);
  });
  features.groups = coplanar_groups(features.patches, options);
  return features;
}

std::vector<PlaneMatch> match_planes(const PlaneFeatures& source, const PlaneFeatures& target, PlaneMatching mode) {
  if (mode == PlaneMatching::one_level) {
    std::vector<Pch> a, b;
    for (const Pch& h : source.context) a.push_back(normalised(h));
    for (const Pch& h : target.context) b.push_back(normalised(h));
    return mutual_with_confidence(distances(a, b));
  }
  std::vector<PlaneMatch> matches;
  for (const PlaneMatch& plane :
       mutual_with_confidence(distances(group_descriptors(source), group_descriptors(target)))) {
    const auto& from = source.groups[plane.source];
    const auto& to = target.groups[plane.target];
    if (from.size() == 1 && to.size() == 1) {
      matches.push_back({{from.front(), to.front()}, plane.confidence});
      continue;
    }
    for (const PlaneMatch& patch :
         mutual_with_confidence(distances(pick(source.box_context, from), pick(target.box_context, to))))
      matches.push_back({{from[patch.source], to[patch.target]}, patch.confidence});
  }
  std::sort(matches.begin(), matches.end(), [](const PlaneMatch& a, const PlaneMatch& b) {
    return std::pair(a.source, a.target) < std::pair(b.source, b.target);
  });
  return matches;
}

}  // namespace parte
