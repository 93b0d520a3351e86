#include <datasets/world/presets.hpp>

#include <datasets/world/things.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace parte::datasets {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr std::size_t kBends = 8;

/// A winding trail round a wood, and a short cut through it.
RoadNetwork trails(std::uint64_t seed) {
  constexpr double kHalfWidth = 1.6;
  Random random(seed, 1);
  RoadNetwork network;
  for (std::size_t k = 0; k < kBends; ++k) {
    const double angle = 2.0 * kPi * static_cast<double>(k) / kBends, reach = random.uniform(0.8, 1.15);
    network.crossings.emplace_back(92.0 * reach * std::cos(angle), 64.0 * reach * std::sin(angle));
  }
  for (std::size_t k = 0; k < kBends; ++k) network.connect(k, (k + 1) % kBends, kHalfWidth, random.uniform(-9.0, 9.0));
  network.connect(0, kBends / 2, kHalfWidth, random.uniform(-12.0, 12.0));
  return network;
}

class ForestBuilder : Things {
 public:
  ForestBuilder(std::uint64_t seed, const Ground& ground) : Things(seed, ground) {}

  Mesh build() {
    const Eigen::AlignedBox2d box = ground_.roads().bounds();
    for (int i = 0; i < 3300; ++i) {
      const double x = random.uniform(box.min().x() - 45.0, box.max().x() + 45.0);
      const Eigen::Vector2d at(x, random.uniform(box.min().y() - 45.0, box.max().y() + 45.0));
      const double clearance = ground_.roads().clearance(at), kind = random.uniform();
      if (clearance < 0.7 || clearance >= RoadNetwork::kFar || in_a_bend(at)) continue;
      thing(frame(at, random.uniform(0.0, 2.0 * kPi)), kind);
    }
    ground_.add_to(mesh, 60.0);
    return std::move(mesh);
  }

 private:
  /// Where the car cuts the corner.
  [[nodiscard]] bool in_a_bend(const Eigen::Vector2d& at) const {
    const auto& bends = ground_.roads().crossings;
    return std::any_of(bends.begin(), bends.end(), [&](const auto& bend) { return (bend - at).norm() < 7.0; });
  }

  void thing(const Frame& T, double kind) {
    if (kind < 0.6)
      forest_tree(T);
    else if (kind < 0.85)
      bush(T);
    else if (kind < 0.95)
      blob(T, {0.0, 0.0, 0.0}, random.uniform(0.2, 0.7), Surface::terrain);  // a rock
    else
      log(T);
  }

  void log(const Frame& T) {
    const double radius = random.uniform(0.12, 0.3);
    cylinder(T * Eigen::Translation3d(0.0, 0.0, radius) * Eigen::AngleAxisd(0.5 * kPi, Eigen::Vector3d::UnitY()),
             {0.0, 0.0, -1.5}, radius, random.uniform(2.0, 5.0), Surface::trunk);
  }
};

}  // namespace

World make_forest(std::uint64_t seed) {
  constexpr double kMiddle = 0.0;
  TerrainOptions terrain;
  terrain.seed = seed;
  terrain.hill_height_m = 4.0, terrain.hill_length_m = 90.0;
  terrain.kerb_height_m = 0.0, terrain.sidewalk_width_m = 0.0;
  terrain.roughness_m = 0.12;
  Ground ground(terrain, trails(seed));
  Mesh mesh = ForestBuilder(seed, ground).build();
  // Round the wood and a part of it again, through it, and back the other way round.
  std::vector<RoadNetwork::Stop> stops;
  for (const std::size_t bend : {0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2, 3, 4, 0, 7, 6, 5, 4, 3})
    stops.push_back({bend, kMiddle});
  DriveOptions options;
  options.seed = seed;
  options.cruise_mps = 8.5;
  options.sway_deg = 1.0;
  Drive drive = drive_along(ground.roads().route(stops), ground, options);
  return {std::move(ground), std::move(mesh), {}, std::move(drive)};
}

}  // namespace parte::datasets
