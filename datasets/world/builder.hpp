#pragma once

#include <datasets/random.hpp>
#include <datasets/world/mesh.hpp>

namespace parte::datasets {

using Frame = Eigen::Isometry3d;

/// Builds things from simple shapes, each within a frame of its own: x along its front, y into it, z up.
/// Two random draws never go into one expression whose order of evaluation is open, or worlds would depend on the
/// compiler; values of one braced list are drawn in order.
class MeshBuilder {
 public:
  explicit MeshBuilder(std::uint64_t seed) : random(seed) {}
  Mesh mesh;

 protected:
  Random random;

  /// The box between two corners, along the axes of the frame.
  void box(const Frame& T, const Eigen::Vector3d& low, const Eigen::Vector3d& high, Surface surface);
  /// Upright in its frame, closed at the top.
  void cylinder(const Frame& T, const Eigen::Vector3d& foot, double radius, double height, Surface surface);
  /// An ellipsoid whose radii differ by up to a third.
  void blob(const Frame& T, const Eigen::Vector3d& center, double radius, Surface surface);
  /// `clumps` of leaves in the box between two corners: a crown, a bush, a hedge.
  void foliage(const Frame& T, const Eigen::Vector3d& low, const Eigen::Vector3d& high, int clumps, double radius);
  /// A shape in the x-z plane of the frame, given as a closed polygon that is star-shaped about its mean, drawn out to
  /// both sides by `half` [m].
  void extrude(const Frame& T, const std::vector<Eigen::Vector2d>& outline, double half, Surface surface);
};

[[nodiscard]] inline Frame turned(const Frame& T, double yaw) {
  return T * Eigen::AngleAxisd(yaw, Eigen::Vector3d::UnitZ());
}

}  // namespace parte::datasets
