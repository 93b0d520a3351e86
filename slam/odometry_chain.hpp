#pragma once

#include <gtsam/geometry/Pose3.h>
#include <gtsam/nonlinear/NonlinearFactorGraph.h>
#include <gtsam/nonlinear/Values.h>

#include <vector>

namespace parte::slam {

/// The 6 x 6 covariance of a Gaussian noise model, or of the Gaussian inside a robust one; rotation first. Throws
/// std::invalid_argument for none and for models of another size.
[[nodiscard]] gtsam::Matrix6 covariance_of(const gtsam::SharedNoiseModel& noise);

/// Keys of the values that are a Pose3, ascending.
[[nodiscard]] std::vector<gtsam::Key> pose_keys(const gtsam::Values& values);

/// Of a step that nobody measured: next to nothing is known about it (1 rad, 100 m).
[[nodiscard]] gtsam::Matrix6 unknown_step();
/// A covariance about as large in its rotation, or larger: odometry that is missing or lost.
[[nodiscard]] bool is_unknown(const gtsam::Matrix6& covariance);

/// With the standard deviations of the first three and of the last three axes times a factor each.
[[nodiscard]] gtsam::Matrix6 scaled(const gtsam::Matrix6& covariance, double rotation, double translation);

/// The covariance of a tangent at the far end of a motion, as its near end has it: Ad covariance Ad'.
[[nodiscard]] gtsam::Matrix6 moved(const gtsam::Pose3& T, const gtsam::Matrix6& covariance);

/// A loop between places on a chain, from < to.
struct ChainLoop {
  std::size_t from = 0, to = 0;  ///< positions in the order of the keys
  gtsam::Pose3 T_from_to;
  gtsam::Matrix6 covariance;  ///< of xi in T_from_to exp(xi)
  double evidence = 1.0;      ///< see LoopEdge
};

/// Whether a loop is partial: it says next to nothing about one shift, as along a street.
[[nodiscard]] bool leaves_open(const ChainLoop& loop);

/// Odometry as one chain of poses in the order of their keys, and how uncertain the path between any two of them is:
/// O(1) a question, since the covariances of the steps are summed up, relative to the first pose: in the world's frame
/// far coordinates (UTM) would cost the digits that the differences of the sums need. So would an unknown step with a
/// long lever arm, so each segment between two unknown steps has sums of its own as well.
class OdometryChain {
 public:
  OdometryChain() = default;
  /// Of the poses of `initial`, see pose_keys(). The steps are the BetweenFactor<Pose3> of `trusted` that join a pose
  /// to the next one. Where there is none, the step is that of `initial`, with the covariance unknown_step(): odometry
  /// in other factors (preintegrated IMU, wheel odometry in the plane, a smart factor over several poses) is not read
  /// here, and loops across such steps are hardly tested against it.
  OdometryChain(const gtsam::NonlinearFactorGraph& trusted, const gtsam::Values& initial);

  /// Goes on by a step from the last pose. The first pose has none: it is where `motion` says, and certain.
  /// Throws std::invalid_argument unless keys ascend.
  void add(gtsam::Key key, const gtsam::Pose3& motion, const gtsam::Matrix6& covariance);

  [[nodiscard]] std::size_t size() const { return keys_.size(); }
  [[nodiscard]] gtsam::Key key(std::size_t i) const { return keys_[i]; }
  [[nodiscard]] const gtsam::Pose3& pose(std::size_t i) const { return poses_[i]; }
  [[nodiscard]] double path_m(std::size_t i) const { return path_m_[i]; }  ///< travelled since the first pose
  /// Position of a key; throws std::invalid_argument for one that the chain does not have.
  [[nodiscard]] std::size_t position(gtsam::Key key) const;

  /// The loop with its ends in the order of the chain.
  [[nodiscard]] ChainLoop loop(gtsam::Key from, gtsam::Key to, const gtsam::Pose3& T_from_to,
                               const gtsam::SharedNoiseModel& noise, double evidence = 1.0) const;

  [[nodiscard]] gtsam::Pose3 motion(std::size_t p, std::size_t q) const { return poses_[p].between(poses_[q]); }
  /// Of xi in motion(p, q) exp(xi).
  [[nodiscard]] gtsam::Matrix6 covariance(std::size_t p, std::size_t q) const;

  /// The same chain with the standard deviations of its steps times a factor each; unknown steps stay so.
  [[nodiscard]] OdometryChain scaled(double rotation, double translation) const;

  /// What loop `a` says about the poses `from` and `to`: around the cycle of odometry, the loop and odometry again.
  [[nodiscard]] ChainLoop transported(const ChainLoop& a, std::size_t from, std::size_t to) const;
  /// What odometry alone says about them.
  [[nodiscard]] ChainLoop predicted(std::size_t from, std::size_t to) const;

 private:
  void sum_up(std::size_t i);

  std::vector<gtsam::Key> keys_;
  std::vector<gtsam::Pose3> poses_;
  std::vector<double> path_m_;
  std::vector<gtsam::Matrix6> step_covariance_;     ///< from the pose before
  std::vector<gtsam::Matrix6> summed_covariance_;   ///< of the steps so far, each moved to the first pose
  std::vector<std::size_t> segment_start_;          ///< the pose after the last unknown step, at first 0
  std::vector<gtsam::Matrix6> segment_covariance_;  ///< of the steps since that pose, each moved to it
};

/// Squared Mahalanobis distance of two independent statements about the same two poses; chi-square with 6 degrees of
/// freedom if both hold.
[[nodiscard]] double disagreement(const ChainLoop& a, const ChainLoop& b);

}  // namespace parte::slam
