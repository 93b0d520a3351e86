#pragma once

#include <slam/icp.hpp>

namespace parte::slam {

/// Inverse covariance of T_map_scan exp(xi) where the weighted matches have come to rest, with the scale measured on
/// their own distances: A M^-1 A of docs/ALGORITHM.md, "Covariance", as for registrations; without the prior.
[[nodiscard]] Matrix6d measured_information(std::span<const SurfaceMatch> matches, const Eigen::Isometry3d& T_map_scan,
                                            double kernel_m, double surface_radius_m);

}  // namespace parte::slam
