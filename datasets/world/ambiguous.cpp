#include <datasets/world/presets.hpp>

#include <datasets/world/things.hpp>

#include <algorithm>
#include <cmath>
#include <utility>

namespace parte::datasets {
namespace {

constexpr double kApart = 70.0, kHalfWidth = 5.0;  // [m] between streets, and of a street
constexpr double kEnd = 12.0;                      // [m] of a street without anything beside it

/// Parallel streets, joined at one end or the other so that a car can drive through all of them.
RoadNetwork parallel_streets(double length_m) {
  constexpr double kUsual = 220.0;
  const int count = std::max(3, static_cast<int>(std::lround((length_m + kApart) / (kUsual + kApart))));
  const double street = (length_m - (count - 1) * kApart) / count;
  RoadNetwork network;
  for (int k = 0; k < count; ++k)
    for (const int end : {k % 2, 1 - k % 2}) network.crossings.emplace_back(end * street, k * kApart);
  for (std::size_t k = 1; k < network.crossings.size(); ++k) network.connect(k - 1, k, kHalfWidth, 0.0);
  return network;
}

/// Every lot of a street is the same, and so are all streets of a kind: terraces, or parking decks between pillars.
class AmbiguousBuilder : Things {
 public:
  AmbiguousBuilder(std::uint64_t seed, const Ground& ground) : Things(seed, ground), seed_(seed) {
    width_ = random.uniform(7.0, 10.0);
    gap_ = random.chance(0.5) ? 0.0 : random.uniform(2.0, 4.0);
    style_ = static_cast<std::uint64_t>(random.integer(1, 12));
    pillars_ = random.uniform(6.0, 9.0);
  }

  Mesh build() {
    const auto& roads = ground_.roads().roads;
    for (std::size_t k = 0; k < roads.size(); k += 2)  // those between them join two streets
      k % 6 == 4 ? deck(roads[k]) : terraces(roads[k]);
    for (const RoadNetwork::Road& road : roads)
      for (const int side : {-1, 1})
        for (double s = 15.0; s < road.path.length() - 15.0; s += 7.0)
          if (random.chance(0.12)) car(beside(road, s, side, -1.1));
    ground_.add_to(mesh, 70.0);
    return std::move(mesh);
  }

 private:
  std::uint64_t seed_, style_;
  double width_, gap_, pillars_;  ///< [m] of a house, between two, and from pillar to pillar

  void terraces(const RoadNetwork::Road& road) {
    const double pitch = width_ + gap_;
    for (const int side : {-1, 1})
      for (double s = kEnd + 0.5 * pitch; s < road.path.length() - kEnd - 0.5 * pitch; s += pitch) {
        const Random clutter = std::exchange(random, Random(seed_, 5));  // the same for each lot
        house(beside(road, s, side, 6.0), width_, 9.0, style_);
        hedge(beside(road, s, side, 3.0), 0.3 * width_, 1.0);
        tree(beside(road, s + 0.4 * pitch, side, 4.2));
        pole(beside(road, s + 0.5 * pitch, side, 0.7));
        random = clutter;
      }
  }

  void deck(const RoadNetwork::Road& road) {
    constexpr double kDeep = 8.0, kHeight = 3.2;  // [m] from the kerb to the wall, and of the ceiling
    for (double s = kEnd; s < road.path.length() - kEnd; s += pillars_) {
      const double half = 0.5 * pillars_ + 0.02;
      for (const int side : {-1, 1}) {
        const Frame T = beside(road, s, side, 0.6);
        box(T, {-0.25, 0.0, -0.6}, {0.25, 0.5, kHeight}, Surface::building);
        box(T, {-0.25, 4.5, -0.6}, {0.25, 5.0, kHeight}, Surface::building);
        box(T, {-half, kDeep, -0.6}, {half, kDeep + 0.2, kHeight}, Surface::building);
        box(T, {-half, -kHalfWidth - 0.6, kHeight}, {half, kDeep + 0.2, kHeight + 0.3}, Surface::building);
      }
    }
  }
};

}  // namespace

World make_ambiguous(std::uint64_t seed, double length_m) {
  TerrainOptions terrain;
  terrain.seed = seed;
  terrain.hill_height_m = 0.3, terrain.hill_length_m = 400.0;
  terrain.roughness_m = 0.02;
  World world{Ground(terrain, parallel_streets(length_m)), {}, {}, {}};
  world.mesh = AmbiguousBuilder(seed, world.ground).build();
  std::vector<RoadNetwork::Stop> stops;
  for (std::size_t k = 0; k < world.ground.roads().crossings.size(); ++k) stops.push_back({k, 1.7});
  DriveOptions options;
  options.seed = seed;
  world.drive = drive_along(world.ground.roads().route(stops), world.ground, options);
  return world;
}

}  // namespace parte::datasets
