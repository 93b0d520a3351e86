#pragma once

#include <parte/options.hpp>

#include <string_view>
#include <utility>
#include <vector>

/// The one list of the options' fields by name, for whatever sets, prints or compares them.
namespace parte {

/// What the values of a field that is no number are called.
template <class Enum>
using OptionWords = std::vector<std::pair<std::string_view, Enum>>;

inline const OptionWords<bool>& option_words(bool) {
  static const OptionWords<bool> words = {{"true", true}, {"false", false}};
  return words;
}
inline const OptionWords<Sensor>& option_words(Sensor) {
  static const OptionWords<Sensor> words = {{"lidar", Sensor::lidar}, {"rgbd", Sensor::rgbd}};
  return words;
}
inline const OptionWords<PlaneWeights>& option_words(PlaneWeights) {
  static const OptionWords<PlaneWeights> words = {
      {"confidence", PlaneWeights::confidence}, {"fixed", PlaneWeights::fixed}, {"none", PlaneWeights::none}};
  return words;
}
inline const OptionWords<PlaneMatching>& option_words(PlaneMatching) {
  static const OptionWords<PlaneMatching> words = {{"two_level", PlaneMatching::two_level},
                                                   {"one_level", PlaneMatching::one_level}};
  return words;
}

/// What a field is for: those of `features` change what Registration::extract gives, the others the alignment alone.
enum class OptionUse { features, alignment };

/// Calls visit(name, field, use) for every field in the order of the structure, but for the number of threads, which
/// changes no result. The name is the one that the field has in C++: plane_weight, verification.refine.
template <class Opts, class Visit>
void for_each_option(Opts& o, const Visit& visit) {
  using enum OptionUse;
  visit("voxel", o.voxel, features);
  visit("sensor", o.sensor, features);
  visit("coarse_levels", o.coarse_levels, features);
  visit("normal_radius", o.normal_radius, features);
  visit("normal_max_neighbors", o.normal_max_neighbors, features);
  visit("plane_thickness", o.plane_thickness, features);
  visit("plane_dispersion", o.plane_dispersion, features);
  visit("plane_min_points", o.plane_min_points, features);
  visit("fpfh_radius", o.fpfh_radius, features);
  visit("fpfh_max_neighbors", o.fpfh_max_neighbors, features);
  visit("pch_half_range", o.pch_half_range, features);
  visit("spatial_tolerance", o.spatial_tolerance, features);          // of coplanar patches
  visit("angular_tolerance_deg", o.angular_tolerance_deg, features);  // the same
  visit("plane_weight", o.plane_weight, alignment);
  visit("use_planes", o.use_planes, features);
  visit("use_ground", o.use_ground, features);
  visit("use_patches", o.use_patches, features);
  visit("orient_normals", o.orient_normals, features);
  visit("upright_descriptors", o.upright_descriptors, features);
  visit("ground_support", o.ground_support, features);
  visit("match_spacing", o.match_spacing, alignment);
  visit("plane_weights", o.plane_weights, alignment);
  visit("plane_matching", o.plane_matching, alignment);
  visit("ground.cell", o.ground.cell, features);
  visit("ground.tolerance", o.ground.tolerance, features);
  visit("ground.max_slope_deg", o.ground.max_slope_deg, features);
  visit("ground.max_bend_deg", o.ground.max_bend_deg, features);
  visit("ground.max_step", o.ground.max_step, features);
  visit("ground.min_points", o.ground.min_points, features);
  visit("clique.max_work", o.clique.max_work, alignment);
  visit("clique.time_limit_s", o.clique.time_limit_s, alignment);
  visit("verification.enabled", o.verification.enabled, alignment);
  visit("verification.refine", o.verification.refine, alignment);
  visit("verification.max_hypotheses", o.verification.max_hypotheses, alignment);
  visit("verification.max_refined", o.verification.max_refined, alignment);
  visit("verification.radius", o.verification.radius, features);  // of the grid of surfaces
  visit("verification.min_confidence", o.verification.min_confidence, alignment);
  visit("max_points", o.max_points, features);
  visit("max_correspondences", o.max_correspondences, alignment);
}

}  // namespace parte
