#include <datasets/synthetic.hpp>

#include <datasets/random.hpp>

#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>

namespace parte::datasets {
namespace {

constexpr double kDegree = std::numbers::pi / 180.0;
constexpr double kSensorHeight = 1.73;  // [m] of KITTI's LiDAR

void require(bool valid, const char* what) {
  if (!valid) throw std::invalid_argument(what);
}

Eigen::Vector3d beam(double azimuth, double elevation) {
  return {std::cos(elevation) * std::cos(azimuth), std::cos(elevation) * std::sin(azimuth), std::sin(elevation)};
}

/// The normal of the ground over the footprint of a car, so that no kerb under one wheel decides it.
Eigen::Vector3d ground_normal(const Ground& ground, const Eigen::Vector2d& at) {
  constexpr double kReach = 1.5;  // [m]
  const double dx = ground.height(at.x() + kReach, at.y()) - ground.height(at.x() - kReach, at.y());
  const double dy = ground.height(at.x(), at.y() + kReach) - ground.height(at.x(), at.y() - kReach);
  return Eigen::Vector3d(-dx, -dy, 2.0 * kReach).normalized();
}

}  // namespace

Eigen::Isometry3d street_pose(const Scene& scene, double s_along, double lateral, double yaw) {
  const CenterLine& line = scene.ground.center_line;
  const double heading = line.heading(s_along);
  const Eigen::Vector2d at(s_along - lateral * std::sin(heading), line.y(s_along) + lateral * std::cos(heading));
  const Eigen::Vector3d up = ground_normal(scene.ground, at);
  Eigen::Isometry3d T = Eigen::Isometry3d::Identity();
  T.linear() = (Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), up) *
                Eigen::AngleAxisd(heading + yaw, Eigen::Vector3d::UnitZ()))
                   .toRotationMatrix();
  T.translation() << at, scene.ground.height(at.x(), at.y());
  T.translation() += kSensorHeight * up;
  return T;
}

Eigen::Isometry3d look_at(const Eigen::Vector3d& eye, const Eigen::Vector3d& target) {
  const Eigen::Vector3d ahead = (target - eye).normalized();
  const Eigen::Vector3d right = ahead.cross(Eigen::Vector3d::UnitZ()).normalized();
  Eigen::Isometry3d T = Eigen::Isometry3d::Identity();
  T.linear() << right, ahead.cross(right), ahead;
  T.translation() = eye;
  return T;
}

void LidarOptions::validate() const {
  require(rings >= 2, "LidarOptions::rings must be at least 2");
  require(azimuth_steps >= 1, "LidarOptions::azimuth_steps must be at least 1");
  require(min_elevation_deg < max_elevation_deg, "LidarOptions::min_elevation_deg must be below max_elevation_deg");
  require(range_noise_m >= 0.0, "LidarOptions::range_noise_m must not be negative");
  require(max_range_m > 0.0, "LidarOptions::max_range_m must be positive");
  require(dropout >= 0.0 && dropout <= 1.0, "LidarOptions::dropout must lie in [0, 1]");
}

void DepthOptions::validate() const {
  require(width >= 1 && height >= 1, "DepthOptions::width and height must be at least 1");
  require(horizontal_fov_deg > 0.0 && horizontal_fov_deg < 180.0,
          "DepthOptions::horizontal_fov_deg must lie between 0 and 180");
  require(depth_noise >= 0.0, "DepthOptions::depth_noise must not be negative");
  require(max_depth_m > 0.0, "DepthOptions::max_depth_m must be positive");
  require(dropout >= 0.0 && dropout <= 1.0, "DepthOptions::dropout must lie in [0, 1]");
}

std::vector<Eigen::Vector3f> scan_lidar(const Scene& scene, const Eigen::Isometry3d& T_world_sensor,
                                        const LidarOptions& o) {
  o.validate();
  const RayCaster caster(scene);
  const double elevation_step = (o.max_elevation_deg - o.min_elevation_deg) / (o.rings - 1);
  std::vector<Eigen::Vector3f> points;
  std::uint64_t ray = 0;
  for (int ring = 0; ring < o.rings; ++ring) {
    for (int step = 0; step < o.azimuth_steps; ++step) {
      Random random(o.seed, ray++);
      if (random.chance(o.dropout)) continue;
      const Eigen::Vector3d direction = beam(2.0 * std::numbers::pi * step / o.azimuth_steps,
                                             (o.min_elevation_deg + elevation_step * ring) * kDegree);
      const double range =
          caster.cast(T_world_sensor.translation(), T_world_sensor.linear() * direction, o.max_range_m);
      if (!std::isfinite(range)) continue;
      points.push_back(((range + o.range_noise_m * random.normal()) * direction).cast<float>());
    }
  }
  return points;
}

std::vector<Eigen::Vector3f> scan_depth(const Scene& scene, const Eigen::Isometry3d& T_world_camera,
                                        const DepthOptions& o) {
  o.validate();
  const RayCaster caster(scene);
  const double focal = 0.5 * o.width / std::tan(0.5 * o.horizontal_fov_deg * kDegree);
  std::vector<Eigen::Vector3f> points;
  std::uint64_t ray = 0;
  for (int row = 0; row < o.height; ++row) {
    for (int column = 0; column < o.width; ++column) {
      Random random(o.seed, ray++);
      if (random.chance(o.dropout)) continue;
      const Eigen::Vector3d pixel((column + 0.5 - 0.5 * o.width) / focal, (row + 0.5 - 0.5 * o.height) / focal, 1.0);
      const double stretch = pixel.norm();  // distance along the ray per depth
      const double range =
          caster.cast(T_world_camera.translation(), T_world_camera.linear() * pixel / stretch, o.max_depth_m * stretch);
      if (!std::isfinite(range)) continue;
      const double depth = range / stretch;
      points.push_back(((depth + o.depth_noise * depth * depth * random.normal()) * pixel).cast<float>());
    }
  }
  return points;
}

}  // namespace parte::datasets
