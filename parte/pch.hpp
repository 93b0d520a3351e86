#pragma once

#include <parte/planes.hpp>

#include <array>

namespace parte {

inline constexpr int kPchDistanceBins = 16;
inline constexpr int kPchAgreementBins = 12;
inline constexpr int kPchSize = kPchDistanceBins * kPchAgreementBins;

/// Plane Context Histogram: signed distance (16 bins) x normal agreement (12 bins).
using Pch = std::array<double, kPchSize>;

/// A rectangle in a patch's plane that holds the patch's points: the oriented box of the second matching level.
struct PatchBox {
  Eigen::Vector3d center, axis_u, axis_v;
  double half_u = 0.0, half_v = 0.0;
  [[nodiscard]] bool contains_projection(const Eigen::Vector3d& point) const;
};
[[nodiscard]] PatchBox bounding_box(const PointCloud& cloud, const PlanarPatch& patch);

/// Counts of the points with |delta| <= half_range, not normalised; without those with `excluded[i]` (pass an empty
/// vector for none), and only those whose projection is in `box` if given.
[[nodiscard]] Pch plane_context(const PointCloud& cloud, const PlanarPatch& patch, double half_range,
                                const std::vector<bool>& excluded, const PatchBox* box = nullptr);
/// Sum to one; an empty histogram stays zero.
[[nodiscard]] Pch normalised(Pch histogram);

/// chi^2(h, g) = sum (h - g)^2 / (h + g) over bins that are not both empty.
[[nodiscard]] double chi2_distance(const Pch& h, const Pch& g);

}  // namespace parte
