#include <slam/odometry_chain.hpp>

#include <parte/decompositions.hpp>

#include <gtsam/inference/Symbol.h>
#include <gtsam/slam/BetweenFactor.h>

#include <algorithm>
#include <cmath>
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

/// Throws for a key that is not among them.
std::size_t position_in(const std::vector<gtsam::Key>& keys, gtsam::Key key) {
  const auto found = std::lower_bound(keys.begin(), keys.end(), key);
  if (found == keys.end() || *found != key)
    throw std::invalid_argument("an edge names the key " + gtsam::DefaultKeyFormatter(key) +
                                ", which the initial values do not have");
  return static_cast<std::size_t>(std::distance(keys.begin(), found));
}

/// The steps that factors give, by the position of their first pose; of several for one step the first counts.
std::vector<std::optional<Step>> steps_of(const gtsam::NonlinearFactorGraph& graph,
                                          const std::vector<gtsam::Key>& keys) {
  std::vector<std::optional<Step>> steps(keys.size());
  for (const auto& factor : graph) {
    const auto* between = dynamic_cast<const Between*>(factor.get());
    if (!between) continue;
    const std::size_t p = position_in(keys, between->key1()), q = position_in(keys, between->key2());
    if (std::max(p, q) - std::min(p, q) != 1 || steps[std::min(p, q)]) continue;
    const gtsam::Matrix6 covariance = covariance_of(between->noiseModel());
    if (p < q)
      steps[p] = Step{between->measured(), covariance};
    else
      steps[q] = Step{between->measured().inverse(), moved(between->measured(), covariance)};
  }
  return steps;
}

}  // namespace

gtsam::Matrix6 moved(const gtsam::Pose3& T, const gtsam::Matrix6& covariance) {
  const gtsam::Matrix6 Ad = T.AdjointMap();
  return Ad * covariance * Ad.transpose();
}

std::vector<gtsam::Key> pose_keys(const gtsam::Values& values) {
  std::vector<gtsam::Key> keys;
  for (const gtsam::Key key : values.keys())
    if (dynamic_cast<const gtsam::GenericValue<gtsam::Pose3>*>(&values.at(key))) keys.push_back(key);
  return keys;
}

gtsam::Matrix6 unknown_step() {
  gtsam::Matrix6 covariance = gtsam::Matrix6::Identity();
  covariance.diagonal().tail<3>().setConstant(1e4);
  return covariance;
}

bool is_unknown(const gtsam::Matrix6& covariance) {
  return covariance.diagonal().head<3>().sum() >= 0.5 * unknown_step().diagonal().head<3>().sum();
}

gtsam::Matrix6 scaled(const gtsam::Matrix6& covariance, double rotation, double translation) {
  gtsam::Vector6 factors;
  factors << gtsam::Vector3::Constant(rotation), gtsam::Vector3::Constant(translation);
  return factors.asDiagonal() * covariance * factors.asDiagonal();
}

gtsam::Matrix6 covariance_of(const gtsam::SharedNoiseModel& noise) {
  const gtsam::noiseModel::Base* base = noise.get();
  if (const auto* robust = dynamic_cast<const gtsam::noiseModel::Robust*>(base)) base = robust->noise().get();
  const auto* gaussian = dynamic_cast<const gtsam::noiseModel::Gaussian*>(base);
  if (!gaussian || gaussian->dim() != 6 || gaussian->isConstrained())
    throw std::invalid_argument("an edge between poses needs a Gaussian noise model of dimension 6");
  return gaussian->covariance();
}

bool leaves_open(const ChainLoop& loop) {
  constexpr double kOpen_m = 5.0;  // standard deviation that no complete registration has, and a partial one exceeds
  return loop.covariance.diagonal().tail<3>().sum() > kOpen_m * kOpen_m;
}

OdometryChain::OdometryChain(const gtsam::NonlinearFactorGraph& trusted, const gtsam::Values& initial) {
  const std::vector<gtsam::Key> keys = pose_keys(initial);
  const auto steps = steps_of(trusted, keys);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto pose = initial.at<gtsam::Pose3>(keys[i]);
    if (i == 0)
      add(keys[i], pose, gtsam::Matrix6::Zero());
    else if (steps[i - 1])
      add(keys[i], steps[i - 1]->motion, steps[i - 1]->covariance);
    else
      add(keys[i], initial.at<gtsam::Pose3>(keys[i - 1]).between(pose), unknown_step());
  }
}

void OdometryChain::add(gtsam::Key key, const gtsam::Pose3& motion, const gtsam::Matrix6& covariance) {
  const bool first = keys_.empty();
  if (!first && key <= keys_.back()) throw std::invalid_argument("the keys of an odometry chain must ascend");
  poses_.push_back(first ? motion : poses_.back() * motion);
  path_m_.push_back(first ? 0.0 : path_m_.back() + motion.translation().norm());
  keys_.push_back(key);
  step_covariance_.push_back(first ? gtsam::Matrix6::Zero() : covariance);
  summed_covariance_.emplace_back();
  segment_covariance_.emplace_back();
  const std::size_t here = keys_.size() - 1;
  segment_start_.push_back(first || is_unknown(covariance) ? here : segment_start_.back());
  sum_up(here);
}

void OdometryChain::sum_up(std::size_t i) {
  const auto sum = [&](std::vector<gtsam::Matrix6>& sums, std::size_t start) {
    if (i == start)
      sums[i].setZero();
    else
      sums[i] = sums[i - 1] + moved(poses_[start].between(poses_[i]), step_covariance_[i]);
  };
  sum(summed_covariance_, 0);
  sum(segment_covariance_, segment_start_[i]);
}

OdometryChain OdometryChain::scaled(double rotation, double translation) const {
  OdometryChain result = *this;
  for (std::size_t i = 0; i < size(); ++i) {
    gtsam::Matrix6& covariance = result.step_covariance_[i];
    if (!is_unknown(covariance)) covariance = slam::scaled(covariance, rotation, translation);
    result.sum_up(i);
  }
  return result;
}

std::size_t OdometryChain::position(gtsam::Key key) const { return position_in(keys_, key); }

ChainLoop OdometryChain::loop(gtsam::Key from, gtsam::Key to, const gtsam::Pose3& T_from_to,
                              const gtsam::SharedNoiseModel& noise, double evidence) const {
  const std::size_t p = position(from), q = position(to);
  if (p == q) throw std::invalid_argument("a loop must join two poses, not a pose to itself");
  if (!T_from_to.matrix().allFinite()) throw std::invalid_argument("the transform of a loop must be finite");
  if (!(evidence >= 0.0) || !std::isfinite(evidence))
    throw std::invalid_argument("the evidence of a loop must be finite and not negative");
  const gtsam::Matrix6 covariance = covariance_of(noise);
  if (p < q) return {p, q, T_from_to, covariance, evidence};
  return {q, p, T_from_to.inverse(), moved(T_from_to, covariance), evidence};
}

gtsam::Matrix6 OdometryChain::covariance(std::size_t p, std::size_t q) const {
  const bool one_segment = segment_start_[p] == segment_start_[q];
  const std::vector<gtsam::Matrix6>& sums = one_segment ? segment_covariance_ : summed_covariance_;
  const std::size_t start = one_segment ? segment_start_[p] : 0;
  return moved(poses_[q].between(poses_[start]), sums[std::max(p, q)] - sums[std::min(p, q)]);
}

ChainLoop OdometryChain::transported(const ChainLoop& a, std::size_t from, std::size_t to) const {
  const gtsam::Pose3 T = motion(from, a.from) * a.T_from_to * motion(a.to, to);
  return {from, to, T,
          moved(motion(to, a.to), a.covariance) + covariance(a.to, to) + moved(T.inverse(), covariance(a.from, from)),
          a.evidence};
}

ChainLoop OdometryChain::predicted(std::size_t from, std::size_t to) const {
  return {from, to, motion(from, to), covariance(from, to), 0.0};
}

double disagreement(const ChainLoop& a, const ChainLoop& b) {
  const gtsam::Vector6 e = gtsam::Pose3::Logmap(a.T_from_to.between(b.T_from_to));
  const gtsam::Matrix6 covariance = a.covariance + b.covariance;
  return chi2(e, covariance);
}

}  // namespace parte::slam
