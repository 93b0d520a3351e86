#include <parte/covariance.hpp>

#include <parte/require.hpp>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace parte {
namespace {

/// Information for residuals of unit variance becomes that for residuals of this RMS.
Matrix6d scaled(const Matrix6d& information, double rms_m, double floor_m, double inflation) {
  const double sigma = std::max(rms_m, floor_m);
  return information / (inflation * sigma * sigma);
}

}  // namespace

CovarianceOptions CovarianceOptions::of(const Options& registration) {
  CovarianceOptions options = registration.sensor == Sensor::lidar ? CovarianceOptions() : rgbd();
  options.voxel_m = registration.voxel;
  return options;
}

void CovarianceOptions::validate() const {
  require(clique_inflation > 0.0, "CovarianceOptions::clique_inflation must be positive");
  require(surface_inflation > 0.0, "CovarianceOptions::surface_inflation must be positive");
  require(small_clique >= 0.0, "CovarianceOptions::small_clique must not be negative");
  require(voxel_m > 0.0, "CovarianceOptions::voxel_m must be positive");
  require(sensor_noise_m >= 0.0, "CovarianceOptions::sensor_noise_m must not be negative");
}

Matrix6d registration_covariance(const Result& result, const CovarianceOptions& o) {
  o.validate();
  if (!result.success())
    throw std::invalid_argument("a covariance needs a successful registration; this one is \"" +
                                std::string(to_string(result.status)) + "\"");
  const double floor = std::hypot(o.sensor_noise_m, 0.1 * o.voxel_m);
  const auto members = static_cast<double>(result.clique_points.size() + result.clique_planes.size());
  const double growth = 1.0 + o.small_clique / members;
  // A distance has three coordinates, the information counts each.
  const Matrix6d clique =
      scaled(result.information, result.point_rms_m / std::sqrt(3.0), floor, growth * o.clique_inflation);
  const Matrix6d surfaces =
      scaled(result.surface_information, result.surface_rms_m, floor, growth * o.surface_inflation);
  const Matrix6d covariance = (clique + surfaces).ldlt().solve(Matrix6d::Identity());
  return 0.5 * (covariance + covariance.transpose());
}

}  // namespace parte
