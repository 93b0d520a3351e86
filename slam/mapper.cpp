#include <slam/mapper.hpp>

#include <slam/loop_evidence.hpp>
#include <slam/partial_loops.hpp>
#include <slam/pose3.hpp>

#include <gtsam/slam/BetweenFactor.h>
#include <gtsam/slam/PriorFactor.h>

#include <numbers>
#include <stdexcept>
#include <utility>

namespace parte::slam {
namespace {

using Between = gtsam::BetweenFactor<gtsam::Pose3>;

gtsam::ISAM2Params isam_params() {
  gtsam::ISAM2Params params;
  params.relinearizeThreshold = 0.01;
  params.relinearizeSkip = 1;
  return params;
}

/// A loop that turns out to be wrong must not bend the estimate for as long as it is believed.
gtsam::SharedNoiseModel doubtful(const gtsam::SharedNoiseModel& noise) {
  constexpr double kDoubt = 3.0;  // standard deviations at which the influence begins to fall
  return gtsam::noiseModel::Robust::Create(gtsam::noiseModel::mEstimator::Cauchy::Create(kDoubt), noise);
}

}  // namespace

void MapperOptions::validate() const {
  if (!(keyframe_m > 0.0)) throw std::invalid_argument("MapperOptions::keyframe_m must be positive");
  if (!(keyframe_deg > 0.0)) throw std::invalid_argument("MapperOptions::keyframe_deg must be positive");
  loops.validate();
  rebuild.validate();
}

Mapper::Mapper(Registration registration, MapperOptions options, LoopFinder::FeaturesOf features)
    : options_(options), finder_(std::move(registration), options.loops, std::move(features)), isam_(isam_params()) {
  options_.validate();
}

bool Mapper::add_frame(const Eigen::Isometry3d& motion, const Matrix6d& covariance) {
  chain_.add(chain_.size(), to_pose3(motion), covariance);
  if (keyframes().empty()) return true;
  const std::size_t last = keyframes().back().position, here = chain_.size() - 1;
  const double turn = chain_.motion(last, here).rotation().axisAngle().second;
  return chain_.path_m(here) - chain_.path_m(last) >= options_.keyframe_m ||
         turn >= options_.keyframe_deg * std::numbers::pi / 180.0;
}

void Mapper::start_keyframe(Place place) {
  place.position = chain_.size() - 1;
  const std::size_t key = keyframes().size();
  gtsam::NonlinearFactorGraph factors;
  if (key == 0) {
    estimates_.push_back(chain_.pose(place.position));
    factors.emplace_shared<gtsam::PriorFactor<gtsam::Pose3>>(key, estimates_.back(),
                                                             gtsam::noiseModel::Isotropic::Sigma(6, 1e-3));
  } else {
    const ChainLoop step = chain_.predicted(keyframes().back().position, place.position);
    estimates_.push_back(estimates_.back() * step.T_from_to);
    odometry_.emplace_shared<Between>(key - 1, key, step.T_from_to,
                                      gtsam::noiseModel::Gaussian::Covariance(step.covariance));
    factors.push_back(odometry_.back());
  }
  gtsam::Values value;
  value.insert(key, estimates_.back());
  isam_.update(factors, value);
  finder_.add(std::move(place));
}

void Mapper::close_loops(const std::vector<LoopAttempt>& attempts) {
  attempts_.insert(attempts_.end(), attempts.begin(), attempts.end());
  gtsam::NonlinearFactorGraph factors;
  for (const LoopAttempt& a : attempts) {
    if (!a.accepted()) continue;
    factors.emplace_shared<Between>(a.from, a.to, to_pose3(a.T_from_to),
                                    doubtful(gtsam::noiseModel::Gaussian::Covariance(a.covariance)));
    finder_.hold(a.to);
  }
  if (factors.empty()) return;
  isam_.update(factors, {});
  isam_.update();  // once more, about the corrected estimate
  const gtsam::Values values = isam_.calculateEstimate();
  for (std::size_t k = 0; k < estimates_.size(); ++k) estimates_[k] = values.at<gtsam::Pose3>(k);
}

std::vector<LoopAttempt> Mapper::add_keyframe(Place place) {
  start_keyframe(std::move(place));
  std::vector<LoopAttempt> attempts = finder_.search(keyframes().size() - 1, chain_, estimates_);
  close_loops(attempts);
  return attempts;
}

void Mapper::restore_keyframe(Place place, const std::vector<LoopAttempt>& attempts) {
  start_keyframe(std::move(place));
  close_loops(attempts);
}

ChainLoop Mapper::odometry_step(std::size_t keyframe) const {
  return chain_.predicted(keyframes().at(keyframe - 1).position, keyframes().at(keyframe).position);
}

RebuildResult Mapper::finish() {
  gtsam::Values initial;
  for (std::size_t k = 0; k < estimates_.size(); ++k) initial.insert(k, chain_.pose(keyframes()[k].position));
  ask_neighbors(attempts_, finder_, chain_, estimates_, options_.rebuild.consistency);
  RebuildResult result =
      rebuild_with_partial_loops(attempts_, finder_, chain_, pose_keys(initial), odometry_, initial, options_.rebuild);
  for (std::size_t k = 0; k < estimates_.size(); ++k) estimates_[k] = result.values.at<gtsam::Pose3>(k);
  return result;
}

std::vector<Eigen::Isometry3d> Mapper::trajectory() const {
  std::vector<Eigen::Isometry3d> poses;
  std::size_t k = 0;
  for (std::size_t i = 0; i < chain_.size(); ++i) {
    while (k + 1 < keyframes().size() && keyframes()[k + 1].position <= i) ++k;
    poses.push_back(to_isometry(estimates_[k] * chain_.motion(keyframes()[k].position, i)));
  }
  return poses;
}

}  // namespace parte::slam
