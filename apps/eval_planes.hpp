#pragma once

#include <parte/registration.hpp>

#include <array>
#include <string_view>
#include <vector>

namespace parte::apps {

/// How planes are told apart.
enum class PlaneDescriptor {
  pch_two_level,  ///< the library's matcher
  pch_one_level,
  area,       ///< of the convex hull
  perimeter,  ///< of the convex hull
};
inline constexpr std::array kPlaneDescriptors = {PlaneDescriptor::pch_two_level, PlaneDescriptor::pch_one_level,
                                                 PlaneDescriptor::area, PlaneDescriptor::perimeter};
[[nodiscard]] std::string_view to_string(PlaneDescriptor descriptor);

/// The convex hull of a patch's points in its plane.
struct HullSize {
  double area_m2 = 0.0, perimeter_m = 0.0;
};
[[nodiscard]] HullSize hull_size(const PointCloud& cloud, const PlanarPatch& patch);

/// Whether source patch (row) and target patch (column) are the same surface.
using SamePlanes = Eigen::Array<bool, Eigen::Dynamic, Eigen::Dynamic>;
/// They are if under the true transform the normals agree within 10 degrees, each centroid lies within 2 voxels of
/// the other's plane, and a tenth of the smaller patch's points have one of the other patch within 2 voxels.
[[nodiscard]] SamePlanes same_planes(const Features& source, const Features& target,
                                     const Eigen::Isometry3d& T_target_source, double voxel);

/// One candidate: a plane of the source and one of the target.
struct PlaneCandidate {
  double distance = 0.0;    ///< of the descriptors
  double confidence = 0.0;  ///< of the match, if it is one
  bool matched = false;     ///< mutual nearest neighbours
  bool right = false;       ///< the same surface
};

/// All candidates of any number of scan pairs.
struct PlaneTally {
  std::vector<PlaneCandidate> candidates;
  std::size_t pairs = 0;  ///< of scans
  void add(const PlaneTally& other);
};
[[nodiscard]] PlaneTally tally_planes(const Features& source, const Features& target, const SamePlanes& same,
                                      PlaneDescriptor descriptor);

/// Over all candidates of all scan pairs together; what would be 0 / 0 is 0.
struct PlaneScores {
  double precision = 0.0;            ///< right matches / matches
  double recall = 0.0;               ///< right matches / right candidates
  double f1 = 0.0;                   ///< harmonic mean of both
  double average_precision = 0.0;    ///< area under the precision-recall steps as the limit on the distance grows
  double mean_true_positives = 0.0;  ///< right matches per scan pair
};
[[nodiscard]] PlaneScores scores(const PlaneTally& tally);

struct CurvePoint {
  double x = 0.0, y = 0.0;
  std::size_t count = 0;  ///< candidates or matches that y is a ratio of
};
/// x recall, y precision where the recall rises as the limit on the distance grows; at most `points` (2 or more) of
/// them, the first and the last included.
[[nodiscard]] std::vector<CurvePoint> precision_recall(const PlaneTally& tally, std::size_t points);
/// x the middle of a bin of confidence, y the part of its matches that is right; bins without matches are left out.
[[nodiscard]] std::vector<CurvePoint> confidence_calibration(const PlaneTally& tally, std::size_t bins);

}  // namespace parte::apps
