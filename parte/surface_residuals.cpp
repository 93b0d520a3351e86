#include <parte/surface_residuals.hpp>

#include <algorithm>

namespace parte {
namespace {

/// Visits `count` of the samples, evenly spaced.
template <class Visit>
void for_some(const std::vector<Index>& samples, std::size_t count, Visit&& visit) {
  const std::size_t taken = std::min(count, samples.size());
  for (std::size_t k = 0; k < taken; ++k) visit(samples[k * samples.size() / taken]);
}

double median_of(std::vector<double>& values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

void SurfaceResidual::weigh(const Doubt& typical) {
  const auto part = [](double usual, double own) { return 2.0 * usual / (usual + own); };
  scale = std::sqrt(part(typical.roughness, doubt.roughness) * part(typical.lever, doubt.lever));
  J *= scale;
  distance *= scale;
}

std::optional<SurfaceResidual> surface_residual(const Surfaces& target, const Eigen::Isometry3d& T,
                                                const Surfel& surfel, double radius) {
  constexpr float kFacing = 0.7f;  // within 45 degrees: a facade is no support for the back of another
  const Surfels& surfels = target.model.surfels;
  const Eigen::Vector3d moved = T * surfel.point, turned = T.linear() * surfel.normal;
  const Eigen::Vector3f p = moved.cast<float>(), n = turned.cast<float>();
  const Index hit = target.model.grid.nearest(p, static_cast<float>(radius),
                                              [&](Index j) { return surfels.normals[j].dot(n) > kFacing; });
  if (hit == NeighborGrid::kNone) return std::nullopt;
  const Eigen::Vector3d facing = surfels.normals[hit].cast<double>(), mean = (facing + turned).normalized();
  const Eigen::Vector3d apart = moved - surfels.points[hit].cast<double>();
  SurfaceResidual residual{Vector6d(), mean.dot(apart), {}, surfel};
  residual.doubt.roughness = surfel.roughness + static_cast<double>(surfels.roughness[hit]);
  residual.doubt.lever = (apart - residual.distance * mean).squaredNorm() * (facing - turned).squaredNorm();
  const Eigen::Vector3d mean_in_source = T.linear().transpose() * mean;
  residual.J << surfel.point.cross(mean_in_source), mean_in_source;
  return residual;
}

Doubt typical_doubt(const std::vector<SurfaceResidual>& residuals, double radius) {
  constexpr double kLeast = 0.005;  // [radii]; exact planes have no doubt
  const double least = kLeast * radius * kLeast * radius;
  if (residuals.empty()) return {least, least};
  std::vector<double> roughness, lever;
  for (const SurfaceResidual& r : residuals) {
    roughness.push_back(r.doubt.roughness);
    lever.push_back(r.doubt.lever);
  }
  return {std::max(least, median_of(roughness)), std::max(least, median_of(lever))};
}

std::vector<SurfaceResidual> surface_residuals(const Surfaces& source, const Surfaces& target,
                                               const Eigen::Isometry3d& T, double radius, std::size_t samples,
                                               std::size_t ground_samples) {
  std::vector<SurfaceResidual> residuals;
  const Surfels& surfels = source.model.surfels;
  const auto add = [&](Index i) {
    const Surfel surfel{surfels.points[i].cast<double>(), surfels.normals[i].cast<double>(), surfels.roughness[i]};
    if (const auto residual = surface_residual(target, T, surfel, radius)) residuals.push_back(*residual);
  };
  for_some(surfels.others, samples, add);
  for_some(surfels.ground, ground_samples, add);
  const Doubt typical = typical_doubt(residuals, radius);
  for (SurfaceResidual& r : residuals) r.weigh(typical);
  return residuals;
}

Cauchy kernel_of(const std::vector<SurfaceResidual>& residuals, double radius) {
  // 95 % efficient for a Gaussian, whose standard deviation is 1.4826 times its median distance.
  constexpr double kWidth = 2.385 * 1.4826;
  constexpr double kLeast = 0.05, kMost = 0.5;  // [radii]
  if (residuals.empty()) return Cauchy(kMost * radius);
  std::vector<double> distances;
  for (const SurfaceResidual& r : residuals) distances.push_back(std::abs(r.distance));
  return Cauchy(std::clamp(kWidth * median_of(distances), kLeast * radius, kMost * radius));
}

}  // namespace parte
