#pragma once

#include <parte/matching.hpp>
#include <parte/registration.hpp>

#include <algorithm>
#include <cstdio>

/// How well the pairs of one kind register. Sums that become means.
struct PairStatistics {
  int pairs = 0, right = 0;
  double inliers = 0.0, clique = 0.0;

  void print() const {
    std::printf(" %.1f %%, %.0f, %d/%d |", 100.0 * inliers / std::max(1, pairs), clique / std::max(1, right), right,
                pairs);
  }
};

/// A result this near to the truth is right.
struct Tolerance {
  double metres, degrees;
};

/// The part of the FPFH matches that lie within two voxels of where the truth puts them.
inline double inlier_ratio(const parte::Features& source, const parte::Features& target, const Eigen::Isometry3d& truth,
                           double voxel) {
  const auto matches = parte::match_points(source.description().descriptors, target.description().descriptors);
  std::size_t inliers = 0;
  for (const parte::Match& m : matches) {
    const Eigen::Vector3d p = source.cloud.at(source.description().point_indices[m.source]) + source.cloud.origin;
    const Eigen::Vector3d q = target.cloud.at(target.description().point_indices[m.target]) + target.cloud.origin;
    if ((truth * p - q).norm() < 2.0 * voxel) ++inliers;
  }
  return static_cast<double>(inliers) / static_cast<double>(std::max<std::size_t>(matches.size(), 1));
}

inline void add_pair(PairStatistics& s, const parte::Features& source, const parte::Features& target,
                     const Eigen::Isometry3d& truth, const parte::Registration& registration, Tolerance tolerance) {
  const parte::Result result = registration.align(source, target);
  const Eigen::Isometry3d error = truth.inverse() * result.T_target_source;
  ++s.pairs;
  s.inliers += inlier_ratio(source, target, truth, registration.options().voxel);
  const double degrees = Eigen::AngleAxisd(error.linear()).angle() * 180.0 / EIGEN_PI;
  if (error.translation().norm() > tolerance.metres || degrees > tolerance.degrees) return;
  ++s.right;
  s.clique += static_cast<double>(result.clique_points.size() + result.clique_planes.size());
}
