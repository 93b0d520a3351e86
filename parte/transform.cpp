#include <parte/transform.hpp>

#include <parte/decompositions.hpp>
#include <parte/require.hpp>

#include <Eigen/SVD>
#include <cmath>
#include <stdexcept>

namespace parte {
namespace {

Eigen::Matrix3d skew(const Eigen::Vector3d& v) {
  return (Eigen::Matrix3d() << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0).finished();
}

/// The correspondences relative to a centre on either side, where the iteration is well conditioned.
struct CentredProblem {
  Eigen::Vector3d source_center = Eigen::Vector3d::Zero(), target_center = Eigen::Vector3d::Zero();
  std::vector<PointPair> points;
  std::vector<PlanePair> planes;
  double size = 1.0;  // RMS distance of the source's points and plane centroids from the centre

  CentredProblem(std::span<const PointPair> raw_points, std::span<const PlanePair> raw_planes)
      : points(raw_points.begin(), raw_points.end()), planes(raw_planes.begin(), raw_planes.end()) {
    const bool by_points = !points.empty();
    const double count = static_cast<double>(by_points ? points.size() : planes.size());
    if (count == 0.0) return;
    for (const auto& p : points) source_center += p.source / count, target_center += p.target / count;
    if (!by_points)
      for (const auto& p : planes)
        source_center += p.source_centroid / count, target_center += p.target_centroid / count;
    double squared = 0.0;
    for (auto& p : points) {
      p.source -= source_center, p.target -= target_center;
      squared += p.source.squaredNorm();
    }
    for (auto& p : planes) {
      p.source_centroid -= source_center, p.target_centroid -= target_center;
      squared += p.source_centroid.squaredNorm();
    }
    size = std::max(std::sqrt(squared / static_cast<double>(points.size() + planes.size())), 1e-9);
  }
};

double source_offset(const PlanePair& p) { return p.source_normal.dot(p.source_centroid); }  // d^P
double target_offset(const PlanePair& p) { return p.target_normal.dot(p.target_centroid); }  // d^Q

/// Eq. (transformation-estimation).
double objective(const CentredProblem& problem, const Eigen::Isometry3d& T) {
  double sum = 0.0;
  for (const auto& p : problem.points) sum += (T * p.source - p.target).squaredNorm();
  for (const auto& p : problem.planes) {
    const double offset = target_offset(p) - source_offset(p) - p.target_normal.dot(T.translation());
    sum += p.weight * ((T.linear() * p.source_normal - p.target_normal).squaredNorm() + offset * offset);
  }
  return sum;
}

/// R for fixed t: orthogonal Procrustes over points and normals.
Eigen::Matrix3d best_rotation(const CentredProblem& problem, const Eigen::Vector3d& t) {
  Eigen::Matrix3d H = Eigen::Matrix3d::Zero();
  for (const auto& p : problem.points) H += (p.target - t) * p.source.transpose();
  for (const auto& p : problem.planes) H += p.weight * p.target_normal * p.source_normal.transpose();
  const Eigen::JacobiSVD<Eigen::Matrix3d> svd(H, Eigen::ComputeFullU | Eigen::ComputeFullV);
  const Eigen::Matrix3d U = svd.matrixU(), V = svd.matrixV();
  return U * Eigen::Vector3d(1.0, 1.0, (U * V.transpose()).determinant()).asDiagonal() * V.transpose();
}

/// t for fixed R: linear least squares; directions that no residual sees stay at zero.
Eigen::Vector3d best_translation(const CentredProblem& problem, const Eigen::Matrix3d& R) {
  Eigen::Matrix3d A = static_cast<double>(problem.points.size()) * Eigen::Matrix3d::Identity();
  Eigen::Vector3d b = Eigen::Vector3d::Zero();
  for (const auto& p : problem.points) b += p.target - R * p.source;
  for (const auto& p : problem.planes) {
    A += p.weight * p.target_normal * p.target_normal.transpose();
    b += p.weight * (target_offset(p) - source_offset(p)) * p.target_normal;
  }
  return solve_shortest(A, b);
}

struct Linearisation {
  Matrix6d H = Matrix6d::Zero();
  Vector6d g = Vector6d::Zero();

  template <int Rows>
  void add(const Eigen::Matrix<double, Rows, 6>& J, const Eigen::Matrix<double, Rows, 1>& r, double weight) {
    H += weight * J.transpose() * J;
    g += weight * J.transpose() * r;
  }
};

/// Residuals and Jacobians at T for T exp(xi), xi = (rotation, translation). The objective has normal_weight 1.
Linearisation linearise(const CentredProblem& problem, const Eigen::Isometry3d& T, double normal_weight = 1.0) {
  Linearisation sum;
  const Eigen::Matrix3d R = T.linear();
  for (const auto& p : problem.points) {
    Eigen::Matrix<double, 3, 6> J;
    J << -R * skew(p.source), R;
    sum.add<3>(J, T * p.source - p.target, 1.0);
  }
  for (const auto& p : problem.planes) {
    Eigen::Matrix<double, 3, 6> J = Eigen::Matrix<double, 3, 6>::Zero();
    J.leftCols<3>() = -R * skew(p.source_normal);
    sum.add<3>(J, R * p.source_normal - p.target_normal, normal_weight * p.weight);
    Eigen::Matrix<double, 1, 6> offset_J = Eigen::Matrix<double, 1, 6>::Zero();
    offset_J.rightCols<3>() = -p.target_normal.transpose() * R;
    const double offset = target_offset(p) - source_offset(p) - p.target_normal.dot(T.translation());
    sum.add<1>(offset_J, Eigen::Matrix<double, 1, 1>(offset), p.weight);
  }
  return sum;
}

void descend_blockwise(const CentredProblem& problem, const TransformOptions& options, TransformEstimate& estimate) {
  Eigen::Isometry3d& T = estimate.T_target_source;
  T = Eigen::Isometry3d::Identity();  // centred: t = 0 is the extended Arun initialisation t = q-bar
  for (int i = 0; i < options.max_iterations; ++i) {
    const Eigen::Isometry3d before = T;
    T.linear() = best_rotation(problem, T.translation());
    T.translation() = best_translation(problem, T.linear());
    estimate.objective_history.push_back(objective(problem, T));
    const double change = (T.matrix() - before.matrix()).norm();
    if (change < options.convergence) break;
  }
}

/// Steps that do not lower the objective are not taken.
void finish_by_gauss_newton(const CentredProblem& problem, const TransformOptions& options,
                            TransformEstimate& estimate) {
  for (int i = 0; i < options.max_iterations; ++i) {
    const Linearisation at = linearise(problem, estimate.T_target_source);
    const Vector6d step = solve_shortest(at.H, -at.g);
    const Eigen::Isometry3d next = estimate.T_target_source * motion(step);
    const double value = objective(problem, next);
    if (!(value < estimate.objective_history.back())) break;
    estimate.T_target_source = next;
    estimate.objective_history.push_back(value);
    if (step.norm() < options.convergence) break;
  }
}

}  // namespace

Eigen::Isometry3d motion(const Vector6d& xi) {
  Eigen::Isometry3d step = Eigen::Isometry3d::Identity();
  if (!xi.allFinite()) return step;
  if (const double angle = xi.head<3>().norm(); angle > 0.0)
    step.linear() = Eigen::AngleAxisd(angle, xi.head<3>() / angle).toRotationMatrix();
  step.translation() = xi.tail<3>();
  return step;
}

Matrix6d translation_adjoint(const Eigen::Vector3d& t) {
  Matrix6d adjoint = Matrix6d::Identity();
  adjoint.bottomLeftCorner<3, 3>() = skew(t);
  return adjoint;
}

Matrix6d transported(const Matrix6d& covariance, const Eigen::Isometry3d& T_a_b) {
  Matrix6d rotation = Matrix6d::Zero();
  rotation.topLeftCorner<3, 3>() = rotation.bottomRightCorner<3, 3>() = T_a_b.linear();
  const Matrix6d adjoint = translation_adjoint(T_a_b.translation()) * rotation;
  return adjoint * covariance * adjoint.transpose();
}

Matrix6d tangent_of_lengths(const Eigen::Vector3d& center, double size) {
  Vector6d scale = Vector6d::Ones();
  scale.head<3>() /= size;
  return translation_adjoint(center) * scale.asDiagonal();
}

std::vector<Vector6d> weak_directions(const Matrix6d& strength, const Eigen::Vector3d& center, double size) {
  const Matrix6d to_tangent = tangent_of_lengths(center, size);
  const Spectrum6 found = spectrum(to_tangent.transpose() * strength * to_tangent);
  std::vector<Vector6d> weak;
  for (int k = 0; k < 6; ++k)
    if (found.eigenvalues[k] < 1.0) weak.push_back((to_tangent * found.eigenvectors.col(k)).normalized());
  return weak;
}

void TransformOptions::validate() const {
  if (max_iterations < 1) throw std::invalid_argument("TransformOptions::max_iterations must be at least 1");
  require_positive(convergence, "TransformOptions::convergence");
  require_positive(noise, "TransformOptions::noise");
  require_positive(angular_noise, "TransformOptions::angular_noise");
  require_positive(max_uncertainty, "TransformOptions::max_uncertainty");
}

TransformEstimate estimate_transform(std::span<const PointPair> points, std::span<const PlanePair> planes,
                                     const TransformOptions& options) {
  options.validate();
  TransformEstimate estimate;
  if (points.empty() && planes.empty()) {
    estimate.free_directions = weak_directions(estimate.strength, estimate.center, estimate.size);
    return estimate;
  }
  const CentredProblem problem(points, planes);
  descend_blockwise(problem, options, estimate);
  finish_by_gauss_newton(problem, options, estimate);
  estimate.objective = estimate.objective_history.back();

  const Matrix6d centred = linearise(problem, estimate.T_target_source).H;
  // T exp(xi) = C_q (T' exp(Ad xi)) C_p^-1 with Ad that of the translation to the source's centre.
  const Matrix6d adjoint = translation_adjoint(-problem.source_center);
  estimate.information = adjoint.transpose() * centred * adjoint;
  estimate.center = problem.source_center;
  estimate.size = std::max(problem.size, 20.0 * options.noise);  // a single point is no scene
  // Fixed: the predicted deviation stays below a part of the scene's size. Here normals count by their own noise.
  const double normal_weight = std::pow(options.noise / options.angular_noise, 2);
  const Matrix6d whitened = linearise(problem, estimate.T_target_source, normal_weight).H;
  estimate.strength =
      std::pow(options.max_uncertainty * estimate.size / options.noise, 2) * (adjoint.transpose() * whitened * adjoint);
  estimate.free_directions = weak_directions(estimate.strength, estimate.center, estimate.size);
  estimate.degenerate = !estimate.free_directions.empty();

  double squared = 0.0;
  for (const auto& p : problem.points) squared += (estimate.T_target_source * p.source - p.target).squaredNorm();
  if (!points.empty()) estimate.point_rms_m = std::sqrt(squared / static_cast<double>(points.size()));
  Eigen::Isometry3d& T = estimate.T_target_source;
  T.translation() += problem.target_center - T.linear() * problem.source_center;
  return estimate;
}

}  // namespace parte
