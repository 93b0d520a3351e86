#pragma once

#include <parte/confidence.hpp>
#include <parte/options.hpp>
#include <parte/surface_evidence.hpp>

#include <memory>
#include <optional>
#include <string_view>

namespace parte {

enum class Status {
  success,
  too_few_points,           ///< a cloud is empty or nearly so after downsampling: a smaller voxel, or another scan
  too_many_points,          ///< a cloud exceeds Options::max_points after downsampling: a larger voxel
  too_few_correspondences,  ///< nothing, or next to nothing, matched
  degenerate,               ///< the matches do not fix all six degrees of freedom
  not_verified,             ///< a transform was found, but the aligned clouds do not confirm it
};
[[nodiscard]] std::string_view to_string(Status status);

/// Wall-clock times in milliseconds, over all scales.
struct ExtractTimings {
  double downsample_ms = 0, normals_ms = 0, ground_ms = 0, planes_ms = 0, fpfh_ms = 0, pch_ms = 0, surfaces_ms = 0;
  [[nodiscard]] double total_ms() const {
    return downsample_ms + normals_ms + ground_ms + planes_ms + fpfh_ms + pch_ms + surfaces_ms;
  }
  ExtractTimings& operator+=(const ExtractTimings& other);
};
/// The same of one alignment, over all scales that it tried. `describe_ms`: of waiting for descriptions that were not
/// made yet.
struct AlignTimings {
  double describe_ms = 0, matching_ms = 0, graph_ms = 0, clique_ms = 0, transform_ms = 0, verification_ms = 0;
  [[nodiscard]] double total_ms() const {
    return describe_ms + matching_ms + graph_ms + clique_ms + transform_ms + verification_ms;
  }
};

/// What is matched with other clouds.
struct Description {
  PlaneFeatures planes;
  std::vector<Index> point_indices;  ///< the points of the cloud that carry a descriptor
  FpfhMatrix descriptors;            ///< row k belongs to point_indices[k]
  UprightMatrix upright;             ///< beside each descriptor; no rows where there is no ground
  ExtractTimings timings;            ///< of making it
};
struct LateDescription;

/// What one cloud contributes to any number of alignments. Coordinates are local: caller's = cloud.origin + local, with
/// the same origin at all scales.
struct Features {
  Status status = Status::too_few_points;            ///< success if usable
  PointCloud cloud;                                  ///< with the normals that verification uses
  Eigen::Vector3d sensor = Eigen::Vector3d::Zero();  ///< local coordinates
  std::vector<bool> ground;                          ///< per point
  Eigen::Vector3d up = Eigen::Vector3d::Zero();      ///< mean normal of the ground, local; zero where there is none
  SurfaceModel surfaces;                             ///< for verification
  std::shared_ptr<const Features> coarse;            ///< the same on voxels twice as large; null at the coarsest scale
  std::shared_ptr<LateDescription> late;             ///< where description() is kept; copies share it
  ExtractTimings timings;  ///< without descriptions that are made when they are first asked for

  /// Only the coarsest scale is described from the start. The others are when an alignment first asks for them, as most
  /// never do. Any thread may call it.
  [[nodiscard]] const Description& description() const;
  /// Takes another description, such as one with learned descriptors, in place of that of this scale and of all coarser
  /// ones.
  void replace_description(Description description);
  /// Null as long as nobody has asked for it.
  [[nodiscard]] const Description* description_if_made() const;
  /// The features `level` scales coarser than these.
  [[nodiscard]] const Features& at_level(int level) const;
  [[nodiscard]] const Features& coarsest() const;
};

/// A point correspondence from elsewhere (learned features, say), in the callers' coordinates.
struct Correspondence {
  Eigen::Vector3d source, target;
};

struct Result {
  Status status = Status::too_few_correspondences;
  Eigen::Isometry3d T_target_source = Eigen::Isometry3d::Identity();  ///< maps source coordinates into the target frame
  Eigen::Isometry3d T_clique = Eigen::Isometry3d::Identity();         ///< Algorithm 2's transform, before refinement
  /// Inverse covariance of T_clique exp(xi), xi = (rotation [rad], translation [m]) in the source frame (GTSAM's Pose3
  /// order and side), for residuals of unit variance; see TransformEstimate.
  Matrix6d information = Matrix6d::Zero();
  /// The same for T_target_source: the point-to-plane Hessian of the refinement, whose residuals have this RMS.
  /// Zero if VerificationOptions::refine is not set.
  Matrix6d surface_information = Matrix6d::Zero();
  double surface_rms_m = 0.0;
  SurfaceEvidence surface_evidence;  ///< of T_target_source, for registration_covariance(); if refined and usable
  /// What a degenerate result leaves open: motions xi as above, by one metre where they are shifts.
  std::vector<Vector6d> free_directions;
  /// Of a degenerate result: the aligned clouds confirm it, and what is open is one shift, as along a street.
  /// registration_covariance() then is wide along it.
  bool partial = false;

  int level = 0;                              ///< of the scale that the clique was found at: on voxels of 2^level v
  std::vector<Correspondence> clique_points;  ///< inlier point pairs, in the callers' coordinates
  /// Where they come from: indices into the cloud of Features::at_level(level) or, with correspondences from elsewhere,
  /// into those.
  std::vector<Match> clique_matches;
  std::vector<PlaneMatch> clique_planes;  ///< inlier plane pairs: indices of patches
  std::int64_t clique_weight = 0;
  bool proven_optimal = false;  ///< no heavier clique exists
  int hypotheses = 0;           ///< cliques tried; 1: the heaviest one was confirmed at once
  int levels = 0;               ///< scales tried; 1: the coarsest sufficed
  std::size_t point_candidates = 0, plane_candidates = 0;
  double point_rms_m = 0.0;    ///< RMS distance of the clique's points under T_clique
  Overlap overlap;             ///< of the two clouds, after refinement if they were asked at all
  AlignmentEvidence evidence;  ///< what the confidence follows from
  double confidence = 0.0;     ///< probability that T_target_source is correct; docs/BENCHMARK.md, "Confidence"
  AlignTimings timings;

  [[nodiscard]] bool success() const { return status == Status::success; }
  /// Whether a back-end can use it: a success, or partial.
  [[nodiscard]] bool usable() const { return success() || partial; }
};

/// Global point-plane registration. Any thread may use one instance, and the same features, at any time: all that
/// changes are descriptions that are made once, when they are first asked for.
class Registration {
 public:
  explicit Registration(Options options = {});

  /// The features of one cloud. `sensor` is where it was seen from, in the cloud's coordinates: normals point there.
  /// Without it: the coordinate origin or, if that lies farther outside the cloud than the cloud is large, a guess (2 m
  /// above the median point for a LiDAR, the middle of the cloud otherwise).
  [[nodiscard]] Features extract(PointsView points, std::optional<Eigen::Vector3d> sensor = {}) const;

  [[nodiscard]] Result align(const Features& source, const Features& target) const;
  /// With these point correspondences instead of FPFH matches; planes as usual.
  [[nodiscard]] Result align(const Features& source, const Features& target,
                             std::span<const Correspondence> points) const;

  [[nodiscard]] const Options& options() const { return options_; }

 private:
  Options options_;
};

}  // namespace parte
