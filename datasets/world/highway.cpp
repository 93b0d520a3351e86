#include <datasets/world/presets.hpp>

#include <datasets/world/things.hpp>

#include <numbers>

namespace parte::datasets {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kHalfWidth = 13.0, kRamp = 4.5;  // [m]
constexpr std::size_t kStretches = 3;  // of the main road; the crossings after it belong to the turning loops

/// A dual carriageway with a loop at either end to turn round.
RoadNetwork highway_roads(std::uint64_t seed) {
  Random random(seed, 1);
  RoadNetwork network;
  for (std::size_t k = 0; k <= kStretches; ++k)
    network.crossings.emplace_back(190.0 * static_cast<double>(k), random.uniform(-25.0, 25.0));
  for (const double end : {-1.0, 1.0}) {
    const Eigen::Vector2d last = end < 0.0 ? network.crossings[0] : network.crossings[kStretches];
    network.crossings.emplace_back(last + Eigen::Vector2d(60.0 * end, -36.0 * end));
    network.crossings.emplace_back(last + Eigen::Vector2d(60.0 * end, 36.0 * end));
  }
  for (std::size_t k = 0; k < kStretches; ++k) network.connect(k, k + 1, kHalfWidth, random.uniform(-15.0, 15.0));
  for (const auto& [end, first] : {std::pair{std::size_t{0}, kStretches + 1}, std::pair{kStretches, kStretches + 3}}) {
    network.connect(end, first, kRamp, 0.0);
    network.connect(first, first + 1, kRamp, -10.0);
    network.connect(first + 1, end, kRamp, 0.0);
  }
  return network;
}

class HighwayBuilder : Things {
 public:
  HighwayBuilder(std::uint64_t seed, const Ground& ground) : Things(seed, ground) {}

  Mesh build() {
    for (std::size_t k = 0; k < kStretches; ++k) main_road(ground_.roads().roads[k]);
    for (int i = 0; i < 260; ++i) {
      const double x = random.uniform(-120.0, 690.0);
      const Eigen::Vector2d at(x, random.uniform(-110.0, 110.0));
      if (ground_.roads().clearance(at) < 6.0) continue;
      const Frame T = frame(at, random.uniform(0.0, kPi));
      const double kind = random.uniform();
      if (kind < 0.5)
        bush(T);
      else if (kind < 0.93)
        tree(T);
      else
        house(T, random.uniform(10.0, 20.0), 10.0, static_cast<std::uint64_t>(random.integer(1, 9)));
    }
    ground_.add_to(mesh, 110.0);
    return std::move(mesh);
  }

  std::vector<Mover> movers() {
    std::vector<Mover> movers;
    for (int i = 0; i < 24; ++i) {
      const RoadNetwork::Road& road = ground_.roads().roads[static_cast<std::size_t>(i) % kStretches];
      const Path middle = random.chance(0.5) ? road.path.reversed() : road.path;
      mesh = {};
      random.chance(0.3) ? truck(Frame::Identity()) : car(Frame::Identity());
      const double right = random.chance(0.5) ? 4.5 : 8.5, speed = random.uniform(18.0, 32.0);
      movers.push_back({std::move(mesh), middle.beside(-right, 0.0), speed, random.uniform(0.0, middle.length())});
    }
    return movers;
  }

 private:
  void main_road(const RoadNetwork::Road& road) {
    const double end = road.path.length();
    for (double s = 15.0; s < end - 15.0; s += 4.0) {
      const Path::Place middle = road.path.at(s + 2.0);
      wall(frame(middle.at, middle.heading), 2.05, 0.85);  // the barrier between the carriageways
      for (const int side : {-1, 1}) guard_rail(beside(road, s + 2.0, side, 0.8));
    }
    for (double s = 20.0; s < end - 20.0; s += 40.0) pole(beside(road, s, 1, 2.0));
    for (const int side : {-1, 1})
      if (random.chance(0.5)) noise_barrier(road, side);
    gantry(road, 0.5 * end);
  }

  void guard_rail(const Frame& T) {
    box(T, {-2.05, -0.04, 0.45}, {2.05, 0.04, 0.75}, Surface::fence);
    box(T, {-0.05, 0.04, -0.5}, {0.05, 0.15, 0.7}, Surface::fence);
  }

  void noise_barrier(const RoadNetwork::Road& road, int side) {
    const double length = random.uniform(40.0, 90.0), start = random.uniform(30.0, 100.0);
    for (double s = start; s < start + length; s += 4.0) wall(beside(road, s, side, 5.0), 2.05, 3.0);
  }

  /// A sign over the carriageways.
  void gantry(const RoadNetwork::Road& road, double s) {
    const Path::Place place = road.path.at(s);
    const Frame T = frame(place.at, place.heading);
    for (const double y : {-14.5, 14.5}) box(T, {-0.2, y - 0.2, -1.0}, {0.2, y + 0.2, 6.5}, Surface::pole);
    box(T, {-0.2, -14.5, 6.0}, {0.2, 14.5, 6.5}, Surface::pole);
    for (const double y : {-9.0, 4.0}) box(T, {-0.3, y, 5.2}, {-0.2, y + 5.0, 7.2}, Surface::sign);
  }
};

}  // namespace

World make_highway(std::uint64_t seed) {
  TerrainOptions terrain;
  terrain.seed = seed;
  terrain.hill_height_m = 3.0, terrain.hill_length_m = 300.0;
  terrain.kerb_height_m = 0.0;
  terrain.roughness_m = 0.1;
  Ground ground(terrain, highway_roads(seed));
  HighwayBuilder builder(seed, ground);
  Mesh mesh = builder.build();
  std::vector<Mover> movers = builder.movers();
  // Out, back on the other carriageway, and out again on the neighbouring lane.
  const Path route = ground.roads().route({{0, 4.5},
                                           {1, 4.5},
                                           {2, 4.5},
                                           {3, 4.5},
                                           {6, 2.0},
                                           {7, 2.0},
                                           {3, 2.0},
                                           {2, 4.5},
                                           {1, 4.5},
                                           {0, 4.5},
                                           {4, 2.0},
                                           {5, 2.0},
                                           {0, 2.0},
                                           {1, 8.5},
                                           {2, 4.5}});
  DriveOptions options;
  options.seed = seed;
  options.cruise_mps = 30.0;
  Drive drive = drive_along(route, ground, options);
  return {std::move(ground), std::move(mesh), std::move(movers), std::move(drive)};
}

}  // namespace parte::datasets
