#include <parte/surface_evidence.hpp>

#include <parte/decompositions.hpp>
#include <parte/score_blocks.hpp>
#include <parte/surface_residuals.hpp>

#include <algorithm>
#include <cmath>

namespace parte {
namespace {

// docs/ALGORITHM.md, "Covariance", derives these.
constexpr std::size_t kSamples = 800, kGroundSamples = 300;
constexpr double kBlock = 10.0;          // [radii] edge of the blocks that are taken as independent
constexpr double kShift = 0.5;           // [radii] by which the cloud is moved to measure the curvature
constexpr double kLeastCurvature = 0.1;  // of the Hessian; less cannot be told from none
constexpr std::size_t kStride = 3;       // every so many-th point is matched anew
constexpr double kLeastResidual = 0.01;  // [radii] standard deviation; a cloud fits itself without any
constexpr std::size_t kMinMatches = 30;

using Residuals = std::vector<SurfaceResidual>;

/// Sums over all residuals, in the units of `to_tangent`.
struct Sums {
  Matrix6d H = Matrix6d::Zero();       ///< weighted least squares
  Matrix6d A = Matrix6d::Zero();       ///< second derivative of the loss, as long as every point keeps its plane
  Matrix6d scores = Matrix6d::Zero();  ///< covariance of the sum of all scores if no two of them are correlated

  Sums(const Residuals& residuals, const Cauchy& kernel, const Matrix6d& to_tangent, double least_variance) {
    Matrix6d unit = Matrix6d::Zero();
    double weight = 0.0, squares = 0.0;
    for (const SurfaceResidual& r : residuals) {
      const double w = kernel.weight(r.distance);
      const Vector6d J = to_tangent.transpose() * r.J;
      const Matrix6d JJ = J * J.transpose();
      H += w * JJ;
      A += kernel.curvature(r.distance) * JJ;
      scores += w * w * r.distance * r.distance * JJ;
      unit += w * w * JJ;
      weight += w;
      squares += w * r.distance * r.distance;
    }
    scores += std::max(0.0, least_variance - squares / weight) * unit;
  }
};

ScoreBlocks blocks_of(const Residuals& residuals, const Cauchy& kernel, const Matrix6d& to_tangent, double edge) {
  ScoreBlocks blocks(edge);
  for (const SurfaceResidual& r : residuals) {
    const double w = kernel.weight(r.distance);
    const Vector6d J = to_tangent.transpose() * r.J;
    blocks.add(r.surfel.point, w * r.distance * J, w * J * J.transpose());
  }
  return blocks;
}

/// How much the loss rises if the source is moved both ways along a tangent direction, matched anew, as a part of how
/// much it would rise on the planes matched before. A point that leaves its surface has no rise: edges of what was
/// seen are no evidence.
double rise_of(const Residuals& residuals, const Cauchy& kernel, const Surfaces& target, const Eigen::Isometry3d& T,
               const Vector6d& shift, double radius) {
  const Doubt typical = typical_doubt(residuals, radius);
  double rise = 0.0, expected = 0.0;
  for (const double sign : {-1.0, 1.0}) {
    const Eigen::Isometry3d moved = T * motion(sign * shift);
    for (std::size_t k = 0; k < residuals.size(); k += kStride) {
      const SurfaceResidual& r = residuals[k];
      const double before = kernel.loss(r.distance);
      expected += kernel.loss(r.distance + sign * r.J.dot(shift)) - before;
      if (auto anew = surface_residual(target, moved, r.surfel, radius)) {
        anew->weigh(typical);
        rise += kernel.loss(anew->distance) - before;
      }
    }
  }
  return expected > 0.0 ? std::clamp(rise / expected, 0.0, 1.0) : 0.0;
}

Matrix6d lengths_of(const Residuals& residuals) {
  Eigen::Vector3d center = Eigen::Vector3d::Zero();
  for (const SurfaceResidual& r : residuals) center += r.surfel.point / static_cast<double>(residuals.size());
  double squares = 0.0;
  for (const SurfaceResidual& r : residuals) squares += (r.surfel.point - center).squaredNorm();
  return tangent_of_lengths(center, std::max(std::sqrt(squares / static_cast<double>(residuals.size())), 1e-6));
}

/// Inverse of S^-1 scores S^-1, for the strengths S of the directions; zero along those that have none.
Matrix6d information_of(const Matrix6d& scores, const Vector6d& strength) {
  // An open direction gets a score of its own, so that the others' remain what they are by themselves.
  Matrix6d closed = scores;
  for (int k = 0; k < 6; ++k)
    if (strength[k] == 0.0) closed.row(k).setZero(), closed.col(k).setZero(), closed(k, k) = scores.trace();
  return strength.asDiagonal() * symmetric_inverse(closed) * strength.asDiagonal();
}

}  // namespace

SurfaceEvidence measure_evidence(const Surfaces& source, const Surfaces& target,
                                 const Eigen::Isometry3d& T_target_source, double radius) {
  SurfaceEvidence evidence;
  evidence.open.setIdentity();
  const Residuals residuals = surface_residuals(source, target, T_target_source, radius, kSamples, kGroundSamples);
  if (residuals.size() < kMinMatches) return evidence;
  const Cauchy kernel = kernel_of(residuals, radius);
  const Matrix6d to_tangent = lengths_of(residuals), from_tangent = inverse(to_tangent);
  const Sums sums(residuals, kernel, to_tangent, std::pow(kLeastResidual * radius, 2));
  const ScoreBlocks blocks = blocks_of(residuals, kernel, to_tangent, kBlock * radius);
  evidence.correlation = blocks.correlation(sums.H, sums.scores);
  const Spectrum6 found = spectrum(sums.H);
  const Matrix6d& V = found.eigenvectors;
  Vector6d strength = Vector6d::Zero(), open = Vector6d::Ones(), growth;
  for (int k = 0; k < 6; ++k) {
    growth[k] = blocks.student_growth(V.col(k));
    const Vector6d shift = kShift * radius * to_tangent * V.col(k);
    const double all = found.eigenvalues[k], fixed = V.col(k).dot(sums.A * V.col(k));
    if (!(all > 0.0 && fixed > 0.0)) continue;
    const double rise = rise_of(residuals, kernel, target, T_target_source, shift, radius);
    evidence.curvature[k] = rise * fixed / all;
    if (evidence.curvature[k] > kLeastCurvature) strength[k] = rise * fixed, open[k] = 0.0;
  }
  const Matrix6d directions = from_tangent.transpose() * V;
  const Matrix6d scores =
      evidence.correlation * (growth.asDiagonal() * V.transpose() * sums.scores * V * growth.asDiagonal());
  evidence.information = directions * information_of(scores, strength) * directions.transpose();
  evidence.open = to_tangent * V * open.asDiagonal() * directions.transpose();
  return evidence;
}

}  // namespace parte
