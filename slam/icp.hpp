#pragma once

#include <parte/transform.hpp>
#include <slam/voxel_map.hpp>

#include <span>
#include <vector>

namespace parte::slam {

/// Where a point of the scan lies on the map: on a plane, or at its nearest point.
struct SurfaceMatch {
  Eigen::Vector3d source;  ///< in the scan's frame
  Eigen::Vector3d target;  ///< in the map's
  Eigen::Vector3d normal;  ///< unit: distances count along it alone; zero: distances count in all directions
  double weight = 1.0;     ///< besides that of the robust kernel
  int age = 1;             ///< of the map there [scans], see VoxelMap::age()
};

/// Gauss-Newton's view of the cost 1/2 sum rho(r) for T exp(xi), xi = (rotation, translation) in the scan's frame, with
/// the weights of the robust kernel (Geman and McClure) taken as constants.
struct NormalEquations {
  Matrix6d H = Matrix6d::Zero();
  Vector6d g = Vector6d::Zero();
  double weight = 0.0;   ///< sum of the weights
  double squares = 0.0;  ///< weighted sum of the squared distances [m^2]
  int residuals = 0;     ///< distances that count: one of a plane, three of a point

  NormalEquations& operator+=(const NormalEquations& other);
};
/// Adds one match. `kernel` [m] is the distance at which the weight has fallen to a quarter.
void accumulate(const SurfaceMatch& match, const Eigen::Isometry3d& T_map_scan, double kernel, NormalEquations& sum);

/// The inverse of motion(), for small ones.
[[nodiscard]] Vector6d tangent(const Eigen::Isometry3d& motion);

/// How sure an alignment is, measured on its own distances: see measured_noise().
struct MeasuredNoise {
  Matrix6d information = Matrix6d::Zero();  ///< inverse covariance
  /// Information that is new in the map: J renewal J is the covariance of what a map of that age takes over from an
  /// alignment of covariance J.
  Matrix6d renewal = Matrix6d::Zero();
};

struct IcpOptions {
  double max_distance_m = 3.0;    ///< between a point and its nearest one in the map
  double kernel_m = 0.3;          ///< see accumulate(); in the first iteration, then it shrinks
  double last_kernel_m = 0.1;     ///< what it shrinks to
  double surface_radius_m = 1.0;  ///< of the neighbourhood that a plane is fitted to
  double flatness = 0.05;         ///< largest ratio of a plane's two smaller variances
  double point_weight = 0.3;      ///< of matches without a plane, against those with one
  double shared = 1.0;            ///< residuals that make one independent one, where they are weighed against the guess
  double prior_m = 0.5;           ///< standard deviation of the guess; it holds what the map leaves open
  double prior_rad = 0.02;
  int max_iterations = 100;
  double tolerance = 5e-4;  ///< [m] and [rad]: smaller steps end the iteration
};

struct IcpResult {
  Eigen::Isometry3d T_map_scan;
  MeasuredNoise noise = {};  ///< of T_map_scan exp(xi), without the prior
  int iterations = 0;
  int matches = 0;     ///< of the last iteration
  double rms_m = 0.0;  ///< weighted, of the last iteration
  double fit = 0.0;    ///< mean weight of the scan's points, 0 for those without a match; 1 is perfect
  bool converged = false;
};

/// Moves the scan from the guess to where it fits the map best. The result does not depend on the number of threads.
[[nodiscard]] IcpResult align_to_map(std::span<const Eigen::Vector3d> scan, const VoxelMap& map,
                                     const Eigen::Isometry3d& T_guess, const IcpOptions& options);

}  // namespace parte::slam
