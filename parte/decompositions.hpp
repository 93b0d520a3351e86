#pragma once

#include <parte/types.hpp>

namespace parte {

// Eigen's decompositions of small matrices, compiled once: each costs a compiler seconds wherever it is used.

/// Of a symmetric matrix, eigenvalues ascending.
struct Spectrum6 {
  Vector6d eigenvalues;
  Matrix6d eigenvectors;
};
Spectrum6 spectrum(const Matrix6d& symmetric);

/// Of a symmetric matrix, by its Cholesky factors L D L'.
Matrix6d symmetric_inverse(const Matrix6d& m);
Vector6d solve_symmetric(const Matrix6d& m, const Vector6d& b);

/// e' C^-1 e: chi-square of an error under its covariance.
double chi2(const Vector6d& error, const Matrix6d& covariance);

Matrix6d inverse(const Matrix6d& m);

/// Where m is singular: of all solutions of least squares the shortest.
Matrix6d pseudo_inverse(const Matrix6d& m);
Vector6d solve_shortest(const Matrix6d& m, const Vector6d& b);
Eigen::Matrix3d solve_shortest(const Eigen::Matrix3d& m, const Eigen::Matrix3d& b);
Eigen::Vector3d solve_shortest(const Eigen::Matrix3d& m, const Eigen::Vector3d& b);

}  // namespace parte
