#include <slam/icp_information.hpp>

#include <parte/decompositions.hpp>
#include <parte/score_blocks.hpp>

#include <cmath>

namespace parte::slam {
namespace {

// docs/ALGORITHM.md, "Odometry", says why.
constexpr double kBlock = 6.0;                  // [surface radii] edge of the blocks that are taken as independent
constexpr double kPointCurvature = 0.5;         // of that of fixed points: nearest points follow the scan
constexpr double kLeastVariance = 1e-3 * 1e-3;  // [m^2] of a distance: no sensor is better

/// Second derivative of Geman and McClure's loss over its weight.
double relative_curvature(double distance, double kernel) {
  const double k2 = kernel * kernel, d2 = distance * distance;
  return (k2 - 3.0 * d2) / (k2 + d2);
}

/// Sums over all distances: J of each is a row of the match's Jacobian.
struct Sums {
  explicit Sums(double edge_m) : blocks(edge_m) {}

  void add(const SurfaceMatch& match, const Eigen::Isometry3d& T, double kernel) {
    NormalEquations one;
    accumulate(match, T, kernel, one);
    const bool on_plane = !match.normal.isZero();
    const double distance = on_plane ? match.normal.dot(T * match.source - match.target) : 0.0;
    H += one.H;
    A += (on_plane ? relative_curvature(distance, kernel) : kPointCurvature) * one.H;
    Matrix6d score = on_plane ? Matrix6d(one.g * one.g.transpose()) : point_scores(match, T, kernel);
    score += kLeastVariance * one.weight / one.residuals * one.H;
    scores += score;
    renewed += 2.0 / match.age * score;
    blocks.add(match.source, one.g, one.H);
  }

  /// Each coordinate of a point's distance by itself.
  static Matrix6d point_scores(const SurfaceMatch& match, const Eigen::Isometry3d& T, double kernel) {
    const Eigen::Vector3d error = T.linear().transpose() * (T * match.source - match.target);
    const double k2 = kernel * kernel, fall = k2 / (k2 + error.squaredNorm());
    Matrix6d sum = Matrix6d::Zero();
    for (int axis = 0; axis < 3; ++axis) {
      Vector6d J;
      J << match.source.cross(Eigen::Vector3d::Unit(axis)), Eigen::Vector3d::Unit(axis);
      const Vector6d score = match.weight * fall * fall * error[axis] * J;
      sum += score * score.transpose();
    }
    return sum;
  }

  Matrix6d H = Matrix6d::Zero();       ///< weighted least squares
  Matrix6d A = Matrix6d::Zero();       ///< second derivative of the loss
  Matrix6d scores = Matrix6d::Zero();  ///< covariance of the sum of all scores if no two of them are correlated
  /// The same of the part that is new in the map: of one that is n scans old one part in n is new with every scan, and
  /// as much of the old is left behind.
  Matrix6d renewed = Matrix6d::Zero();
  ScoreBlocks blocks;
};

}  // namespace

MeasuredNoise measured_noise(std::span<const SurfaceMatch> matches, const Eigen::Isometry3d& T_map_scan,
                             double kernel_m, double surface_radius_m) {
  Sums sums(kBlock * surface_radius_m);
  for (const SurfaceMatch& match : matches) sums.add(match, T_map_scan, kernel_m);
  const double correlation = sums.blocks.correlation(sums.H, sums.scores);
  const Matrix6d to_scores = pseudo_inverse(sums.scores) * sums.A;
  const auto symmetric = [](const Matrix6d& m) { return Matrix6d(0.5 * (m + m.transpose())); };
  return {symmetric(sums.A * to_scores / correlation),
          symmetric(to_scores.transpose() * sums.renewed * to_scores / correlation)};
}

}  // namespace parte::slam
