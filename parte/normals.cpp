#include <parte/normals.hpp>

#include <parte/require.hpp>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <stdexcept>

namespace parte {

LocalPlane local_plane(const std::vector<Eigen::Vector3f>& points, const Eigen::Vector3f& center,
                       std::span<const Index> neighbors) {
  // Moments about the centre: coordinates stay small, so one pass loses no precision.
  float sx = 0, sy = 0, sz = 0, xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;
  for (const Index j : neighbors) {
    const float x = points[j].x() - center.x(), y = points[j].y() - center.y(), z = points[j].z() - center.z();
    sx += x, sy += y, sz += z;
    xx += x * x, xy += x * y, xz += x * z, yy += y * y, yz += y * z, zz += z * z;
  }
  const double n = static_cast<double>(neighbors.size());
  LocalPlane plane;
  plane.mean = Eigen::Vector3d(sx / n, sy / n, sz / n);
  Eigen::Matrix3d second;
  second << xx, xy, xz, xy, yy, yz, xz, yz, zz;
  Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver;
  solver.computeDirect(second / n - plane.mean * plane.mean.transpose());
  plane.variances = solver.eigenvalues();
  plane.normal = solver.eigenvectors().col(0);
  return plane;
}

namespace {

/// [m] of the neighbourhood's plane above point i. Where a face of the voxels cuts the noise of a wall in two, the few
/// points beyond it would otherwise count as much as the many before it, and move the plane by millimetres.
float height_of(const PointCloud& cloud, std::size_t i, std::span<const Index> neighbors,
                const Eigen::Vector3f& normal) {
  float sum = 0.0f, count = 0.0f;
  for (const Index j : neighbors) {
    const float c = cloud.counts.empty() ? 1.0f : cloud.counts[j];
    sum += c * normal.dot(cloud.points[j] - cloud.points[i]);
    count += c;
  }
  return sum / count;
}

}  // namespace

void NormalOptions::validate() const {
  require_positive(radius, "NormalOptions::radius");
  if (min_neighbors < 3) throw std::invalid_argument("NormalOptions::min_neighbors must be at least 3");
  if (max_neighbors < min_neighbors)
    throw std::invalid_argument("NormalOptions::max_neighbors must be at least min_neighbors");
}

Neighborhoods estimate_normals(PointCloud& cloud, const Eigen::Vector3d& sensor, const NormalOptions& options) {
  options.validate();
  Neighborhoods neighbors = radius_neighbors(cloud.points, options.radius, options.max_neighbors);
  cloud.normals.assign(cloud.size(), Eigen::Vector3f::Zero());
  cloud.on_line.assign(cloud.size(), 1);
  cloud.heights.assign(cloud.size(), 0.0f);
  cloud.roughness.assign(cloud.size(), 0.0f);
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, cloud.size(), 256), [&](const auto& block) {
    for (std::size_t i = block.begin(); i != block.end(); ++i) {
      if (static_cast<int>(neighbors[i].size()) < options.min_neighbors) continue;
      const LocalPlane plane = local_plane(cloud.points, cloud.points[i], neighbors[i]);
      if (!(plane.variances[1] > 1e-6 * plane.variances[2])) continue;  // collinear: no plane, hence no normal
      cloud.on_line[i] = plane.is_line() ? 1 : 0;
      const bool away = plane.normal.dot(sensor - cloud.at(i)) < 0.0;
      const Eigen::Vector3d normal = (away ? -plane.normal : plane.normal).normalized();
      cloud.normals[i] = normal.cast<float>();
      cloud.heights[i] = height_of(cloud, i, neighbors[i], normal.cast<float>());
      cloud.roughness[i] = static_cast<float>(std::max(0.0, plane.variances[0]));
    }
  });
  return neighbors;
}

void drop_weak_normals(PointCloud& cloud, const Neighborhoods& neighbors) {
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    if (neighbors[i].size() >= kSurfaceNeighbors) continue;
    cloud.normals[i].setZero();
    cloud.on_line[i] = 1;
    cloud.heights[i] = cloud.roughness[i] = 0.0f;
  }
}

}  // namespace parte
