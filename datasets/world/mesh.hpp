#pragma once

#include <Eigen/Geometry>
#include <array>
#include <cstdint>
#include <vector>

namespace parte::datasets {

/// What a surface is, by the labels of SemanticKITTI where it has one.
enum class Surface : std::uint16_t {
  car = 10,
  person = 30,
  road = 40,
  sidewalk = 48,
  building = 50,
  fence = 51,
  leaves = 70,
  trunk = 71,
  terrain = 72,
  pole = 80,
  sign = 81,
  furniture = 99,
  window = 1000,  ///< labelled as building; most of the light goes through
};

/// Triangles that a ray can hit, from either side.
struct Mesh {
  struct Triangle {
    std::array<std::uint32_t, 3> corners;
    Surface surface;
  };
  std::vector<Eigen::Vector3f> vertices;
  std::vector<Triangle> triangles;

  void triangle(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c, Surface surface);
  /// Corners in order around it.
  void quad(const Eigen::Vector3d& a, const Eigen::Vector3d& b, const Eigen::Vector3d& c, const Eigen::Vector3d& d,
            Surface surface);
  void append(const Mesh& other, const Eigen::Isometry3d& T_this_other);
};

}  // namespace parte::datasets
