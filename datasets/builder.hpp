#pragma once

#include <datasets/random.hpp>
#include <datasets/scene.hpp>

#include <cmath>

namespace parte::datasets {

/// Puts things into a scene, each within a frame of its own: x along its front, y into it, z up.
/// Two random draws never go into one expression whose order of evaluation is open, or scenes would depend on the
/// compiler; values of one braced list are drawn in order.
struct SceneBuilder {
  Scene scene;
  Random random;
  explicit SceneBuilder(std::uint64_t seed) : random(seed) {}

  /// The box between two corners, along the axes of the frame.
  void box(const Eigen::Isometry3d& T_world_frame, const Eigen::Vector3d& low, const Eigen::Vector3d& high) {
    scene.shapes.push_back(Box{T_world_frame * Eigen::Translation3d(0.5 * (low + high)), 0.5 * (high - low)});
  }
  /// The frame must be upright.
  void cylinder(const Eigen::Isometry3d& T_world_frame, const Eigen::Vector3d& foot, double radius, double height) {
    const Eigen::Vector3d at = T_world_frame * foot;
    scene.shapes.push_back(Cylinder{at.head<2>(), at.z(), at.z() + height, radius});
  }
  /// Radii differ by up to a third.
  void blob(const Eigen::Isometry3d& T_world_frame, const Eigen::Vector3d& center, double radius) {
    const auto vary = [&] { return radius * random.uniform(0.75, 1.25); };
    const double rx = vary(), ry = vary(), rz = vary();
    scene.shapes.push_back(Blob{T_world_frame * center, Eigen::Vector3d(rx, ry, rz)});
  }
  /// `count` blobs that fill the box between two corners: a crown, a bush, a hedge.
  void foliage(const Eigen::Isometry3d& T_world_frame, const Eigen::Vector3d& low, const Eigen::Vector3d& high,
               int count, double radius) {
    for (int i = 0; i < count; ++i) {
      const double x = random.uniform(low.x(), high.x()), y = random.uniform(low.y(), high.y());
      const double z = random.uniform(low.z(), high.z());
      blob(T_world_frame, {x, y, z}, radius * random.uniform(0.6, 1.4));
    }
  }
  /// A frame on the ground, turned by `yaw` [rad].
  [[nodiscard]] Eigen::Isometry3d frame(const Eigen::Vector2d& at, double yaw) const {
    Eigen::Isometry3d T = Eigen::Isometry3d::Identity();
    T.linear() = Eigen::AngleAxisd(yaw, Eigen::Vector3d::UnitZ()).toRotationMatrix();
    T.translation() << at, scene.ground.height(at.x(), at.y());
    return T;
  }
  /// A frame on the ground at (x, y) of another one, turned by `yaw` [rad] from it.
  [[nodiscard]] Eigen::Isometry3d frame(const Eigen::Isometry3d& T_world_other, double x, double y, double yaw) const {
    const Eigen::Vector2d at = (T_world_other * Eigen::Vector3d(x, y, 0.0)).head<2>();
    return frame(at, yaw + std::atan2(T_world_other(1, 0), T_world_other(0, 0)));
  }
};

}  // namespace parte::datasets
