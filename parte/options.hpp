#pragma once

#include <parte/clique.hpp>
#include <parte/fpfh.hpp>
#include <parte/ground.hpp>
#include <parte/matching.hpp>
#include <parte/normals.hpp>
#include <parte/sensor.hpp>
#include <parte/transform.hpp>
#include <parte/verification.hpp>

namespace parte {

/// How plane correspondences count against point correspondences in the clique.
enum class PlaneWeights {
  confidence,  ///< ceil(multiplier * w), the paper's choice
  fixed,       ///< the multiplier for every plane
  none,        ///< 1, as for points
};

/// Everything a registration can be told. Lengths are multiples of the voxel size v unless they say metres, so that
/// choosing v scales them all (paper, Table "Parameter settings").
struct Options {
  double voxel = 0.3;  ///< v [m]
  Sensor sensor = Sensor::lidar;
  int threads = 0;  ///< 0: as many as the machine has; at most 1024
  /// Scans are matched on voxels of 2^coarse_levels v first, then on half of that until v, as long as no alignment is
  /// confirmed; alignments are refined and judged on voxels of v in any case. 0: the paper's single scale.
  int coarse_levels = 1;

  double normal_radius = 2.0;  ///< [v]
  int normal_max_neighbors = 30;
  double plane_thickness = 1.0;   ///< tau_d [v]
  double plane_dispersion = 0.2;  ///< tau_theta [-], RMS sine
  int plane_min_points = 100;
  double fpfh_radius = 5.0;  ///< [v]
  int fpfh_max_neighbors = 100;
  double pch_half_range = 20.0;        ///< r_PCH [v]
  double spatial_tolerance = 1.0;      ///< epsilon_p [v]
  double angular_tolerance_deg = 5.0;  ///< epsilon_theta [deg]
  double plane_weight = 10.0;          ///< multiplier of the plane weights, at most 1e6

  bool use_planes = true;   ///< false: point-only, descriptors at every point
  bool use_ground = true;   ///< false: no ground segmentation (Sensor::rgbd never has it)
  bool use_patches = true;  ///< false: the ground is the only plane
  /// false: descriptors know nothing of the sensor's side of a surface, as where the viewpoint is unknown.
  bool orient_normals = true;
  /// LiDAR: height over the ground and the slope of the surface count beside FPFH, where both clouds have ground.
  bool upright_descriptors = false;
  bool ground_support = false;  ///< true: the ground counts in the neighbourhoods of point descriptors
  /// [v] of matches closer than this at both ends, one stays: neighbours err together. 0: all stay.
  double match_spacing = 0.0;
  PlaneWeights plane_weights = PlaneWeights::confidence;
  PlaneMatching plane_matching = PlaneMatching::two_level;

  GroundOptions ground;
  CliqueOptions clique;
  VerificationOptions verification;  ///< what it takes to call a registration a success

  std::size_t max_points = 400'000;          ///< after downsampling; more ask for a larger voxel
  std::size_t max_correspondences = 30'000;  ///< the graph needs n^2 / 8 bytes; more are thinned evenly

  [[nodiscard]] static Options lidar(double voxel = 0.3);
  [[nodiscard]] static Options rgbd(double voxel = 0.05);
  void validate() const;  ///< throws std::invalid_argument naming the field and its range

  /// By an alignment: coarse_levels, but 0 where nothing confirms it, for then there is only the finest scale.
  [[nodiscard]] int levels_tried() const { return verification.enabled && verification.refine ? coarse_levels : 0; }
  [[nodiscard]] Options at_level(int level) const;  ///< those of a coarser scale: v is 2^level times as large
  [[nodiscard]] NormalOptions normals() const;
  [[nodiscard]] PlaneOptions planes() const;
  [[nodiscard]] FpfhOptions fpfh() const;
  [[nodiscard]] PlaneFeatureOptions plane_features() const;
  [[nodiscard]] CompatibilityOptions compatibility() const;
  [[nodiscard]] TransformOptions transform() const;
};

}  // namespace parte
