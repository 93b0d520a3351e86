#pragma once

#include <parte/transform.hpp>

#include <random>

/// What oracles are made of: random values and numerical derivatives.

class Draw {
 public:
  explicit Draw(unsigned seed) : engine_(seed) {}
  double uniform(double low, double high) { return std::uniform_real_distribution<>(low, high)(engine_); }
  double normal(double deviation) { return std::normal_distribution<>(0.0, deviation)(engine_); }
  Eigen::Vector3d in_box(double half) { return {uniform(-half, half), uniform(-half, half), uniform(-half, half)}; }

 private:
  std::mt19937 engine_;
};

/// T exp(xi) for small xi, without the library's code.
inline Eigen::Isometry3d perturbed(const Eigen::Isometry3d& T, const parte::Vector6d& xi) {
  const Eigen::Vector3d w = xi.head<3>();
  return T * Eigen::Translation3d(xi.tail<3>()) * Eigen::Quaterniond(1.0, w.x() / 2, w.y() / 2, w.z() / 2).normalized();
}

/// By central differences.
template <class Cost>
parte::Matrix6d hessian(const Cost& cost, double h) {
  parte::Matrix6d H;
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j) {
      const parte::Vector6d a = h * parte::Vector6d::Unit(i), b = h * parte::Vector6d::Unit(j);
      H(i, j) = (cost(a + b) - cost(a - b) - cost(b - a) + cost(-a - b)) / (4.0 * h * h);
    }
  return H;
}
