#pragma once

#include <parte/fpfh.hpp>
#include <parte/pch.hpp>
#include <parte/upright.hpp>

namespace parte {

/// Exact mutual nearest neighbours of descriptor rows under the l2 distance, ascending in `source`; equal distances
/// go to the lower index. Zero rows (no descriptor) match nothing. What stands upright beside the rows counts with them
/// if both sides have it.
[[nodiscard]] std::vector<Match> match_points(const FpfhMatrix& source, const FpfhMatrix& target,
                                              const UprightMatrix& source_upright = {},
                                              const UprightMatrix& target_upright = {});

/// Of matches between points that are closer than `spacing` [m] to each other at both ends, the one with the smallest
/// descriptor distance, the first of equal ones; in the order given. Neighbours share their surroundings, so that one
/// error makes all of them wrong together: they are one piece of evidence.
[[nodiscard]] std::vector<Match> spaced_matches(std::span<const Match> matches, std::span<const float> distances,
                                                const PointCloud& source, const PointCloud& target, double spacing);

/// A cloud's patches with their descriptors at both levels.
struct PlaneFeatures {
  std::vector<PlanarPatch> patches;
  std::vector<Pch> context;                ///< per patch: counts over the whole slab
  std::vector<Pch> box_context;            ///< per patch: counts over the points above and below its box
  std::vector<std::vector<Index>> groups;  ///< patches that lie on one infinite plane
};

struct PlaneFeatureOptions {
  double half_range = 6.0;          ///< r_PCH [m]; default 20 v
  double coplanar_angle_deg = 5.0;  ///< [deg] largest angle between normals of one plane's patches
  double coplanar_distance = 0.3;   ///< [m] largest distance of a patch's centroid from another's plane; default 1 v
  void validate() const;            ///< throws std::invalid_argument naming the field
};

[[nodiscard]] PlaneFeatures describe_planes(const PointCloud& cloud, std::vector<PlanarPatch> patches,
                                            const PlaneFeatureOptions& options);

enum class PlaneMatching {
  one_level,  ///< every patch by its own descriptor
  two_level,  ///< planes first, then the patches inside matched coplanar groups
};

struct PlaneMatch : Match {
  double confidence = 0.0;  ///< w in [0, 1], eq. (plane-match-confidence)
};

/// Mutual nearest neighbours of a matrix of distances, source by target, with the confidence of
/// eq. (plane-match-confidence); ascending in `source`.
[[nodiscard]] std::vector<PlaneMatch> match_mutually(const Eigen::MatrixXd& distance);

/// The chi^2 distance of every source patch (row) to every target patch (column). At two levels it is that of the
/// planes or of the patches' boxes, whichever is larger, so that a pair within a threshold is so at both; planes of one
/// patch each have one level only.
[[nodiscard]] Eigen::MatrixXd plane_distances(const PlaneFeatures& source, const PlaneFeatures& target,
                                              PlaneMatching mode);

/// Mutual nearest neighbours under chi^2, ascending in (source, target).
[[nodiscard]] std::vector<PlaneMatch> match_planes(const PlaneFeatures& source, const PlaneFeatures& target,
                                                   PlaneMatching mode);

}  // namespace parte
