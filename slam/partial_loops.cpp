#include <slam/partial_loops.hpp>

#include <slam/pose3.hpp>

#include <gtsam/linear/linearExceptions.h>
#include <gtsam/slam/BetweenFactor.h>
#include <gtsam/slam/PriorFactor.h>

#include <algorithm>
#include <set>
#include <utility>

namespace parte::slam {
namespace {

using Between = gtsam::BetweenFactor<gtsam::Pose3>;

constexpr int kRounds = 2;  // the second from the trajectory that the first one's loops have corrected

/// The trajectory with its uncertainty: odometry and the loops kept, with the noise that the rebuild found.
class Belief {
 public:
  Belief(const std::vector<LoopAttempt>& attempts, const std::vector<gtsam::Key>& keys,
         const gtsam::NonlinearFactorGraph& trusted, const RebuildResult& rebuilt)
      : values_(rebuilt.values), marginals_(graph_of(attempts, keys, trusted, rebuilt), rebuilt.values) {}

  [[nodiscard]] Expectation expected(gtsam::Key from, gtsam::Key to) const {
    const gtsam::Pose3 T = values_.at<gtsam::Pose3>(from).between(values_.at<gtsam::Pose3>(to));
    return {to_isometry(T), relative_covariance(marginals_, values_, from, to)};
  }

 private:
  static gtsam::NonlinearFactorGraph graph_of(const std::vector<LoopAttempt>& attempts,
                                              const std::vector<gtsam::Key>& keys,
                                              const gtsam::NonlinearFactorGraph& trusted,
                                              const RebuildResult& rebuilt) {
    gtsam::NonlinearFactorGraph graph = scaled_odometry(trusted, rebuilt.values, rebuilt.noise_scale);
    const gtsam::Key first = pose_keys(rebuilt.values).front();  // where the whole lies does not matter
    graph.emplace_shared<gtsam::PriorFactor<gtsam::Pose3>>(first, rebuilt.values.at<gtsam::Pose3>(first),
                                                           gtsam::noiseModel::Isotropic::Sigma(6, 1e-3));
    const NoiseScale& scale = rebuilt.noise_scale;
    for (const LoopAttempt& a : attempts)
      if (a.accepted())
        graph.emplace_shared<Between>(keys[a.from], keys[a.to], to_pose3(a.T_from_to),
                                      gtsam::noiseModel::Gaussian::Covariance(scaled(
                                          gtsam::Matrix6(a.covariance), scale.loop_rotation, scale.loop_translation)));
    return graph;
  }

  const gtsam::Values& values_;
  gtsam::Marginals marginals_;
};

/// Tries what no loop holds yet and was not tried from an estimate before. `known`: pairs to leave out.
std::vector<LoopAttempt> tried_near(const std::vector<LoopAttempt>& attempts, const LoopFinder& finder,
                                    const OdometryChain& chain, const std::vector<gtsam::Key>& keys,
                                    const Belief& belief, const gtsam::Values& values, LoopFinder::Pairs known) {
  std::vector<gtsam::Pose3> estimates;
  for (const gtsam::Key key : keys) estimates.push_back(values.at<gtsam::Pose3>(key));
  std::set<std::size_t> held;
  for (const LoopAttempt& a : attempts) {
    if (a.accepted()) held.insert(a.to);
    if (a.from_estimate) known.insert({a.from, a.to});
  }
  std::vector<LoopAttempt> tried;
  for (std::size_t place = 0; place < finder.places().size(); ++place) {
    if (held.contains(place)) continue;
    std::optional<LoopAttempt> candidate = finder.nearest(place, chain, estimates);
    if (!candidate || known.contains({candidate->from, place})) continue;
    const Expectation expected = belief.expected(keys[candidate->from], keys[place]);
    if (finder.try_near(*candidate, expected, chain, estimates)) tried.push_back(std::move(*candidate));
  }
  return tried;
}

}  // namespace

Matrix6d relative_covariance(const gtsam::Marginals& marginals, const gtsam::Values& values, gtsam::Key from,
                             gtsam::Key to) {
  const gtsam::Matrix6 J_from =
      -values.at<gtsam::Pose3>(to).between(values.at<gtsam::Pose3>(from)).AdjointMap();  // J_to is the identity
  const auto joint = marginals.jointMarginalCovariance({from, to});
  const gtsam::Matrix6 cross = J_from * joint(from, to);
  const gtsam::Matrix6 covariance =
      J_from * joint(from, from) * J_from.transpose() + cross + cross.transpose() + joint(to, to);
  return 0.5 * (covariance + covariance.transpose());
}

RebuildResult rebuild_with_partial_loops(std::vector<LoopAttempt>& attempts, const LoopFinder& finder,
                                         const OdometryChain& chain, const std::vector<gtsam::Key>& keys,
                                         const gtsam::NonlinearFactorGraph& trusted, const gtsam::Values& initial,
                                         const RebuildOptions& options, const LoopFinder::Pairs& joined) {
  RebuildResult result = rebuild_with(attempts, keys, trusted, initial, options);
  if (!finder.options().partial_loops || keys.empty()) return result;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<LoopAttempt> tried;
    try {
      tried = tried_near(attempts, finder, chain, keys, Belief(attempts, keys, trusted, result), result.values, joined);
    } catch (const gtsam::IndeterminantLinearSystemException&) {
      return result;  // other factors of the graph leave something open: how sure the trajectory is cannot be said
    }
    attempts.insert(attempts.end(), tried.begin(), tried.end());
    if (std::none_of(tried.begin(), tried.end(), [](const LoopAttempt& a) { return a.accepted(); })) break;
    result = rebuild_with(attempts, keys, trusted, initial, options);
  }
  return result;
}

}  // namespace parte::slam
