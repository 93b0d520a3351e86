#include <slam/graph_edges.hpp>

#include <slam/pose3.hpp>

#include <gtsam/slam/BetweenFactor.h>
#include <gtsam/slam/PriorFactor.h>

#include <Eigen/Dense>
#include <stdexcept>

namespace parte::slam {
namespace {

/// Exchanges rotation and translation.
Matrix6d exchanged(const Matrix6d& m) {
  Matrix6d result;
  result << m.bottomRightCorner<3, 3>(), m.bottomLeftCorner<3, 3>(), m.topRightCorner<3, 3>(), m.topLeftCorner<3, 3>();
  return result;
}

Matrix6d symmetric_inverse(const Matrix6d& m) {
  const Eigen::LDLT<Matrix6d> ldlt(m);
  if (!ldlt.isPositive() || !(ldlt.vectorD().minCoeff() > 0.0))
    throw std::invalid_argument("the information or covariance of an edge must be positive definite");
  const Matrix6d inverse = ldlt.solve(Matrix6d::Identity());
  return 0.5 * (inverse + inverse.transpose());
}

}  // namespace

void add_edge(gtsam::NonlinearFactorGraph& graph, gtsam::Key from, gtsam::Key to, const Eigen::Isometry3d& T_from_to,
              const Matrix6d& covariance) {
  graph.emplace_shared<gtsam::BetweenFactor<gtsam::Pose3>>(from, to, to_pose3(T_from_to),
                                                           gtsam::noiseModel::Gaussian::Covariance(covariance));
}

void add_anchor(gtsam::NonlinearFactorGraph& graph, gtsam::Key key, const Eigen::Isometry3d& T_world_pose) {
  graph.emplace_shared<gtsam::PriorFactor<gtsam::Pose3>>(key, to_pose3(T_world_pose),
                                                         gtsam::noiseModel::Isotropic::Sigma(6, 1e-4));
}

Matrix6d g2o_information(const Matrix6d& covariance) { return exchanged(symmetric_inverse(covariance)); }
Matrix6d g2o_covariance(const Matrix6d& information) { return symmetric_inverse(exchanged(information)); }

}  // namespace parte::slam
