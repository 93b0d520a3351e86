#pragma once

#include <Eigen/Geometry>
#include <optional>

namespace parte::datasets {

/// Rounded digits make rotations that are only nearly orthonormal; Isometry3d relies on it, so this is the nearest
/// rigid transform. Nothing if the matrix is not one up to rounding, or not finite.
[[nodiscard]] inline std::optional<Eigen::Isometry3d> nearest_rigid(const Eigen::Matrix4d& matrix) {
  constexpr double kRounding = 1e-3;
  const Eigen::Matrix3d rotation = matrix.topLeftCorner<3, 3>();
  const bool rigid =
      matrix.allFinite() && (rotation.transpose() * rotation - Eigen::Matrix3d::Identity()).norm() < kRounding &&
      rotation.determinant() > 0.0 && (matrix.row(3) - Eigen::RowVector4d(0, 0, 0, 1)).norm() < kRounding;
  if (!rigid) return std::nullopt;
  Eigen::Isometry3d transform = Eigen::Isometry3d::Identity();
  transform.linear() = Eigen::Quaterniond(rotation).normalized().toRotationMatrix();
  transform.translation() = matrix.topRightCorner<3, 1>();
  return transform;
}

}  // namespace parte::datasets
