#include <parte/normals.hpp>

#include <parte/require.hpp>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <Eigen/Eigenvalues>
#include <stdexcept>

namespace parte {
namespace {

Eigen::Matrix3d covariance(const PointCloud& cloud, std::size_t center, std::span<const Index> neighbors) {
  // Moments about the centre point: coordinates stay small, so one pass loses no precision.
  const Eigen::Vector3f& p = cloud.points[center];
  float sx = 0, sy = 0, sz = 0, xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;
  for (const Index j : neighbors) {
    const float x = cloud.points[j].x() - p.x(), y = cloud.points[j].y() - p.y(), z = cloud.points[j].z() - p.z();
    sx += x, sy += y, sz += z;
    xx += x * x, xy += x * y, xz += x * z, yy += y * y, yz += y * z, zz += z * z;
  }
  const double n = static_cast<double>(neighbors.size());
  const Eigen::Vector3d mean(sx / n, sy / n, sz / n);
  Eigen::Matrix3d second;
  second << xx, xy, xz, xy, yy, yz, xz, yz, zz;
  return second / n - mean * mean.transpose();
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
  constexpr double kLine = 0.1;  // ratio of the larger variances; docs/ALGORITHM.md, "Covariance"
  cloud.normals.assign(cloud.size(), Eigen::Vector3f::Zero());
  cloud.on_line.assign(cloud.size(), 1);
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, cloud.size(), 256), [&](const auto& block) {
    Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver;
    for (std::size_t i = block.begin(); i != block.end(); ++i) {
      if (static_cast<int>(neighbors[i].size()) < options.min_neighbors) continue;
      solver.computeDirect(covariance(cloud, i, neighbors[i]));
      const auto& lambda = solver.eigenvalues();
      if (!(lambda[1] > 1e-6 * lambda[2])) continue;  // collinear: no plane, hence no normal
      cloud.on_line[i] = lambda[1] < kLine * lambda[2] ? 1 : 0;
      const Eigen::Vector3d normal = solver.eigenvectors().col(0);
      const bool away = normal.dot(sensor - cloud.at(i)) < 0.0;
      cloud.normals[i] = (away ? -normal : normal).normalized().cast<float>();
    }
  });
  return neighbors;
}

}  // namespace parte
