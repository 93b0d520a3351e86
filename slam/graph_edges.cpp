#include <slam/graph_edges.hpp>

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

Matrix6d g2o_information(const Matrix6d& covariance) { return exchanged(symmetric_inverse(covariance)); }
Matrix6d g2o_covariance(const Matrix6d& information) { return symmetric_inverse(exchanged(information)); }

}  // namespace parte::slam
