#include <parte/decompositions.hpp>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>

namespace parte {

Spectrum6 spectrum(const Matrix6d& symmetric) {
  const Eigen::SelfAdjointEigenSolver<Matrix6d> solver(symmetric);
  return {solver.eigenvalues(), solver.eigenvectors()};
}

Matrix6d symmetric_inverse(const Matrix6d& m) { return m.ldlt().solve(Matrix6d::Identity()); }
Vector6d solve_symmetric(const Matrix6d& m, const Vector6d& b) { return m.ldlt().solve(b); }
double chi2(const Vector6d& error, const Matrix6d& covariance) { return error.dot(solve_symmetric(covariance, error)); }

Matrix6d inverse(const Matrix6d& m) { return m.inverse(); }

Matrix6d pseudo_inverse(const Matrix6d& m) { return m.completeOrthogonalDecomposition().pseudoInverse(); }
Vector6d solve_shortest(const Matrix6d& m, const Vector6d& b) { return m.completeOrthogonalDecomposition().solve(b); }
Eigen::Matrix3d solve_shortest(const Eigen::Matrix3d& m, const Eigen::Matrix3d& b) {
  return m.completeOrthogonalDecomposition().solve(b);
}
Eigen::Vector3d solve_shortest(const Eigen::Matrix3d& m, const Eigen::Vector3d& b) {
  return m.completeOrthogonalDecomposition().solve(b);
}

}  // namespace parte
