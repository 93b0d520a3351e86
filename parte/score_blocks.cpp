#include <parte/score_blocks.hpp>

#include <parte/decompositions.hpp>

#include <algorithm>
#include <cmath>

namespace parte {
namespace {

constexpr double kLeastLeft = 0.1;     // of the scores after fitting; a single block says nothing
constexpr double kLeastFreedom = 3.0;  // of Student's distribution; with two there is no variance

}  // namespace

void ScoreBlocks::add(const Eigen::Vector3d& place, const Vector6d& score, const Matrix6d& H) {
  const Eigen::Array3i cell = (place / edge_m_).array().floor().cast<int>();
  Block& block = blocks_[{cell.x(), cell.y(), cell.z()}];
  block.score += score;
  block.H += H;
}

double ScoreBlocks::correlation(const Matrix6d& H, const Matrix6d& scores) const {
  const Matrix6d inverse = pseudo_inverse(H);
  double found = 0.0, spent = 0.0;
  for (const auto& [cell, block] : blocks_) {
    const Matrix6d share = inverse * block.H;
    found += block.score.dot(inverse * block.score);
    spent += (share * share).trace();
  }
  // Fitting has made each block's score smaller: of independent residuals 1 - spent / 6 is left.
  const double left = std::max(1.0 - spent / 6.0, kLeastLeft);
  return std::max(1.0, found / (left * (inverse * scores).trace()));
}

double ScoreBlocks::student_growth(const Vector6d& direction) const {
  double sum = 0.0, squares = 0.0;
  for (const auto& [cell, block] : blocks_) {
    const double part = direction.dot(block.H * direction);
    sum += part, squares += part * part;
  }
  const double freedom = squares > 0.0 ? std::max(sum * sum / squares, kLeastFreedom) : kLeastFreedom;
  return std::sqrt(freedom / (freedom - 2.0));
}

}  // namespace parte
