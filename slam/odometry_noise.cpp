#include <slam/odometry_noise.hpp>

#include <parte/decompositions.hpp>
#include <slam/odometry_chain.hpp>

#include <algorithm>
#include <numbers>
#include <stdexcept>

namespace parte::slam {
namespace {

constexpr double kStanding = 0.05;  // [m] a sensor that stands still is as uncertain as after this way

}  // namespace

void OdometryNoise::validate() const {
  if (!(translation_m > 0.0)) throw std::invalid_argument("OdometryNoise::translation_m must be positive");
  if (!(rotation_deg > 0.0)) throw std::invalid_argument("OdometryNoise::rotation_deg must be positive");
}

Matrix6d step_covariance(const Eigen::Isometry3d& motion, const OdometryNoise& noise) {
  noise.validate();
  const double way = std::max(motion.translation().norm(), kStanding);
  const double radians = noise.rotation_deg * std::numbers::pi / 180.0;
  Matrix6d covariance = Matrix6d::Zero();
  covariance.diagonal().head<3>().setConstant(way * radians * radians);
  covariance.diagonal().tail<3>().setConstant(way * noise.translation_m * noise.translation_m);
  return covariance;
}

Matrix6d step_covariance(const Eigen::Isometry3d& motion, const Matrix6d& information, const OdometryNoise& noise) {
  // A direction that is known to worse than 10 m and 10 rad together is not known at all.
  const double least = spectrum(information).eigenvalues[0];
  if (!(least > 0.01)) return unknown_step();
  return inverse(information) + step_covariance(motion, noise);
}

void OdometryMotion::add(const Odometry::Step& step) {
  T_first_last_ = T_first_last_ * step.T_last_this;
  drift_ = transported(drift_, step.T_last_this.inverse()) + step.drift;
  jitter_ = step.jitter;
}

Matrix6d OdometryMotion::covariance() const {
  return transported(first_jitter_, T_first_last_.inverse()) + jitter_ + drift_;
}

}  // namespace parte::slam
