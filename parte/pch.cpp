#include <parte/pch.hpp>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

namespace parte {
namespace {

int bin_of(double unit, int bins) { return std::clamp(static_cast<int>(unit * bins), 0, bins - 1); }

}  // namespace

bool PatchBox::contains_projection(const Eigen::Vector3d& point) const {
  const Eigen::Vector3d d = point - center;
  return std::abs(d.dot(axis_u)) <= half_u && std::abs(d.dot(axis_v)) <= half_v;
}

PatchBox bounding_box(const PointCloud& cloud, const PlanarPatch& patch) {
  PatchBox box;
  // In-plane principal axes: the covariance with its out-of-plane part projected away.
  const Eigen::Matrix3d project = Eigen::Matrix3d::Identity() - patch.normal * patch.normal.transpose();
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(project * patch.covariance * project);
  box.axis_u = (project * solver.eigenvectors().col(2)).normalized();
  box.axis_v = patch.normal.cross(box.axis_u);
  double low_u = 0.0, high_u = 0.0, low_v = 0.0, high_v = 0.0;
  for (const Index i : patch.indices) {
    const Eigen::Vector3d d = cloud.at(i) - patch.centroid;
    low_u = std::min(low_u, d.dot(box.axis_u)), high_u = std::max(high_u, d.dot(box.axis_u));
    low_v = std::min(low_v, d.dot(box.axis_v)), high_v = std::max(high_v, d.dot(box.axis_v));
  }
  box.center = patch.centroid + 0.5 * (low_u + high_u) * box.axis_u + 0.5 * (low_v + high_v) * box.axis_v;
  box.half_u = 0.5 * (high_u - low_u);
  box.half_v = 0.5 * (high_v - low_v);
  return box;
}

Pch plane_context(const PointCloud& cloud, const PlanarPatch& patch, double half_range,
                  const std::vector<bool>& excluded, const PatchBox* box) {
  Pch histogram{};
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    const double distance = patch.normal.dot(cloud.at(i) - patch.centroid);  // delta_i
    if (std::abs(distance) > half_range || !cloud.has_normal(i)) continue;
    if (!excluded.empty() && excluded[i]) continue;
    if (box != nullptr && !box->contains_projection(cloud.at(i))) continue;
    const double agreement = patch.normal.dot(cloud.normal(i));  // a_i
    const int row = bin_of((distance / half_range + 1.0) * 0.5, kPchDistanceBins);
    const int column = bin_of((agreement + 1.0) * 0.5, kPchAgreementBins);
    histogram[static_cast<std::size_t>(row * kPchAgreementBins + column)] += 1.0;
  }
  return histogram;
}

Pch normalised(Pch histogram) {
  double total = 0.0;
  for (const double h : histogram) total += h;
  if (total > 0.0)
    for (double& h : histogram) h /= total;
  return histogram;
}

double chi2_distance(const Pch& h, const Pch& g) {
  double sum = 0.0;
  for (std::size_t i = 0; i < h.size(); ++i)
    if (const double both = h[i] + g[i]; both > 0.0) sum += (h[i] - g[i]) * (h[i] - g[i]) / both;
  return sum;
}

}  // namespace parte
