#include <datasets/world/roads.hpp>
#include <datasets/world/synthetic.hpp>

#include <datasets/random.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <utility>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

using namespace parte::datasets;
using Eigen::Vector2d;

namespace {

constexpr double kDegree = std::numbers::pi / 180.0;

/// How often a drive is near a place where it was before, by the angle between then and now.
struct Revisits {
  int same_way = 0, other_way = 0, across = 0, other_lane = 0;
};

/// Within `reach` [m] of each other.
Revisits revisits_of(const Drive& drive, double reach) {
  constexpr std::size_t kApart = 200;  // frames
  Revisits count;
  for (std::size_t i = 0; i < drive.poses.size(); i += 5)
    for (std::size_t j = i + kApart; j < drive.poses.size(); j += 5) {
      const Eigen::Isometry3d between = drive.poses[i].inverse() * drive.poses[j];
      if (between.translation().norm() > reach) continue;
      const double turn = std::abs(std::atan2(between(1, 0), between(0, 0)));
      const double aside = std::abs(between.translation().y());
      if (turn < 20.0 * kDegree)
        ++(aside > 2.5 ? count.other_lane : count.same_way);
      else
        ++(turn > 160.0 * kDegree ? count.other_way : count.across);
    }
  return count;
}

double length_of(const Drive& drive) {
  double length = 0.0;
  for (std::size_t i = 1; i < drive.poses.size(); ++i)
    length += (drive.poses[i].translation() - drive.poses[i - 1].translation()).norm();
  return length;
}

/// The world is one with a drive that a car could make.
void require_drivable(const World& world, double fastest_mps) {
  const Drive& drive = world.drive;
  double before = 0.0;
  for (std::size_t i = 1; i < drive.poses.size(); ++i) {
    const Eigen::Isometry3d step = drive.poses[i - 1].inverse() * drive.poses[i];
    const double speed = step.translation().norm() / 0.1;
    REQUIRE(drive.times_s[i] - drive.times_s[i - 1] == Catch::Approx(0.1));
    REQUIRE(speed < fastest_mps);
    REQUIRE(Eigen::AngleAxisd(step.linear()).angle() < 8.0 * kDegree);
    if (i > 1) REQUIRE(std::abs(speed - before) < 1.0);  // less than 10 m/s^2, heave and bumps included
    before = speed;
    const Vector2d at = drive.poses[i].translation().head<2>();
    REQUIRE(world.ground.roads().clearance(at) < 3.0);  // corners are cut
  }
}

/// Frames that are near a place where the drive was at least 100 m of its way before.
struct Stretch {
  double length = 0.0;                            ///< of the way [m]
  double from_end = 0.0;                          ///< what follows of the way [m]
  double least_turn = 10.0, greatest_turn = 0.0;  ///< between then and now [rad]
};

/// Stretches of the drive within `reach` [m] of an earlier place, in the order of the drive.
std::vector<Stretch> revisited(const Drive& drive, double reach) {
  std::vector<double> way{0.0};
  for (std::size_t i = 1; i < drive.poses.size(); ++i)
    way.push_back(way.back() + (drive.poses[i].translation() - drive.poses[i - 1].translation()).norm());
  std::vector<Stretch> stretches;
  bool before = false;
  for (std::size_t j = 1; j < drive.poses.size(); ++j) {
    std::size_t nearest = j;
    double least = reach;
    for (std::size_t i = 0; way[j] - way[i] > 100.0; ++i) {
      const double distance = (drive.poses[i].translation() - drive.poses[j].translation()).norm();
      if (distance < least) least = distance, nearest = i;
    }
    if (const bool again = nearest != j; !std::exchange(before, again) && again) stretches.emplace_back();
    if (!before) continue;
    const Eigen::Isometry3d turned = drive.poses[nearest].inverse() * drive.poses[j];
    const double turn = std::abs(std::atan2(turned(1, 0), turned(0, 0)));
    Stretch& stretch = stretches.back();
    stretch.length += way[j] - way[j - 1];
    stretch.from_end = way.back() - way[j];
    stretch.least_turn = std::min(stretch.least_turn, turn);
    stretch.greatest_turn = std::max(stretch.greatest_turn, turn);
  }
  return stretches;
}

/// Where the sensor is at a part of its turn: the same part of the way to the next or from the last frame, turned about
/// the axis of that step.
Eigen::Isometry3d between(const std::vector<Eigen::Isometry3d>& poses, std::size_t frame, double turn) {
  const Eigen::Isometry3d& T_world_here = poses[frame];
  const Eigen::Isometry3d& T_world_other = turn < 0.0 ? poses[frame - 1] : poses[frame + 1];
  const Eigen::AngleAxisd way(T_world_here.linear().transpose() * T_world_other.linear());
  Eigen::Isometry3d T = Eigen::Isometry3d::Identity();
  T.translation() = (1.0 - std::abs(turn)) * T_world_here.translation() + std::abs(turn) * T_world_other.translation();
  T.linear() = T_world_here.linear() * Eigen::AngleAxisd(std::abs(turn) * way.angle(), way.axis()).toRotationMatrix();
  return T;
}

/// The part of the points that lie on the first surface in their direction, seen from where the sensor then was.
double explained(const Points& points, const RayTracer& world, const SensorMotion& T_world_sensor) {
  constexpr double kOff = 0.003, kFar = 200.0;  // [m]; the sensor rounds ranges to 0.002
  std::size_t count = 0;
  for (const Eigen::Vector3f& p : points) {
    const Eigen::Isometry3d T = T_world_sensor(std::atan2(p.y(), p.x()) / (2.0 * std::numbers::pi));
    const Eigen::Vector3d direction = T.linear() * p.cast<double>().normalized();
    RayTracer::Hit hit;
    const bool seen = world.cast(T.translation().cast<float>(), direction.cast<float>(), kFar, hit);
    if (seen && std::abs(hit.range - p.norm()) < kOff) ++count;
  }
  return static_cast<double>(count) / static_cast<double>(points.size());
}

/// How many of the lasers' rays meet something within reach.
double returns_of(const RayTracer& world, const SensorMotion& T_world_sensor, const LidarOptions& o) {
  double count = 0.0;
  const LidarPattern pattern(o);
  for (int step = 0; step < o.azimuth_steps; ++step) {
    const double turn = std::remainder(static_cast<double>(step) / o.azimuth_steps, 1.0);  // -0.5 to 0.5
    const Eigen::Isometry3d T = T_world_sensor(turn);
    for (int ring = 0; ring < pattern.rings(); ++ring) {
      const Eigen::AngleAxisd yaw(2.0 * std::numbers::pi * turn, Eigen::Vector3d::UnitZ());
      const Eigen::AngleAxisd pitch(-pattern.elevation_deg(ring, step) * kDegree, Eigen::Vector3d::UnitY());
      const Eigen::Vector3d direction = T.linear() * (yaw * pitch * Eigen::Vector3d::UnitX());
      RayTracer::Hit hit;
      if (world.cast(T.translation().cast<float>(), direction.cast<float>(), static_cast<float>(o.max_range_m), hit) &&
          hit.range >= o.min_range_m)
        ++count;
    }
  }
  return count;
}

}  // namespace

TEST_CASE("a path is followed by distance", "[drive]") {
  const Path path({{0, 0}, {10, 0}, {10, 0}, {10, 5}});
  REQUIRE(path.length() == 15.0);
  REQUIRE((path.at(4.0).at - Vector2d(4, 0)).norm() < 1e-12);
  REQUIRE((path.at(12.0, 1.0).at - Vector2d(9, 2)).norm() < 1e-12);
  REQUIRE(path.at(12.0).heading == Catch::Approx(0.5 * std::numbers::pi));
  REQUIRE((path.at(-2.0).at - Vector2d(-2, 0)).norm() < 1e-12);
  REQUIRE((path.at(17.0).at - Vector2d(10, 7)).norm() < 1e-12);
  REQUIRE((path.reversed().at(5.0).at - Vector2d(10, 0)).norm() < 1e-12);
  const Path part = path.part(4.0, 12.0);
  REQUIRE(part.length() == Catch::Approx(8.0));
  REQUIRE((part.at(0.0).at - Vector2d(4, 0)).norm() < 1e-12);
  REQUIRE((part.at(7.0).at - Vector2d(10, 1)).norm() < 1e-12);
  const Path round = path.smoothed(2.0);
  REQUIRE((round.points().front() - Vector2d(0, 0)).norm() < 1e-12);
  REQUIRE((round.points().back() - Vector2d(10, 5)).norm() < 1e-12);
  REQUIRE(round.length() < 15.0);
  REQUIRE(round.length() > std::hypot(10.0, 5.0));
}

TEST_CASE("the clearance of a place is its distance to the nearest kerb", "[drive][oracle]") {
  RoadNetwork network;
  network.crossings = {{0, 0}, {100, 20}, {50, -80}};
  network.connect(0, 1, 5.0, 8.0);
  network.connect(1, 2, 3.0, -4.0);
  network.index();
  Random random(3);
  for (int i = 0; i < 500; ++i) {
    const double x = random.uniform(-60.0, 160.0);
    const Vector2d at(x, random.uniform(-140.0, 80.0));
    double nearest = RoadNetwork::kFar;
    for (const auto& road : network.roads)
      for (double s = 0.0; s <= road.path.length(); s += 0.01)
        nearest = std::min(nearest, (road.path.at(s).at - at).norm() - road.half_width);
    REQUIRE(network.clearance(at) == Catch::Approx(nearest).margin(0.01));
  }
  REQUIRE_THROWS_AS(network.route({{0, 2.0}, {2, 2.0}}), std::invalid_argument);
}

TEST_CASE("a drive is one a car could make, and comes back as its preset says", "[drive]") {
  const Preset preset = GENERATE(Preset::town, Preset::reverse, Preset::highway, Preset::forest);
  CAPTURE(to_string(preset));
  const World world = make_world(preset, 2);
  const Drive& drive = world.drive;
  REQUIRE(drive.poses.size() >= 800);
  REQUIRE(drive.poses.size() <= 1500);
  REQUIRE(length_of(drive) > 1000.0);
  REQUIRE(length_of(drive) < 2500.0);
  require_drivable(world, preset == Preset::highway ? 31.0 : 13.5);
  const Revisits revisits = revisits_of(drive, preset == Preset::highway ? 12.0 : 6.0);
  REQUIRE(revisits.other_way > 20);
  if (preset == Preset::reverse) REQUIRE(revisits.same_way + revisits.other_lane == 0);
  if (preset == Preset::town) {
    REQUIRE(revisits.same_way > 20);
    REQUIRE(revisits.other_lane > 5);
    REQUIRE(revisits.across > 5);
  }
}

TEST_CASE("a circuit comes back to one stretch, at its end", "[drive]") {
  const auto [preset, seed, length] =
      GENERATE(table<Preset, std::uint64_t, double>({{Preset::circuit, 1, 1500.0},
                                                     {Preset::circuit_reverse, 1, 1500.0},
                                                     {Preset::circuit, 2, 1000.0},
                                                     {Preset::circuit_reverse, 3, 2500.0}}));
  CAPTURE(to_string(preset), seed, length);
  const World world = make_world(preset, seed, length);
  require_drivable(world, 13.5);
  REQUIRE(length_of(world.drive) == Catch::Approx(length).epsilon(0.1));
  const std::vector<Stretch> stretches = revisited(world.drive, 5.0);
  REQUIRE(stretches.size() == 1);
  REQUIRE(stretches.front().length > 30.0);
  REQUIRE(stretches.front().length < 60.0);
  REQUIRE(stretches.front().from_end < 1.0);
  if (preset == Preset::circuit)
    REQUIRE(stretches.front().greatest_turn < 20.0 * kDegree);
  else
    REQUIRE(stretches.front().least_turn > 90.0 * kDegree);  // it turns into the street while it is near already
  REQUIRE(revisited(world.drive, 25.0).size() == 1);         // and it comes near no other
}

TEST_CASE("no drive leads through a parked truck", "[drive]") {
  const auto [preset, seed, length] = GENERATE(table<Preset, std::uint64_t, double>(
      {{Preset::circuit, 21, 3500.0}, {Preset::circuit, 23, 3000.0}, {Preset::town, 2, 1500.0}}));
  CAPTURE(to_string(preset), seed, length);
  const World world = make_world(preset, seed, length);
  const RayTracer tracer(world.mesh);
  for (const Eigen::Isometry3d& T : world.drive.poses)
    for (int k = 0; k < 12; ++k) {
      const Eigen::Vector3d ahead =
          T.linear() * Eigen::AngleAxisd(k * 30.0 * kDegree, Eigen::Vector3d::UnitZ()) * Eigen::Vector3d::UnitX();
      RayTracer::Hit hit;
      const bool meets = tracer.cast(T.translation().cast<float>(), ahead.cast<float>(), 0.4f, hit);
      REQUIRE_FALSE((meets && hit.surface == Surface::car));
    }
}

TEST_CASE("the ambiguous drive comes back to no place, though places look alike", "[drive]") {
  const double length = GENERATE(1000.0, 1500.0);
  const World world = make_world(Preset::ambiguous, 2, length);
  require_drivable(world, 13.5);
  REQUIRE(length_of(world.drive) == Catch::Approx(length).epsilon(0.1));
  REQUIRE(revisited(world.drive, 50.0).empty());

  // From the same place of its first street and of one that is as far from the ends, another 140 m away.
  const RayTracer tracer(world.mesh);
  const auto& roads = world.ground.roads().roads;
  const auto seen = [&](const RoadNetwork::Road& road, double s) {
    const Points scan = scan_lidar(tracer, standing_at(road.path.at(s), world.ground, 1.73));
    std::set<std::pair<int, int>> walls;  // on a plan of squares of half a metre
    for (const auto& p : scan)
      if (p.z() > 0.0f && p.norm() < 40.0f)
        walls.emplace(static_cast<int>(std::floor(2.0f * p.x())), static_cast<int>(std::floor(2.0f * p.y())));
    return walls;
  };
  const double middle = 0.5 * roads.front().path.length();
  const auto here = seen(roads.front(), middle), there = seen(roads[2], middle), within = seen(roads[4], middle);
  const auto alike = [&](const auto& other) {
    const auto count = std::count_if(here.begin(), here.end(), [&](const auto& cell) { return other.contains(cell); });
    return static_cast<double>(count) / static_cast<double>(here.size());
  };
  REQUIRE(here.size() > 300);
  REQUIRE(alike(there) > 0.6);
  REQUIRE(alike(within) < 0.2);  // a parking deck
}

TEST_CASE("what moves is labelled, and only that", "[drive]") {
  SyntheticOptions options;
  options.lidar.azimuth_steps = 500;
  const SyntheticDrive town(options);
  std::size_t moving = 0;
  for (std::size_t i = 0; i < town.size(); i += 150) {
    const LabelledScan scan = town.scan(i);
    REQUIRE(scan.labels.size() == scan.points.size());
    REQUIRE(scan.intensities.size() == scan.points.size());
    moving += static_cast<std::size_t>(
        std::count_if(scan.labels.begin(), scan.labels.end(), [](auto l) { return l >= 252; }));
    REQUIRE(
        std::all_of(scan.labels.begin(), scan.labels.end(), [](auto l) { return l < 100 || l == 252 || l == 254; }));
    // Without those returns, the scan is one of the standing world: cast again, every other point stays as it is.
    const Points still = scan_lidar(RayTracer(town.world().mesh), town.world().drive.poses[i],
                                    {.azimuth_steps = 500, .seed = 1'000'003 + i});
    std::size_t kept = 0;
    for (std::size_t k = 0, j = 0; k < scan.points.size(); ++k) {
      if (scan.labels[k] >= 252) continue;
      while (j < still.size() && still[j] != scan.points[k]) ++j;
      kept += j < still.size() ? 1 : 0;
    }
    const auto standing =
        static_cast<std::size_t>(std::count_if(scan.labels.begin(), scan.labels.end(), [](auto l) { return l < 252; }));
    REQUIRE(kept == standing);
  }
  REQUIRE(moving > 100);
}

TEST_CASE("a scan taken while driving is smeared by the motion, and by nothing else", "[drive][oracle]") {
  constexpr std::size_t kFrame = 400;
  SyntheticOptions options;
  options.preset = Preset::forest;        // where nothing else moves
  options.lidar = {.azimuth_steps = 721,  // none of them straight behind, where the turn begins and ends
                   .range_noise_m = 0.0,
                   .laser_bias_m = 0.0,
                   .dropout = 0.0,
                   .own_roof = false,
                   .weak_returns = false};
  const SyntheticDrive still(options);
  options.motion_distortion = true;
  const SyntheticDrive driving(options);
  REQUIRE(driving.world().movers.empty());
  const auto& poses = driving.world().drive.poses;
  REQUIRE((poses[kFrame + 1].translation() - poses[kFrame].translation()).norm() > 0.3);
  const SensorMotion driven = [&](double turn) { return between(poses, kFrame, turn); };
  const SensorMotion parked = [&](double) { return poses[kFrame]; };
  const RayTracer world(driving.world().mesh);

  const Points smeared = driving.scan(kFrame).points, sharp = still.scan(kFrame).points;
  REQUIRE(smeared.size() > 10'000);
  // Rays that graze a leaf may meet it or not, by how a float rounds.
  REQUIRE(std::abs(static_cast<double>(smeared.size()) / returns_of(world, driven, options.lidar) - 1.0) < 1e-3);
  REQUIRE(explained(smeared, world, driven) > 0.999);
  REQUIRE(explained(sharp, world, parked) > 0.999);
  // That is not so for any other motion.
  REQUIRE(explained(smeared, world, parked) < 0.5);
  REQUIRE(explained(sharp, world, driven) < 0.5);
  REQUIRE(explained(smeared, world, [&](double turn) { return driven(-turn); }) < 0.5);
}

TEST_CASE("any preset opens as a sequence", "[drive]") {
  const Preset preset = GENERATE(Preset::highway, Preset::indoor);
  const Sequence sequence = open_synthetic({.preset = preset, .seed = 1, .motion_distortion = false, .lidar = {}});
  REQUIRE(sequence.size() >= 100);
  REQUIRE(sequence.times_s.size() == sequence.size());
  REQUIRE(sequence.ground_truth.size() == sequence.size());
  REQUIRE(sequence.ground_truth.front().matrix().isIdentity(1e-12));
  REQUIRE(sequence.ids.back() == static_cast<int>(sequence.size()) - 1);
  REQUIRE(sequence.read(3).size() > (preset == Preset::indoor ? 20'000u : 80'000u));
  REQUIRE(sequence.read(3) == sequence.read(3));
}
