#include <parte/surfels.hpp>

#include <parte/downsample.hpp>
#include <parte/normals.hpp>

#include <algorithm>
#include <cmath>

namespace parte {
namespace {

// docs/ALGORITHM.md, "Refinement", says why.
constexpr int kLevels = 3;      // grids, each twice as coarse as the one before
constexpr double kReach = 2.5;  // [edges] of a neighbourhood
constexpr int kMaxNeighbors = 30, kMinNeighbors = 5;
constexpr double kFlat = 0.01;       // ratio of the smaller variances: a plane within a tenth of its width
constexpr float kIncidence = 0.05f;  // sine of the angle between a ray and the surface that it was reflected by
constexpr float kThickness = 0.25f;  // [edges of the first grid] a point farther from a plane is not on it

/// Which of the coarse points is nearest to each of the points.
std::vector<Index> nearest_of(const std::vector<Eigen::Vector3f>& coarse, double edge, const PointCloud& cloud,
                              const std::vector<Index>& points) {
  const NeighborGrid grid(coarse, edge);
  std::vector<Index> nearest;
  for (const Index i : points) nearest.push_back(grid.nearest(cloud.points[i], static_cast<float>(edge)));
  return nearest;
}

/// The planes through the neighbourhoods of some of the points; without normal where there is none.
std::vector<LocalPlane> planes_at(const std::vector<Eigen::Vector3f>& points, double radius,
                                  const std::vector<Index>& wanted) {
  std::vector<LocalPlane> planes(points.size());
  std::vector<Index> queries;
  for (const Index i : wanted)
    if (i != NeighborGrid::kNone && planes[i].variances.isZero(0.0))
      planes[i].variances.setOnes(), queries.push_back(i);
  const Neighborhoods neighbors = radius_neighbors(points, radius, kMaxNeighbors, queries);
  for (std::size_t k = 0; k < queries.size(); ++k) {
    if (static_cast<int>(neighbors[k].size()) < kMinNeighbors) continue;
    LocalPlane plane = local_plane(points, points[queries[k]], neighbors[k]);
    if (!plane.is_line() && plane.variances[0] < kFlat * plane.variances[1]) planes[queries[k]] = plane;
  }
  return planes;
}

}  // namespace

Surfels make_surfels(const PointCloud& cloud, const std::vector<bool>& on_ground, const Eigen::Vector3f& sensor,
                     double edge) {
  Surfels surfels{cloud.points, cloud.normals, cloud.roughness, {}, {}};
  std::vector<Index> on_line;
  for (Index i = 0; i < cloud.size(); ++i) {
    surfels.points[i] += cloud.heights[i] * cloud.normals[i];
    if (cloud.is_on_line(i)) on_line.push_back(i);
  }
  const float thickness = kThickness * static_cast<float>(edge);
  std::vector<Eigen::Vector3f> coarse = cloud.points;
  for (int level = 0; level < kLevels && !on_line.empty(); ++level, edge *= 2.0) {
    coarse = callers_points(voxel_downsample(coarse, edge));
    const std::vector<Index> nearest = nearest_of(coarse, edge, cloud, on_line);
    const std::vector<LocalPlane> planes = planes_at(coarse, kReach * edge, nearest);
    std::vector<Index> left;
    for (std::size_t k = 0; k < on_line.size(); ++k) {
      const Index i = on_line[k], j = nearest[k];
      const bool flat = j != NeighborGrid::kNone && !planes[j].normal.isZero(0.0);
      Eigen::Vector3f n = Eigen::Vector3f::Zero();
      if (flat) n = planes[j].normal.cast<float>();
      const float height = flat ? n.dot(coarse[j] + planes[j].mean.cast<float>() - cloud.points[i]) : 0.0f;
      if (!flat || std::abs(height) > thickness) {
        left.push_back(i);
        continue;
      }
      surfels.points[i] = cloud.points[i] + height * n;
      surfels.roughness[i] = static_cast<float>(std::max(0.0, planes[j].variances[0]));
      surfels.normals[i] = n.dot(sensor - cloud.points[i]) < 0.0f ? Eigen::Vector3f(-n) : n;
    }
    on_line = std::move(left);
  }
  for (Index i = 0; i < cloud.size(); ++i) {
    const Eigen::Vector3f ray = cloud.points[i] - sensor;
    if (std::abs(surfels.normals[i].dot(ray)) < kIncidence * ray.norm()) surfels.normals[i].setZero();
    if (surfels.normals[i].squaredNorm() > 0.5f) (on_ground[i] ? surfels.ground : surfels.others).push_back(i);
  }
  return surfels;
}

}  // namespace parte
