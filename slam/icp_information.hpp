#pragma once

#include <slam/icp.hpp>

namespace parte::slam {

/// Where the weighted matches have come to rest, with the scale measured on their own distances: the information is
/// A M^-1 A of docs/ALGORITHM.md, "Covariance", as for registrations, without the prior; the renewal, "Odometry" there.
[[nodiscard]] MeasuredNoise measured_noise(std::span<const SurfaceMatch> matches, const Eigen::Isometry3d& T_map_scan,
                                           double kernel_m, double surface_radius_m);

}  // namespace parte::slam
