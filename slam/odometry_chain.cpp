#include <slam/odometry_chain.hpp>

#include <gtsam/inference/Symbol.h>
#include <gtsam/slam/BetweenFactor.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>

namespace parte::slam {
namespace {

using Between = gtsam::BetweenFactor<gtsam::Pose3>;

struct Step {
  gtsam::Pose3 motion;
  gtsam::Matrix6 covariance;
};

gtsam::Matrix6 moved(const gtsam::Pose3& T, const gtsam::Matrix6& covariance) {
  const gtsam::Matrix6 Ad = T.AdjointMap();
  return Ad * covariance * Ad.transpose();
}

/// The steps that factors give, by the position of their first pose; of several for one step the first counts.
std::vector<std::optional<Step>> steps_of(const gtsam::NonlinearFactorGraph& graph, const OdometryChain& chain) {
  std::vector<std::optional<Step>> steps(chain.size());
  for (const auto& factor : graph) {
    const auto* between = dynamic_cast<const Between*>(factor.get());
    if (!between) continue;
    const std::size_t p = chain.position(between->key1()), q = chain.position(between->key2());
    if (std::max(p, q) - std::min(p, q) != 1 || steps[std::min(p, q)]) continue;
    const gtsam::Matrix6 covariance = covariance_of(between->noiseModel());
    if (p < q)
      steps[p] = Step{between->measured(), covariance};
    else
      steps[q] = Step{between->measured().inverse(), moved(between->measured(), covariance)};
  }
  return steps;
}

gtsam::Matrix6 unknown_step() {
  gtsam::Matrix6 covariance = gtsam::Matrix6::Identity();
  covariance.diagonal().tail<3>().setConstant(1e4);
  return covariance;
}

}  // namespace

gtsam::Matrix6 covariance_of(const gtsam::SharedNoiseModel& noise) {
  const gtsam::noiseModel::Base* base = noise.get();
  if (const auto* robust = dynamic_cast<const gtsam::noiseModel::Robust*>(base)) base = robust->noise().get();
  const auto* gaussian = dynamic_cast<const gtsam::noiseModel::Gaussian*>(base);
  if (!gaussian || gaussian->dim() != 6 || gaussian->isConstrained())
    throw std::invalid_argument("an edge between poses needs a Gaussian noise model of dimension 6");
  return gaussian->covariance();
}

OdometryChain::OdometryChain(const gtsam::NonlinearFactorGraph& trusted, const gtsam::Values& initial) {
  const gtsam::KeyVector keys = initial.keys();
  keys_.assign(keys.begin(), keys.end());
  std::sort(keys_.begin(), keys_.end());
  const auto steps = steps_of(trusted, *this);
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (i == 0) {
      poses_.push_back(initial.at<gtsam::Pose3>(keys_[0]));
      world_covariance_.push_back(gtsam::Matrix6::Zero());
      path_m_.push_back(0.0);
      continue;
    }
    const auto guess = [&] {
      return Step{initial.at<gtsam::Pose3>(keys_[i - 1]).between(initial.at<gtsam::Pose3>(keys_[i])), unknown_step()};
    };
    const Step step = steps[i - 1] ? *steps[i - 1] : guess();
    poses_.push_back(poses_.back() * step.motion);
    world_covariance_.push_back(world_covariance_.back() + moved(poses_.back(), step.covariance));
    path_m_.push_back(path_m_.back() + step.motion.translation().norm());
  }
}

std::size_t OdometryChain::position(gtsam::Key key) const {
  const auto found = std::lower_bound(keys_.begin(), keys_.end(), key);
  if (found == keys_.end() || *found != key)
    throw std::invalid_argument("an edge names the key " + gtsam::DefaultKeyFormatter(key) +
                                ", which the initial values do not have");
  return static_cast<std::size_t>(std::distance(keys_.begin(), found));
}

ChainLoop OdometryChain::loop(gtsam::Key from, gtsam::Key to, const gtsam::Pose3& T_from_to,
                              const gtsam::SharedNoiseModel& noise) const {
  const std::size_t p = position(from), q = position(to);
  if (p == q) throw std::invalid_argument("a loop must join two poses, not a pose to itself");
  if (!T_from_to.matrix().allFinite()) throw std::invalid_argument("the transform of a loop must be finite");
  const gtsam::Matrix6 covariance = covariance_of(noise);
  if (p < q) return {p, q, T_from_to, covariance};
  return {q, p, T_from_to.inverse(), moved(T_from_to, covariance)};
}

gtsam::Matrix6 OdometryChain::covariance(std::size_t p, std::size_t q) const {
  return moved(poses_[q].inverse(), world_covariance_[std::max(p, q)] - world_covariance_[std::min(p, q)]);
}

ChainLoop OdometryChain::transported(const ChainLoop& a, std::size_t from, std::size_t to) const {
  const gtsam::Pose3 T = motion(from, a.from) * a.T_from_to * motion(a.to, to);
  return {from, to, T,
          moved(motion(to, a.to), a.covariance) + covariance(a.to, to) + moved(T.inverse(), covariance(a.from, from))};
}

ChainLoop OdometryChain::predicted(std::size_t from, std::size_t to) const {
  return {from, to, motion(from, to), covariance(from, to)};
}

double disagreement(const ChainLoop& a, const ChainLoop& b) {
  const gtsam::Vector6 e = gtsam::Pose3::Logmap(a.T_from_to.between(b.T_from_to));
  const gtsam::Matrix6 covariance = a.covariance + b.covariance;
  return e.dot(covariance.ldlt().solve(e));
}

}  // namespace parte::slam
