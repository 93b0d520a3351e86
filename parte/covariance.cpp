#include <parte/covariance.hpp>

#include <parte/decompositions.hpp>
#include <parte/require.hpp>

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

/// Of residuals on voxels that are 2^level times as large.
double residual_floor(const CovarianceOptions& o, int level = 0) {
  return std::hypot(o.sensor_noise_m, 0.1 * std::ldexp(o.voxel_m, level));
}

double small_clique_growth(const Result& result, const CovarianceOptions& o) {
  const std::size_t members = result.clique_points.size() + result.clique_planes.size();
  return members == 0 ? 1.0 : 1.0 + o.small_clique / static_cast<double>(members);  // none: from align_near()
}

Matrix6d clique_information(const Result& result, const CovarianceOptions& o) {
  // A distance has three coordinates, the information counts each.
  return scaled(result.information, result.point_rms_m / std::sqrt(3.0), residual_floor(o, result.level),
                small_clique_growth(result, o) * o.clique_inflation);
}

/// Along directions that the surfaces leave open the refined transform is still the clique's, and so is its
/// uncertainty; along the others the clique does not contribute.
Matrix6d measured_information(const Result& result, const CovarianceOptions& o) {
  const Matrix6d& open = result.surface_evidence.open;
  Matrix6d known = clique_information(result, o);
  // What the surfaces leave open beside a street hardly differs from the free direction, which is widened below: a
  // metre of it counts as known here, lest the small difference be widened, too.
  for (const Vector6d& d : result.free_directions) {
    Vector6d shift = Vector6d::Zero();
    shift.tail<3>() = d.tail<3>() / std::max(d.tail<3>().squaredNorm(), 1e-12);
    known += shift * shift.transpose();
  }
  return result.surface_evidence.information + open.transpose() * known * open;
}

Matrix6d fixed_information(const Result& result, const CovarianceOptions& o) {
  return clique_information(result, o) + scaled(result.surface_information, result.surface_rms_m, residual_floor(o),
                                                small_clique_growth(result, o) * o.surface_inflation);
}

/// Whether the surfaces were asked at all.
bool is_refined(const Result& result) { return !result.surface_information.isZero(0.0); }

}  // namespace

CovarianceOptions CovarianceOptions::of(const Options& registration) {
  CovarianceOptions options = registration.sensor == Sensor::lidar ? CovarianceOptions() : rgbd();
  options.voxel_m = registration.voxel;
  return options;
}

void CovarianceOptions::validate() const {
  require(open_m > 0.0 && std::isfinite(open_m), "CovarianceOptions::open_m must be a positive length");
  require(clique_inflation > 0.0, "CovarianceOptions::clique_inflation must be positive");
  require(surface_inflation > 0.0, "CovarianceOptions::surface_inflation must be positive");
  require(small_clique >= 0.0, "CovarianceOptions::small_clique must not be negative");
  require(voxel_m > 0.0, "CovarianceOptions::voxel_m must be positive");
  require(sensor_noise_m >= 0.0, "CovarianceOptions::sensor_noise_m must not be negative");
}

Matrix6d registration_covariance(const Result& result, const CovarianceOptions& o) {
  o.validate();
  if (!result.usable())
    throw std::invalid_argument("a covariance needs a successful or partial registration; this one is \"" +
                                std::string(to_string(result.status)) + "\"");
  constexpr double kOpenRad = 1.0;  // standard deviation of rotations that nothing fixes, as open_m is of shifts
  Matrix6d information = o.scale == CovarianceScale::measured && is_refined(result) ? measured_information(result, o)
                                                                                    : fixed_information(result, o);
  information.diagonal().head<3>().array() += 1.0 / (kOpenRad * kOpenRad);
  information.diagonal().tail<3>().array() += 1.0 / (o.open_m * o.open_m);
  Matrix6d covariance = symmetric_inverse(information);
  for (const Vector6d& d : result.free_directions) covariance += o.open_m * o.open_m * d * d.transpose();
  return 0.5 * (covariance + covariance.transpose());
}

}  // namespace parte
