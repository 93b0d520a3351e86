#include <datasets/world/drive.hpp>

#include <datasets/random.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace parte::datasets {
namespace {

constexpr double kStep = 0.5;  // [m] between the places where the speed is set

double curvature(const Path& path, double s) {
  constexpr double kReach = 2.0;  // [m]
  const double turn = path.at(s + kReach).heading - path.at(s - kReach).heading;
  return std::abs(std::remainder(turn, 2.0 * std::numbers::pi)) / (2.0 * kReach);
}

/// Speed every kStep: what curves allow, then what braking and accelerating allow.
std::vector<double> speeds(const Path& path, const DriveOptions& o) {
  constexpr double kWalk = 1.5;  // [m/s]
  const auto count = static_cast<std::size_t>(path.length() / kStep) + 1;
  std::vector<double> v(count);
  for (std::size_t i = 0; i < count; ++i)
    v[i] = std::min(o.cruise_mps,
                    std::sqrt(o.lateral_mps2 / std::max(curvature(path, kStep * static_cast<double>(i)), 1e-3)));
  v.front() = v.back() = kWalk;
  const auto reach = [&](double from) { return std::sqrt(from * from + 2.0 * o.accelerate_mps2 * kStep); };
  for (std::size_t i = 1; i < count; ++i) v[i] = std::min(v[i], reach(v[i - 1]));
  for (std::size_t i = count - 1; i > 0; --i) v[i - 1] = std::min(v[i - 1], reach(v[i]));
  return v;
}

/// A slow and a fast swing of random phase.
struct Sway {
  double slow, fast;
  explicit Sway(Random& random) : slow(random.uniform(0.0, 6.28)), fast(random.uniform(0.0, 6.28)) {}
  [[nodiscard]] double at(double t) const { return 0.7 * std::sin(2.1 * t + slow) + 0.3 * std::sin(9.0 * t + fast); }
};

}  // namespace

Eigen::Isometry3d standing_at(const Path::Place& place, const Ground& ground, double height) {
  const Eigen::Vector3d up = ground.normal(place.at);
  Eigen::Isometry3d T = Eigen::Isometry3d::Identity();
  T.translation() << place.at, ground.road_height(place.at);
  T.translation() += height * up;
  T.linear() = (Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), up) *
                Eigen::AngleAxisd(place.heading, Eigen::Vector3d::UnitZ()))
                   .toRotationMatrix();
  return T;
}

Drive drive_along(const Path& path, const Ground& ground, const DriveOptions& o) {
  Random random(o.seed);
  const Sway pitch(random), roll(random), heave(random);
  const double amplitude = o.sway_deg * std::numbers::pi / 180.0;
  const std::vector<double> v = speeds(path, o);
  Drive drive;
  double s = 0.0;
  for (double t = 0.0; s < path.length(); t += o.frame_s) {
    const Eigen::Isometry3d level = standing_at(path.at(s), ground, o.sensor_height_m + 0.01 * heave.at(t));
    drive.times_s.push_back(t);
    drive.poses.emplace_back(level * Eigen::AngleAxisd(amplitude * pitch.at(t), Eigen::Vector3d::UnitY()) *
                             Eigen::AngleAxisd(amplitude * roll.at(t), Eigen::Vector3d::UnitX()));
    s += o.frame_s * v[std::min(static_cast<std::size_t>(s / kStep), v.size() - 1)];
  }
  return drive;
}

}  // namespace parte::datasets
