#pragma once

#include <parte/neighbors.hpp>
#include <parte/surfels.hpp>
#include <parte/transform.hpp>

#include <cmath>

namespace parte {

/// What one cloud knows about the space around it: where surfaces are, and what was seen to be empty.
/// Built once per cloud; local coordinates.
struct SurfaceModel {
  NeighborGrid grid;              ///< over all points
  Surfels surfels;                ///< the same points, for refinement
  std::vector<Index> samples;     ///< points that bear witness: off the ground, with a normal
  std::vector<float> free_range;  ///< per viewing direction [m]: nothing was hit before; 0 where nothing was seen
  Eigen::Vector3f sensor = Eigen::Vector3f::Zero();

  SurfaceModel() : grid({}, 1.0) {}
  SurfaceModel(const PointCloud& cloud, const std::vector<bool>& on_ground, const Eigen::Vector3d& sensor,
               double radius);

  /// How far the view from the sensor toward `place` is known to be empty [m].
  [[nodiscard]] float free_until(const Eigen::Vector3f& place) const;
};

/// A cloud with its model, as verification sees it.
struct Surfaces {
  const PointCloud& cloud;
  const SurfaceModel& model;
};

/// What it takes to call an alignment a success, and how hard to look for one.
struct VerificationOptions {
  bool enabled = true;           ///< false: any clique that fixes all six degrees of freedom is a success
  bool refine = true;            ///< return the transform that the surfaces have refined, not the clique's own
  int max_hypotheses = 300;      ///< cliques tried when the heaviest one is not confirmed; 1: the heaviest alone
  int max_refined = 20;          ///< of these, how many are refined, roughly at first
  double radius = 2.0;           ///< [v] a point is supported by a surface this near; at most 1e6
  double min_confidence = 0.99;  ///< least Result::confidence of a success; above 0.998 there is none
  void validate() const;         ///< throws std::invalid_argument naming the field
};

/// Votes of the points of both clouds on an alignment. Points that fall where the other cloud saw nothing abstain.
struct Overlap {
  std::size_t supported = 0;    ///< lie on a surface of the other cloud, facing the same way
  std::size_t conflicting = 0;  ///< lie where the other sensor looked through
  std::size_t unseen = 0;       ///< abstain
  std::size_t close = 0;        ///< of the supported ones, those within a fifth of the radius of the surface

  [[nodiscard]] double agreement() const { return ratio(supported, supported + conflicting); }
  [[nodiscard]] double sharpness() const { return ratio(close, supported); }
  [[nodiscard]] double fraction() const { return ratio(supported, supported + conflicting + unseen); }
  /// Which of two alignments to prefer. A point where the other sensor looked through speaks louder against an
  /// alignment than a supported one speaks for it, and one beside a surface less for it than one on it: a wrong
  /// alignment of two streets or rooms may well have the larger overlap. docs/ALGORITHM.md, "Verification".
  [[nodiscard]] double score() const { return std::pow(agreement(), 16) * std::pow(sharpness(), 3) * fraction(); }

 private:
  static double ratio(std::size_t part, std::size_t whole) {
    return whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole);
  }
};

/// `samples`: how many points of either cloud vote.
[[nodiscard]] Overlap measure_overlap(const Surfaces& source, const Surfaces& target,
                                      const Eigen::Isometry3d& T_target_source, double radius, std::size_t samples);

struct Refinement {
  Eigen::Isometry3d T_target_source;
  Matrix6d information = Matrix6d::Zero();  ///< point-to-plane Hessian at the end: source frame, rotation first
  Matrix6d facing = Matrix6d::Zero();       ///< the same of surfaces that count alike, however rough they are
  double weight = 0.0;                      ///< sum of the robust weights in either
  double rms_m = 0.0;                       ///< weighted RMS distance of the matched points to their surfaces
};

/// How much work goes into a refinement.
struct RefinementEffort {
  int rounds = 10;                                  ///< at least 2; the reach shrinks from two radii to one
  int settling = 15;                                ///< at most so many more, while the transform still moves
  std::size_t samples = 800, ground_samples = 300;  ///< points of the source
};

/// Plane-to-plane ICP from `T_target_source`, within `radius` [m] of surfaces in the end. `prior` (the clique's
/// information: source frame, rotation first) holds the directions that the surfaces leave open.
[[nodiscard]] Refinement refine(const Surfaces& source, const Surfaces& target,
                                const Eigen::Isometry3d& T_target_source, const Matrix6d& prior, double radius,
                                const RefinementEffort& effort = {});

/// What the surfaces really fix, as strength (see weak_directions): the refinement's facing per matched weight,
/// less the directions along which the clouds can be moved by two radii and still fit as well. On a rough wall stray
/// normals seem to fix shifts along it; the shift itself shows that they do not.
[[nodiscard]] Matrix6d surface_strength(const Surfaces& source, const Surfaces& target, const Refinement& refinement,
                                        const Eigen::Vector3d& center, double size, double radius);

}  // namespace parte
