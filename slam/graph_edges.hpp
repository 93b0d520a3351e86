#pragma once

#include <parte/transform.hpp>

#include <gtsam/nonlinear/NonlinearFactorGraph.h>

/// Edges of pose graphs as factors, without a word of GTSAM.
namespace parte::slam {

/// `covariance` of xi in T_from_to exp(xi), rotation first.
void add_edge(gtsam::NonlinearFactorGraph& graph, gtsam::Key from, gtsam::Key to, const Eigen::Isometry3d& T_from_to,
              const Matrix6d& covariance);
/// A pose that stays where it is.
void add_anchor(gtsam::NonlinearFactorGraph& graph, gtsam::Key key, const Eigen::Isometry3d& T_world_pose);

/// The information of a g2o file, translation first, for a covariance with the rotation first.
[[nodiscard]] Matrix6d g2o_information(const Matrix6d& covariance);
/// The inverse: rotation first. Throws std::invalid_argument if the information is singular.
[[nodiscard]] Matrix6d g2o_covariance(const Matrix6d& information);

}  // namespace parte::slam
