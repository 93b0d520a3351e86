#include <parte/surface_evidence.hpp>

#include <parte/surface_match.hpp>

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <map>

namespace parte {
namespace {

// docs/ALGORITHM.md, "Covariance", derives these.
constexpr std::size_t kSamples = 800, kGroundSamples = 300;
constexpr double kBlock = 10.0;           // [radii] edge of the blocks that are taken as independent
constexpr double kShift = 0.5;            // [radii] by which the cloud is moved to measure the curvature
constexpr double kLeastCurvature = 0.1;   // of the Hessian; less cannot be told from none
constexpr double kBlocksSpent = 3.0;      // small-sample correction for six estimated parameters
constexpr std::size_t kStride = 3;        // every so many-th point is matched anew
constexpr double kLeastResidual = 0.025;  // [radii] standard deviation; a cloud fits itself without any
constexpr std::size_t kMinMatches = 30;

/// A witness on its surface.
struct Residual {
  Vector6d J;  ///< for T exp(xi)
  double distance, weight;
  Eigen::Vector3d point, normal;  ///< source frame
};

class Objective {
 public:
  Objective(const Surfaces& source, const Surfaces& target, double radius)
      : source_(source), target_(target), radius_(radius), scale_(0.5 * radius) {}

  [[nodiscard]] std::vector<Residual> residuals(const Eigen::Isometry3d& T) const {
    std::vector<Residual> all;
    const auto add = [&](const Eigen::Vector3f& p, const Eigen::Vector3f& n, Index i) {
      const Index hit = surface_at(target_, p, n, static_cast<float>(radius_));
      if (hit == NeighborGrid::kNone || source_.cloud.is_on_line(i) || target_.cloud.is_on_line(hit)) return;
      const Eigen::Vector3d m = target_.cloud.normal(hit), m_source = T.linear().transpose() * m;
      const double distance = m.dot(p.cast<double>() - target_.cloud.at(hit));
      Residual r{Vector6d(), distance, 1.0 / (1.0 + distance * distance / (scale_ * scale_)), source_.cloud.at(i),
                 source_.cloud.normal(i)};
      r.J << r.point.cross(m_source), m_source;
      all.push_back(r);
    };
    for_each_sample(source_, source_.model.samples, T.cast<float>(), kSamples, add);
    for_each_sample(source_, source_.model.ground, T.cast<float>(), kGroundSamples, add);
    return all;
  }

  /// Cauchy's loss, whose weights the residuals have.
  [[nodiscard]] double loss(double distance) const {
    return 0.5 * scale_ * scale_ * std::log1p(distance * distance / (scale_ * scale_));
  }

  /// How much the loss rises if the source is moved both ways along a tangent direction, matched anew, as a part of how
  /// much it would rise on the planes matched before. A point that leaves its surface has no rise: edges of what was
  /// seen are no evidence.
  [[nodiscard]] double curvature(const std::vector<Residual>& residuals, const Eigen::Isometry3d& T,
                                 const Vector6d& shift) const {
    double rise = 0.0, expected = 0.0;
    for (const double sign : {-1.0, 1.0}) {
      const Eigen::Isometry3d moved = T * motion(sign * shift);
      for (std::size_t k = 0; k < residuals.size(); k += kStride) {
        const Residual& r = residuals[k];
        const double before = loss(r.distance);
        expected += loss(r.distance + sign * r.J.dot(shift)) - before;
        const Eigen::Vector3f p = (moved * r.point).cast<float>(), n = (moved.linear() * r.normal).cast<float>();
        const Index hit = surface_at(target_, p, n, static_cast<float>(radius_));
        if (hit == NeighborGrid::kNone) continue;
        rise += loss(target_.cloud.normal(hit).dot(p.cast<double>() - target_.cloud.at(hit))) - before;
      }
    }
    return expected > 0.0 ? std::clamp(rise / expected, 0.0, 1.0) : 0.0;
  }

 private:
  const Surfaces& source_;
  const Surfaces& target_;
  double radius_, scale_;
};

/// In the units of `to_tangent`.
struct Sums {
  Matrix6d H = Matrix6d::Zero();
  double variance = 0.0;  ///< of a residual [m^2]
};

Sums sums_of(const std::vector<Residual>& residuals, const Matrix6d& to_tangent) {
  Sums sums;
  double weight = 0.0;
  for (const Residual& r : residuals) {
    const Vector6d J = to_tangent.transpose() * r.J;
    sums.H.noalias() += r.weight * J * J.transpose();
    sums.variance += r.weight * r.distance * r.distance;
    weight += r.weight;
  }
  sums.variance /= weight;
  return sums;
}

/// Variance of the sum of all scores, added up by blocks of the scene, over what it would be if no two residuals were
/// correlated: the mean over the six directions.
double correlation_of(const std::vector<Residual>& residuals, const Matrix6d& to_tangent, const Sums& sums,
                      double block) {
  struct Block {
    Vector6d score = Vector6d::Zero();
    double weight = 0.0;
  };
  std::map<std::array<int, 3>, Block> blocks;
  for (const Residual& r : residuals) {
    const Eigen::Array3i cell = (r.point / block).array().floor().cast<int>();
    Block& b = blocks[{cell.x(), cell.y(), cell.z()}];
    b.score += r.weight * r.distance * (to_tangent.transpose() * r.J);
    b.weight += r.weight;
  }
  Matrix6d scores = Matrix6d::Zero();
  double weight = 0.0, squares = 0.0;
  for (const auto& [cell, b] : blocks) {
    scores.noalias() += b.score * b.score.transpose();
    weight += b.weight;
    squares += b.weight * b.weight;
  }
  const auto count = static_cast<double>(blocks.size());
  const double effective = weight * weight / squares;  // blocks of equal weight that would vary as much
  const double few = count / std::max(count - 1.0, 1.0) * effective / std::max(effective - kBlocksSpent, 1.0);
  const double ratio = sums.H.completeOrthogonalDecomposition().solve(scores).trace() / (6.0 * sums.variance);
  return std::max(1.0, few * ratio);
}

Matrix6d lengths_of(const std::vector<Residual>& residuals) {
  Eigen::Vector3d center = Eigen::Vector3d::Zero();
  for (const Residual& r : residuals) center += r.point / static_cast<double>(residuals.size());
  double squares = 0.0;
  for (const Residual& r : residuals) squares += (r.point - center).squaredNorm();
  return tangent_of_lengths(center, std::max(std::sqrt(squares / static_cast<double>(residuals.size())), 1e-6));
}

}  // namespace

SurfaceEvidence measure_evidence(const Surfaces& source, const Surfaces& target,
                                 const Eigen::Isometry3d& T_target_source, double radius) {
  SurfaceEvidence evidence;
  evidence.open.setIdentity();
  const Objective objective(source, target, radius);
  const std::vector<Residual> residuals = objective.residuals(T_target_source);
  if (residuals.size() < kMinMatches) return evidence;
  const Matrix6d to_tangent = lengths_of(residuals), from_tangent = to_tangent.inverse();
  Sums sums = sums_of(residuals, to_tangent);
  sums.variance = std::max(sums.variance, std::pow(kLeastResidual * radius, 2));
  evidence.correlation = correlation_of(residuals, to_tangent, sums, kBlock * radius);
  const Eigen::SelfAdjointEigenSolver<Matrix6d> solver(sums.H);
  Vector6d information = Vector6d::Zero(), open = Vector6d::Ones();
  for (int k = 0; k < 6; ++k) {
    const Vector6d direction = to_tangent * solver.eigenvectors().col(k);
    const double c = objective.curvature(residuals, T_target_source, kShift * radius * direction);
    evidence.curvature[k] = c;
    if (c < kLeastCurvature) continue;
    open[k] = 0.0;
    information[k] = c * c * std::max(solver.eigenvalues()[k], 0.0) / (evidence.correlation * sums.variance);
  }
  const Matrix6d directions = from_tangent.transpose() * solver.eigenvectors();
  evidence.information = directions * information.asDiagonal() * directions.transpose();
  evidence.open = to_tangent * solver.eigenvectors() * open.asDiagonal() * directions.transpose();
  return evidence;
}

}  // namespace parte
