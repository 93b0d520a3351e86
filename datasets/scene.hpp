#pragma once

#include <Eigen/Geometry>
#include <array>
#include <cstdint>
#include <variant>
#include <vector>

namespace parte::datasets {

/// A box of any attitude.
struct Box {
  Eigen::Isometry3d T_world_box;
  Eigen::Vector3d half;  ///< half of its edges [m]
};

/// An upright cylinder, closed at the top and the bottom.
struct Cylinder {
  Eigen::Vector2d center;
  double bottom, top, radius;
};

/// An ellipsoid along the axes of the world: foliage, cushions.
struct Blob {
  Eigen::Vector3d center, radii;
};

using Shape = std::variant<Box, Cylinder, Blob>;

/// The middle of a street that meanders along x.
struct CenterLine {
  double amplitude = 0.0, frequency = 0.0, phase = 0.0;
  [[nodiscard]] double y(double x) const;
  [[nodiscard]] double heading(double x) const;
  /// Distance of a place from the line, positive to the left; exact where the line is straight.
  [[nodiscard]] double lateral(double x, double y) const;
};

/// The ground: a slope, gentle waves on it, and a street with raised sidewalks.
struct Ground {
  struct Wave {
    Eigen::Vector2d frequency = Eigen::Vector2d::Zero();
    double phase = 0.0, amplitude = 0.0;
  };
  Eigen::Vector2d slope = Eigen::Vector2d::Zero();
  std::array<Wave, 2> waves;
  CenterLine center_line;
  double road_half_width = 0.0;  ///< [m]
  double kerb_height = 0.0;      ///< [m] 0: no street

  [[nodiscard]] double height(double x, double y) const;
  /// Distance at which a ray from above the ground meets it, or infinity if it does not within `range`, roughly.
  [[nodiscard]] double intersect(const Eigen::Vector3d& origin, const Eigen::Vector3d& direction, double range) const;
};

/// A world to take scans of.
struct Scene {
  Ground ground;
  std::vector<Shape> shapes;
};

/// Finds what a ray hits first, by a grid over the ground plan. Keeps a reference to the scene.
class RayCaster {
 public:
  explicit RayCaster(const Scene& scene);
  /// Distance along the unit vector `direction` to the first surface, or infinity if there is none within `range`.
  /// Shapes that contain the origin are not seen.
  [[nodiscard]] double cast(const Eigen::Vector3d& origin, const Eigen::Vector3d& direction, double range) const;

 private:
  struct Cell {
    double low = 0.0, high = 0.0;  ///< heights that its shapes reach
    std::vector<std::uint32_t> shapes;
  };
  [[nodiscard]] std::size_t index_of(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(count_.x()) + static_cast<std::size_t>(x);
  }
  template <class Visit>
  void for_each_cell(const Eigen::AlignedBox3d& bounds, Visit&& visit);
  [[nodiscard]] double cast_at_shapes(const Eigen::Vector3d& origin, const Eigen::Vector3d& direction,
                                      double range) const;
  [[nodiscard]] double cast_in(const Cell& cell, const Eigen::Vector3d& origin, const Eigen::Vector3d& direction) const;

  const Scene& scene_;
  Eigen::AlignedBox2d area_;
  Eigen::Array2i count_ = Eigen::Array2i::Zero();
  std::vector<Cell> cells_;
};

}  // namespace parte::datasets
