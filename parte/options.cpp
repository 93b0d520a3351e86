#include <parte/options.hpp>

#include <parte/require.hpp>

#include <cmath>

namespace parte {

Options Options::lidar(double voxel) {
  Options o;
  o.voxel = voxel;
  o.sensor = Sensor::lidar;
  return o;
}

Options Options::rgbd(double voxel) {
  Options o;
  o.voxel = voxel;
  o.sensor = Sensor::rgbd;
  return o;
}

void Options::validate() const {
  require_positive(voxel, "Options::voxel");
  require(threads >= 0 && threads <= 1024, "Options::threads must lie between 0 and 1024");
  require(coarse_levels >= 0 && coarse_levels <= 8, "Options::coarse_levels must lie between 0 and 8");
  require_positive(normal_radius, "Options::normal_radius");
  require(normal_max_neighbors >= normals().min_neighbors, "Options::normal_max_neighbors must be at least 3");
  require_positive(plane_thickness, "Options::plane_thickness");
  require(plane_dispersion > 0.0 && plane_dispersion <= 1.0, "Options::plane_dispersion must lie in (0, 1]");
  require(plane_min_points >= 3, "Options::plane_min_points must be at least 3");
  require_positive(fpfh_radius, "Options::fpfh_radius");
  require(fpfh_max_neighbors >= 2 && fpfh_max_neighbors <= 255,
          "Options::fpfh_max_neighbors must lie between 2 and 255");
  require_positive(pch_half_range, "Options::pch_half_range");
  require(match_spacing >= 0.0 && std::isfinite(match_spacing),
          "Options::match_spacing must be finite and not negative");
  require_positive(spatial_tolerance, "Options::spatial_tolerance");
  require(plane_weight > 0.0 && plane_weight <= 1e6, "Options::plane_weight must be positive and at most 1000000");
  require(angular_tolerance_deg > 0.0 && angular_tolerance_deg < 90.0,
          "Options::angular_tolerance_deg must lie between 0 and 90");
  normals().validate();
  planes().validate();
  fpfh().validate();
  plane_features().validate();
  compatibility().validate();
  transform().validate();
  ground.validate();
  clique.validate();
  verification.validate();
}

Options Options::at_level(int level) const {
  Options o = *this;
  o.voxel = std::ldexp(voxel, level);
  return o;
}
NormalOptions Options::normals() const { return {normal_radius * voxel, normal_max_neighbors}; }
PlaneOptions Options::planes() const { return {plane_thickness * voxel, plane_dispersion, plane_min_points}; }
FpfhOptions Options::fpfh() const { return {fpfh_radius * voxel, fpfh_max_neighbors}; }
PlaneFeatureOptions Options::plane_features() const {
  return {pch_half_range * voxel, angular_tolerance_deg, spatial_tolerance * voxel};
}
CompatibilityOptions Options::compatibility() const { return {spatial_tolerance * voxel, angular_tolerance_deg}; }
TransformOptions Options::transform() const {
  TransformOptions o;
  o.noise = spatial_tolerance * voxel;
  o.angular_noise = angular_tolerance_deg * EIGEN_PI / 180.0;
  return o;
}

}  // namespace parte
