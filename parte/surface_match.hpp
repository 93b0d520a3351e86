#pragma once

#include <parte/verification.hpp>

#include <algorithm>

/// How points of one cloud find their surface in the other; for the stages that compare aligned clouds.
namespace parte {

/// Calls visit(point, normal, index) for evenly spaced witnesses, moved by T.
template <class Visit>
void for_each_sample(const Surfaces& surfaces, const std::vector<Index>& samples, const Eigen::Isometry3f& T,
                     std::size_t count, Visit&& visit) {
  const std::size_t taken = std::min(count, samples.size());
  for (std::size_t k = 0; k < taken; ++k) {
    const Index i = samples[k * samples.size() / taken];
    visit(Eigen::Vector3f(T * surfaces.cloud.points[i]), Eigen::Vector3f(T.linear() * surfaces.cloud.normals[i]), i);
  }
}

/// The nearest point that faces the same way within 45 degrees: a facade is no support for the back of another.
inline Index surface_at(const Surfaces& surfaces, const Eigen::Vector3f& p, const Eigen::Vector3f& n, float radius) {
  return surfaces.model.grid.nearest(p, radius, [&](Index j) { return surfaces.cloud.normals[j].dot(n) > 0.7f; });
}

}  // namespace parte
