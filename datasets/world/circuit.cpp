#include <datasets/world/presets.hpp>

#include <datasets/random.hpp>
#include <datasets/world/town.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace parte::datasets {
namespace {

using Corner = std::pair<int, int>;                   // of the blocks of a town: column, row
constexpr double kBlockX = 82.0, kBlockY = 62.0;      // [m] of a block, before the circuit gets its length
constexpr double kLane = 1.7, kBesideThatLane = 2.1;  // [m] to the right of the middle of a street
constexpr double kApproach = 75.0;                    // [m] length of the street that leads to the circuit

struct Blocks {
  int columns, rows;
};

/// As many as have about the given length around them, some of which is left to what juts out.
Blocks blocks_around(double length_m, Random& random) {
  const double half = 0.42 * length_m, wide = random.uniform(0.35, 0.65) * half;
  const int columns = std::max(2, static_cast<int>(std::lround(wide / kBlockX)));
  return {columns, std::max(2, static_cast<int>(std::lround((half - columns * kBlockX) / kBlockY)))};
}

/// Once around the blocks from a crossing within the first side, which is straight; the others jut out here and there.
std::vector<Corner> around(const Blocks& blocks, Random& random) {
  const auto [w, h] = blocks;
  std::vector<Corner> ring;
  for (int x = 1; x < w; ++x) ring.emplace_back(x, 0);
  const auto side = [&](Corner from, Corner step, int count) {
    const Corner out(step.second, -step.first);
    bool before = true;  // blocks at a corner and beside one that juts out do not
    for (int k = 0; k < count; ++k) {
      const Corner here(from.first + k * step.first, from.second + k * step.second);
      ring.push_back(here);
      before = !before && k + 1 < count && random.chance(0.4);
      if (!before) continue;
      ring.emplace_back(here.first + out.first, here.second + out.second);
      ring.emplace_back(here.first + step.first + out.first, here.second + step.second + out.second);
    }
  };
  side({w, 0}, {0, 1}, h);
  side({w, h}, {-1, 0}, w);
  side({0, h}, {0, -1}, h);
  ring.emplace_back(0, 0);
  if (random.chance(0.5)) std::reverse(ring.begin() + 1, ring.end());
  return ring;
}

double length_of(const std::vector<Corner>& ring) {
  double sum = 0.0;
  for (std::size_t k = 0; k < ring.size(); ++k)
    sum += ring[k].first != ring[(k + 1) % ring.size()].first ? kBlockX : kBlockY;
  return sum;
}

/// The crossings of the circuit in their order, then one before the first, where the approach begins, then the others.
class CircuitRoads {
 public:
  CircuitRoads(const std::vector<Corner>& ring, double length_m, Random& random)
      : scale_(length_m / length_of(ring)), random_(random) {
    for (const Corner& corner : ring) add(corner);
    const Corner approach(ring.front().first, -1);
    crossings_[approach] = ring.size();
    network.crossings.emplace_back(network.crossings.front() - Eigen::Vector2d(0.0, kApproach));
    for (std::size_t k = 0; k < ring.size(); ++k) connect(k, (k + 1) % ring.size());
    connect(ring.size(), 0);
    for (const Corner& corner : ring)
      for (const Corner& step : {Corner(1, 0), Corner(0, 1), Corner(-1, 0), Corner(0, -1)})
        if (random_.chance(0.45)) side_street(corner, {corner.first + step.first, corner.second + step.second});
  }
  RoadNetwork network;

 private:
  double scale_;
  Random& random_;
  std::map<Corner, std::size_t> crossings_;

  std::size_t add(const Corner& corner) {
    const auto [place, is_new] = crossings_.emplace(corner, network.crossings.size());
    if (!is_new) return place->second;
    const double x = kBlockX * corner.first + random_.uniform(-9.0, 9.0);
    network.crossings.emplace_back(scale_ * Eigen::Vector2d(x, kBlockY * corner.second + random_.uniform(-7.0, 7.0)));
    return place->second;
  }
  void connect(std::size_t from, std::size_t to) {
    const double width = random_.uniform(4.5, 5.3);
    network.connect(from, to, width, random_.uniform(-5.0, 5.0));
  }
  void side_street(const Corner& from, const Corner& to) {
    const std::size_t a = add(from), b = add(to);
    for (const RoadNetwork::Road& road : network.roads)
      if (std::minmax(road.from, road.to) == std::minmax(a, b)) return;
    connect(a, b);
  }
};

/// Where a path that leads round comes back to the place `s` [m] from its start.
double return_to(const Path& path, double s) {
  double best = path.length(), least = std::numeric_limits<double>::infinity();
  for (double there = s + 0.5 * path.length(); there < path.length(); there += 0.5) {
    const double distance = (path.at(there).at - path.at(s).at).norm();
    if (distance < least) least = distance, best = there;
  }
  return best;
}

/// Round the circuit and `again` [m] more: on along its first street, or back on the street that led to it.
Path circuit_route(const RoadNetwork& network, std::size_t count, bool reverse, double again) {
  std::vector<RoadNetwork::Stop> stops;
  if (reverse) stops.push_back({count, kLane});
  for (std::size_t k = 0; k < count; ++k) stops.push_back({k, kLane});
  stops.push_back({0, kLane});
  if (reverse) {
    stops.push_back({count, kLane});
  } else {
    for (const std::size_t k : {std::size_t{1}, std::size_t{2}}) stops.push_back({k, kBesideThatLane});
  }
  const Path route = network.route(stops);
  constexpr double kTurns = 18.0;  // [m] of the approach that its two ends take
  const double start = reverse ? kApproach - kTurns - again : 0.0;
  return route.part(start, return_to(route, start) + (reverse ? 0.0 : again));
}

}  // namespace

World make_circuit(std::uint64_t seed, double length_m, bool reverse) {
  Random random(seed, 1);
  const Blocks blocks = blocks_around(length_m, random);
  const std::vector<Corner> ring = around(blocks, random);
  const double again = random.uniform(35.0, 50.0);
  RoadNetwork roads = CircuitRoads(ring, length_m, random).network;
  const Path route = circuit_route(roads, ring.size(), reverse, again);
  World world = town_on(std::move(roads), seed, Outskirts::empty, route);
  DriveOptions options;
  options.seed = seed;
  world.drive = drive_along(route, world.ground, options);
  return world;
}

}  // namespace parte::datasets
