#include <parte/matching.hpp>

#include <parte/matching_kernel.hpp>

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace parte {
namespace {

using detail::kTileLanes;
using detail::kTileRows;
constexpr float kFar = std::numeric_limits<float>::max();

/// Nearest neighbour so far, by exact distances.
struct Nearest {
  double distance = std::numeric_limits<double>::infinity();
  std::int32_t index = -1;
  void offer(double d, std::int32_t i) {
    if (d < distance || (d == distance && i < index)) distance = d, index = i;
  }
};

double squared_distance(const float* a, const float* b) {
  double sum = 0.0;
  for (int k = 0; k < kFpfhSize; ++k) sum += (static_cast<double>(a[k]) - b[k]) * (static_cast<double>(a[k]) - b[k]);
  return sum;
}

/// Targets in tiles of kTileLanes, one line per dimension, so that a tile meets a source row in kFpfhSize
/// multiply-adds of whole vectors. Missing targets have an unreachable norm.
struct Tiles {
  std::vector<float> values;
  std::vector<float> squared_norms;
  int count = 0;
};

Tiles make_tiles(const FpfhMatrix& rows) {
  Tiles tiles;
  tiles.count = static_cast<int>((rows.rows() + kTileLanes - 1) / kTileLanes);
  tiles.values.assign(static_cast<std::size_t>(tiles.count) * kTileLanes * kFpfhSize, 0.0f);
  tiles.squared_norms.assign(static_cast<std::size_t>(tiles.count) * kTileLanes, kFar);
  for (Eigen::Index j = 0; j < rows.rows(); ++j) {
    float* tile = tiles.values.data() + (j / kTileLanes) * kTileLanes * kFpfhSize + j % kTileLanes;
    for (int k = 0; k < kFpfhSize; ++k) tile[k * kTileLanes] = rows(j, k);
    const float squared = rows.row(j).squaredNorm();
    if (squared > 0.0f) tiles.squared_norms[static_cast<std::size_t>(j)] = squared;
  }
  return tiles;
}

struct MutualSearch {
  std::vector<std::int32_t> row_nearest;
  std::vector<Nearest> column_nearest;
};

/// Fixed chunks of source rows, each with column minima of its own, joined in order: the same on any thread count.
MutualSearch search_both_ways(const FpfhMatrix& source, const FpfhMatrix& target) {
  constexpr std::size_t kChunk = 512;
  const Tiles tiles = make_tiles(target);
  const auto rows = static_cast<std::size_t>(source.rows());
  const std::size_t columns = tiles.squared_norms.size(), chunks = (rows + kChunk - 1) / kChunk;
  MutualSearch result{std::vector<std::int32_t>(rows, -1), std::vector<Nearest>(columns)};
  std::vector<std::vector<float>> column_distance(chunks);
  std::vector<std::vector<std::int32_t>> column_index(chunks);
  tbb::parallel_for(std::size_t{0}, chunks, [&](std::size_t c) {
    const std::size_t first = c * kChunk, count = std::min(kChunk, rows - first);
    const std::size_t padded = (count + kTileRows - 1) / kTileRows * kTileRows;
    std::vector<float> block(padded * kFpfhSize, 0.0f), norms(padded, kFar);
    std::vector<std::int32_t> index(padded * kTileLanes);
    std::copy_n(source.data() + first * kFpfhSize, count * kFpfhSize, block.data());
    for (std::size_t r = 0; r < count; ++r) {
      const float squared = source.row(static_cast<Eigen::Index>(first + r)).squaredNorm();
      if (squared > 0.0f) norms[r] = squared;
    }
    column_distance[c].assign(columns, kFar);
    column_index[c].assign(columns, -1);
    detail::nearest_both_ways({kFpfhSize, block.data(), norms.data(), static_cast<int>(padded),
                               static_cast<std::int32_t>(first), tiles.values.data(), tiles.squared_norms.data(),
                               tiles.count, index.data(), column_distance[c].data(), column_index[c].data()});
    for (std::size_t r = 0; r < count; ++r) {
      if (norms[r] == kFar) continue;  // no descriptor
      Nearest nearest;
      for (int lane = 0; lane < kTileLanes; ++lane)
        if (const std::int32_t j = index[r * kTileLanes + static_cast<std::size_t>(lane)]; j >= 0)
          nearest.offer(squared_distance(source.row(static_cast<Eigen::Index>(first + r)).data(), target.row(j).data()),
                        j);
      result.row_nearest[first + r] = nearest.index;
    }
  });
  for (std::size_t c = 0; c < chunks; ++c)
    for (std::size_t j = 0; j < columns; ++j)
      if (const std::int32_t i = column_index[c][j]; i >= 0 && static_cast<Eigen::Index>(j) < target.rows())
        result.column_nearest[j].offer(
            squared_distance(source.row(i).data(), target.row(static_cast<Eigen::Index>(j)).data()), i);
  return result;
}

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
  const MutualSearch nearest = search_both_ways(source, target);
  for (std::size_t i = 0; i < nearest.row_nearest.size(); ++i) {
    const std::int32_t j = nearest.row_nearest[i];
    if (j < 0 || static_cast<Eigen::Index>(j) >= target.rows()) continue;
    const Nearest& back = nearest.column_nearest[static_cast<std::size_t>(j)];
    if (back.index == static_cast<std::int32_t>(i)) matches.push_back({static_cast<Index>(i), static_cast<Index>(j)});
  }
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
