#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace parte {

using Index = std::uint32_t;
using Matrix6d = Eigen::Matrix<double, 6, 6>;
using Vector6d = Eigen::Matrix<double, 6, 1>;

/// A read-only view of points in the caller's memory: float or double, any stride, never copied as a whole.
class PointsView {
 public:
  PointsView() = default;
  /// `stride` counts scalars between consecutive points: 3 for packed xyz, 4 for KITTI's x y z intensity.
  PointsView(const float* xyz, std::size_t count, std::size_t stride = 3)
      : floats_(xyz), size_(count), stride_(stride) {}
  PointsView(const double* xyz, std::size_t count, std::size_t stride = 3)
      : doubles_(xyz), size_(count), stride_(stride) {}
  PointsView(const std::vector<Eigen::Vector3f>& points)  // NOLINT: a view of a cloud is meant to be implicit
      : PointsView(points.empty() ? nullptr : points.front().data(), points.size()) {}
  PointsView(const std::vector<Eigen::Vector3d>& points)  // NOLINT
      : PointsView(points.empty() ? nullptr : points.front().data(), points.size()) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] Eigen::Vector3d operator[](std::size_t i) const {
    if (floats_ != nullptr) return Eigen::Map<const Eigen::Vector3f>(floats_ + i * stride_).cast<double>();
    return Eigen::Map<const Eigen::Vector3d>(doubles_ + i * stride_);
  }

 private:
  const float* floats_ = nullptr;
  const double* doubles_ = nullptr;
  std::size_t size_ = 0;
  std::size_t stride_ = 3;
};

/// Points relative to a local origin, so that single precision suffices even for UTM coordinates.
struct PointCloud {
  Eigen::Vector3d origin = Eigen::Vector3d::Zero();  ///< caller's coordinates = origin + points[i]
  std::vector<Eigen::Vector3f> points;
  std::vector<float> counts;             ///< input points in each voxel; empty: one each
  std::vector<Eigen::Vector3f> normals;  ///< unit, or zero where the neighbourhood is too small; empty until estimated
  /// 1 where the neighbourhood is nearly a line, as on the far rings of a spinning LiDAR: the normal is uncertain about
  /// it. Made along with the normals.
  std::vector<std::uint8_t> on_line;
  std::vector<float> heights;    ///< [m] of the input points around a point above it: mean, along the normal
  std::vector<float> roughness;  ///< [m^2] variance of that neighbourhood across its plane
  std::size_t dropped = 0;       ///< input points left out: not finite, or absurdly far from the rest

  [[nodiscard]] std::size_t size() const { return points.size(); }
  [[nodiscard]] Eigen::Vector3d at(std::size_t i) const { return points[i].cast<double>(); }
  [[nodiscard]] Eigen::Vector3d normal(std::size_t i) const { return normals[i].cast<double>(); }
  [[nodiscard]] bool has_normal(std::size_t i) const { return normals[i].squaredNorm() > 0.5f; }
  [[nodiscard]] bool is_on_line(std::size_t i) const { return i < on_line.size() && on_line[i] != 0; }
};

/// A candidate match between item `source` of one cloud and item `target` of the other.
struct Match {
  Index source = 0;
  Index target = 0;
  friend bool operator==(const Match&, const Match&) = default;
};

}  // namespace parte
