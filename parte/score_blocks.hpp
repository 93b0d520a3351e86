#pragma once

#include <parte/types.hpp>

#include <array>
#include <map>

namespace parte {

/// The scores of an M-estimator, summed by cubic blocks of the scene: residuals of one block err together, those of
/// different blocks do not. docs/ALGORITHM.md, "Covariance".
class ScoreBlocks {
 public:
  explicit ScoreBlocks(double edge_m) : edge_m_(edge_m) {}
  /// A residual at `place`: its score w r J and its part w J J' of the Hessian of weighted least squares.
  void add(const Eigen::Vector3d& place, const Vector6d& score, const Matrix6d& H);

  /// Variance of the sum of all scores over `scores`, which is its covariance if no two of them are correlated: the
  /// mean over the six directions, at least 1. `H` is the sum of all parts.
  [[nodiscard]] double correlation(const Matrix6d& H, const Matrix6d& scores) const;

  /// By how much the standard deviation along a direction grows because it is itself estimated, from few blocks:
  /// Student's distribution, with as many degrees of freedom as blocks have a part in that direction.
  [[nodiscard]] double student_growth(const Vector6d& direction) const;

 private:
  struct Block {
    Vector6d score = Vector6d::Zero();
    Matrix6d H = Matrix6d::Zero();
  };
  double edge_m_;
  std::map<std::array<int, 3>, Block> blocks_;
};

}  // namespace parte
