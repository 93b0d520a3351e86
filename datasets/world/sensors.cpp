#include <datasets/world/sensors.hpp>

#include <datasets/random.hpp>
#include <parte/require.hpp>

#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace parte::datasets {
namespace {

constexpr double kDegree = std::numbers::pi / 180.0;

double reflectivity(Surface surface) {
  switch (surface) {
    case Surface::road:
      return 0.15;
    case Surface::sidewalk:
      return 0.25;
    case Surface::terrain:
      return 0.35;
    case Surface::car:
      return 0.4;
    case Surface::person:
      return 0.35;
    case Surface::sign:
      return 1.0;
    case Surface::window:
      return 0.03;
    case Surface::leaves:
    case Surface::trunk:
      return 0.4;
    case Surface::building:
    case Surface::fence:
    case Surface::pole:
    case Surface::furniture:
      break;
  }
  return 0.5;
}

std::uint16_t label_of(Surface surface, bool moving) {
  if (moving) return surface == Surface::person ? 254 : 252;
  return static_cast<std::uint16_t>(surface == Surface::window ? Surface::building : surface);
}

/// The part of the emitted light that comes back, such that 1 is just enough: a surface that reflects a tenth is seen
/// head-on at `dark_range` [m]. Grazed surfaces are rough and send back more than a mirror's share.
double strength(const RayTracer::Hit& hit, double dark_range) {
  return dark_range * dark_range / 0.1 * reflectivity(hit.surface) * std::sqrt(hit.incidence) / (hit.range * hit.range);
}

/// The car that carries the LiDAR shades it below: the roof as KITTI's scans show it.
bool on_own_roof(const Eigen::Vector3d& direction) {
  constexpr double kBelow = 0.43, kFront = 1.06, kRear = -1.3, kHalf = 0.62;  // [m]
  if (direction.z() >= 0.0) return false;
  const double x = direction.x() * kBelow / -direction.z(), y = direction.y() * kBelow / -direction.z();
  return x > kRear && x < kFront && std::abs(y) < kHalf;
}

/// One of the directions in which the lasers fire.
struct Azimuth {
  double cosine, sine;
  Eigen::Isometry3d T_world_sensor;
};

std::vector<Azimuth> azimuths(const SensorMotion& T_world_sensor, int steps) {
  std::vector<Azimuth> result;
  for (int step = 0; step < steps; ++step) {
    const double turn = static_cast<double>(step) / steps, angle = 2.0 * std::numbers::pi * turn;
    // Half a turn away from ahead is where the sensor's turn begins and ends.
    result.push_back({std::cos(angle), std::sin(angle), T_world_sensor(turn < 0.5 ? turn : turn - 1.0)});
  }
  return result;
}

struct Lidar {
  const RayTracer& world;
  const RayTracer* moving;
  const LidarPattern& pattern;
  const std::vector<Azimuth>& azimuths;
  const LidarOptions& o;

  void scan_ring(int ring, LabelledScan& scan) const {
    const double bias = o.laser_bias_m * Random(1234, static_cast<std::uint64_t>(ring)).normal();
    for (std::size_t step = 0; step < azimuths.size(); ++step) {
      Random random(o.seed, static_cast<std::uint64_t>(ring) * azimuths.size() + step);
      const Azimuth& at = azimuths[step];
      const double elevation = pattern.elevation_deg(ring, static_cast<int>(step)) * kDegree;
      const double level = std::cos(elevation), up = std::sin(elevation);
      const Eigen::Vector3d direction(level * at.cosine, level * at.sine, up);
      if (random.chance(o.dropout) || (o.own_roof && on_own_roof(direction))) continue;
      add_return(direction, at.T_world_sensor, bias, random, scan);
    }
  }

  /// Where the laser points that is said to point along `direction`.
  [[nodiscard]] Eigen::Vector3d misled(const Eigen::Vector3d& direction, Random& random) const {
    if (o.angle_noise_deg == 0.0) return direction;
    const Eigen::Vector3d across = direction.unitOrthogonal();
    const double a = o.angle_noise_deg * kDegree * random.normal(), b = o.angle_noise_deg * kDegree * random.normal();
    return (direction + a * across + b * direction.cross(across)).normalized();
  }

  void add_return(const Eigen::Vector3d& direction, const Eigen::Isometry3d& T, double bias, Random& random,
                  LabelledScan& scan) const {
    const Eigen::Vector3f from = T.translation().cast<float>();
    const Eigen::Vector3f along = (T.linear() * misled(direction, random)).cast<float>();
    RayTracer::Hit hit;
    bool seen = world.cast(from, along, static_cast<float>(o.max_range_m), hit);
    const float reach = seen ? hit.range : static_cast<float>(o.max_range_m);
    const bool is_moving = moving != nullptr && moving->cast(from, along, reach, hit);
    seen = seen || is_moving;
    if (!seen || hit.range < o.min_range_m) return;
    const double power = strength(hit, o.dark_range_m);
    if (o.weak_returns && power < random.uniform(0.5, 1.5)) return;
    const double range = hit.range + bias + o.range_noise_m * random.normal();
    scan.points.emplace_back((std::round(range / o.resolution_m) * o.resolution_m * direction).cast<float>());
    scan.intensities.push_back(static_cast<float>(std::min(1.0, reflectivity(hit.surface) * std::sqrt(hit.incidence))));
    scan.labels.push_back(label_of(hit.surface, is_moving));
  }
};

template <class T>
void append_all(std::vector<T>& to, const std::vector<T>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

}  // namespace

void DepthOptions::validate() const {
  require(width >= 1 && height >= 1, "DepthOptions::width and height must be at least 1");
  require(horizontal_fov_deg > 0.0 && horizontal_fov_deg < 180.0,
          "DepthOptions::horizontal_fov_deg must lie between 0 and 180");
  require(depth_noise >= 0.0, "DepthOptions::depth_noise must not be negative");
  require(max_depth_m > 0.0, "DepthOptions::max_depth_m must be positive");
  require(dropout >= 0.0 && dropout <= 1.0, "DepthOptions::dropout must lie in [0, 1]");
}

LabelledScan scan_lidar(const RayTracer& world, const RayTracer* moving, const SensorMotion& T_world_sensor,
                        const LidarOptions& o) {
  o.validate();
  const std::vector<Azimuth> directions = azimuths(T_world_sensor, o.azimuth_steps);
  const LidarPattern pattern(o);
  const Lidar lidar{world, moving, pattern, directions, o};
  std::vector<LabelledScan> rings(static_cast<std::size_t>(pattern.rings()));
  tbb::parallel_for(0, pattern.rings(),
                    [&](int ring) { lidar.scan_ring(ring, rings[static_cast<std::size_t>(ring)]); });
  LabelledScan scan;
  for (const LabelledScan& ring : rings) {
    append_all(scan.points, ring.points);
    append_all(scan.intensities, ring.intensities);
    append_all(scan.labels, ring.labels);
  }
  return scan;
}

Points scan_lidar(const RayTracer& world, const Eigen::Isometry3d& T_world_sensor, const LidarOptions& options) {
  return scan_lidar(
             world, nullptr, [&](double) { return T_world_sensor; }, options)
      .points;
}

Points scan_depth(const RayTracer& world, const Eigen::Isometry3d& T_world_camera, const DepthOptions& o) {
  o.validate();
  const double focal = 0.5 * o.width / std::tan(0.5 * o.horizontal_fov_deg * kDegree);
  Points points;
  std::uint64_t ray = 0;
  for (int row = 0; row < o.height; ++row)
    for (int column = 0; column < o.width; ++column) {
      Random random(o.seed, ray++);
      if (random.chance(o.dropout)) continue;
      const Eigen::Vector3d pixel((column + 0.5 - 0.5 * o.width) / focal, (row + 0.5 - 0.5 * o.height) / focal, 1.0);
      const double stretch = pixel.norm();  // distance along the ray per depth
      RayTracer::Hit hit;
      if (!world.cast(T_world_camera.translation().cast<float>(),
                      (T_world_camera.linear() * pixel / stretch).cast<float>(),
                      static_cast<float>(o.max_depth_m * stretch), hit))
        continue;
      const double depth = hit.range / stretch;
      points.emplace_back(((depth + o.depth_noise * depth * depth * random.normal()) * pixel).cast<float>());
    }
  return points;
}

Eigen::Isometry3d look_at(const Eigen::Vector3d& eye, const Eigen::Vector3d& target) {
  const Eigen::Vector3d ahead = (target - eye).normalized();
  const Eigen::Vector3d right = ahead.cross(Eigen::Vector3d::UnitZ()).normalized();
  Eigen::Isometry3d T = Eigen::Isometry3d::Identity();
  T.linear() << right, ahead.cross(right), ahead;
  T.translation() = eye;
  return T;
}

}  // namespace parte::datasets
