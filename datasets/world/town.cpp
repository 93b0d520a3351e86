#include <datasets/world/presets.hpp>

#include <datasets/world/plan.hpp>
#include <datasets/world/things.hpp>
#include <datasets/world/town.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace parte::datasets {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr int kColumns = 4, kRows = 3;

std::size_t crossing(int column, int row) { return static_cast<std::size_t>(row * kColumns + column); }

/// A crooked grid of streets; the lowest row is an avenue of four lanes.
RoadNetwork town_roads(std::uint64_t seed) {
  Random random(seed, 1);
  RoadNetwork network;
  for (int row = 0; row < kRows; ++row)
    for (int column = 0; column < kColumns; ++column) {
      const double x = 82.0 * column + random.uniform(-9.0, 9.0), y = 62.0 * row + random.uniform(-7.0, 7.0);
      network.crossings.emplace_back(x, y);
    }
  for (int row = 0; row < kRows; ++row)
    for (int column = 0; column < kColumns; ++column) {
      const double width = row == 0 ? 8.5 : random.uniform(4.5, 5.3), bend = random.uniform(-5.0, 5.0);
      if (column + 1 < kColumns) network.connect(crossing(column, row), crossing(column + 1, row), width, bend);
      const double across = random.uniform(4.5, 5.3), sag = random.uniform(-4.0, 4.0);
      if (row + 1 < kRows) network.connect(crossing(column, row), crossing(column, row + 1), across, sag);
    }
  return network;
}

class TownBuilder : Things {
 public:
  TownBuilder(std::uint64_t seed, const Ground& ground, Outskirts outskirts, const Path& drive)
      : Things(seed, ground), outskirts_(outskirts), drive_(drive) {}

  Mesh build() {
    const RoadNetwork& network = ground_.roads();
    for (const RoadNetwork::Road& road : network.roads)
      for (const int side : {-1, 1}) {
        for (double s = kCorner; s < road.path.length() - kCorner;) s += lot(road, s, side);
        for (double s = 12.0; s < road.path.length() - 12.0;) s += parking_place(road, s, side);
        for (double s = 9.0; s < road.path.length() - 9.0;) s += sidewalk_item(road, s, side);
      }
    backyards();
    ground_.add_to(mesh, 70.0);
    return std::move(mesh);
  }

  std::vector<Mover> movers();

 private:
  static constexpr double kCorner = 10.0;  // [m] of a road that belong to the crossing
  Outskirts outskirts_;
  const Path& drive_;
  Plan plan_;

  bool claim(const Frame& T, double width, double depth, double front) {
    return plan_.claim(T, {-0.5 * width, -front}, {0.5 * width, depth},
                       [&](const Eigen::Vector2d& at) { return ground_.roads().clearance(at) > 2.0; });
  }

  /// What fills the next metres of a side; returns how many. Rows of houses are alike.
  double lot(const RoadNetwork::Road& road, double s, int side) {
    const int houses = random.chance(0.2) ? random.integer(3, 5) : 1;
    const double width = houses > 1 ? random.uniform(6.0, 9.0) : random.uniform(8.0, 16.0);
    const double setback = random.chance(0.3) ? random.uniform(2.6, 4.0) : random.uniform(5.0, 13.0);
    const double depth = random.uniform(7.0, 11.0), askew = houses > 1 ? 0.0 : random.uniform(-0.06, 0.06);
    const auto style = static_cast<std::uint64_t>(random.integer(1, 12));
    double used = 0.0;
    for (int k = 0; k < houses && s + used + width < road.path.length() - 6.0; ++k, used += width) {
      const Frame T = turned(beside(road, s + used + 0.5 * width, side, setback), askew);
      if (random.chance(houses > 1 ? 0.0 : 0.3) || !claim(T, width, depth, 0.3)) {
        open_lot(turned(beside(road, s + used + 0.5 * width, side, 3.0), askew), width);
        continue;
      }
      house(T, width, depth, style);
      if (setback > 4.5) garden(T, width, setback - 2.8);
    }
    return std::max(used, 6.0) + (random.chance(0.5) ? random.uniform(1.0, 6.0) : 0.0);
  }

  /// Trees, bushes and something along the sidewalk.
  void open_lot(const Frame& T, double width) {
    boundary(T, 0.8 * width);
    for (int i = random.integer(2, 5); i > 0; --i) {
      const double x = random.uniform(-0.5, 0.5) * width, y = random.uniform(1.0, 12.0);
      const Frame T_tree = frame(T, x, y, 0.0);
      if (claim(T_tree, 1.0, 0.5, 0.5)) tree(T_tree);
    }
  }

  double parking_place(const RoadNetwork::Road& road, double s, int side) {
    const double length = random.uniform(5.4, 7.5);
    if (random.chance(0.55)) return length;
    const double nose = random.chance(0.5) ? 0.0 : kPi, askew = random.uniform(-0.04, 0.04);
    const Frame T = turned(beside(road, s, side, -random.uniform(1.0, 1.2)), nose + askew);
    random.chance(0.07) ? parked_truck(T) : car(T);
    return length;
  }

  /// None where the drive passes, as where it cuts a corner: the sensor would be inside. Cars are lower than it.
  void parked_truck(const Frame& T) {
    constexpr double kClear = 0.5;  // [m]
    Mesh rest = std::exchange(mesh, {});
    truck(T);
    std::swap(rest, mesh);
    Eigen::AlignedBox2d plan;
    for (const Eigen::Vector3f& v : rest.vertices) plan.extend((T.inverse() * v.cast<double>()).head<2>().eval());
    const bool in_the_way = std::ranges::any_of(drive_.points(), [&](const Eigen::Vector2d& at) {
      const Eigen::Vector3d place(at.x(), at.y(), T.translation().z());
      return plan.exteriorDistance((T.inverse() * place).head<2>().eval()) < kClear;
    });
    if (!in_the_way) mesh.append(rest, Eigen::Isometry3d::Identity());
  }

  double sidewalk_item(const RoadNetwork::Road& road, double s, int side) {
    const Frame T = beside(road, s, side, random.uniform(0.5, 0.9));
    const double kind = random.uniform();
    if (kind < 0.3)
      tree(T);
    else if (kind < 0.5)
      pole(T);
    else if (kind < 0.7)
      sign(T);
    else
      street_furniture(T);
    return random.uniform(5.0, 18.0);
  }

  /// Trees, sheds and fences in the blocks between the streets.
  void backyards() {
    const Eigen::AlignedBox2d box = ground_.roads().bounds();
    const double area = (box.sizes().array() + 100.0).prod();  // [m^2]
    for (int i = 0; i < area / 75.0; ++i) {
      const double x = random.uniform(box.min().x() - 50.0, box.max().x() + 50.0);
      const Frame T = frame({x, random.uniform(box.min().y() - 50.0, box.max().y() + 50.0)}, random.uniform(0.0, kPi));
      if (outskirts_ == Outskirts::empty && ground_.roads().clearance(T.translation().head<2>()) >= RoadNetwork::kFar)
        continue;
      const double kind = random.uniform(), width = kind < 0.1 ? random.uniform(6.0, 12.0) : 2.0;
      if (!claim(T, width, kind < 0.1 ? 8.0 : 1.0, 1.0)) continue;
      if (kind < 0.1)
        house(T, width, 7.0, static_cast<std::uint64_t>(random.integer(1, 12)));
      else if (kind < 0.6)
        tree(T);
      else if (kind < 0.8)
        boundary(T, random.uniform(3.0, 10.0));
      else
        bush(T);
    }
  }
};

/// Cars at random on the streets, people on the sidewalks.
std::vector<Mover> TownBuilder::movers() {
  std::vector<Mover> movers;
  const RoadNetwork& network = ground_.roads();
  const int cars = static_cast<int>(network.roads.size()), people = 2 * cars;
  const auto any_road = [&]() -> const RoadNetwork::Road& {
    return network.roads[static_cast<std::size_t>(random.integer(0, static_cast<int>(network.roads.size()) - 1))];
  };
  for (int i = 0; i < cars + people; ++i) {
    const bool on_foot = i >= cars;
    const RoadNetwork::Road& road = any_road();
    const int side = random.chance(0.5) ? 1 : -1;
    const Path middle = side > 0 ? road.path.reversed() : road.path;
    mesh = {};
    on_foot ? person(Frame::Identity()) : car(Frame::Identity());
    const double right = on_foot ? road.half_width + random.uniform(1.0, 2.0) : random.uniform(1.4, 2.0);
    const double speed = on_foot ? random.uniform(0.8, 1.6) : random.uniform(5.0, 10.0);
    movers.push_back(
        {std::move(mesh), middle.beside(-right, on_foot ? 10.0 : 0.0), speed, random.uniform(0.0, middle.length())});
  }
  return movers;
}

std::vector<RoadNetwork::Stop> stops(const std::vector<std::array<double, 3>>& visits) {
  std::vector<RoadNetwork::Stop> result;
  for (const auto& [column, row, lane] : visits)
    result.push_back({crossing(static_cast<int>(column), static_cast<int>(row)), lane});
  return result;
}

// Column, row and lane. The first drives streets again in the same direction, on the neighbouring lane and the other
// way round, and crosses itself; the second comes back only the other way round.
const std::vector<std::array<double, 3>> kTown = {{0, 0, 1.7}, {1, 0, 1.7}, {2, 0, 1.7}, {2, 1, 1.7}, {1, 1, 1.7},
                                                  {0, 1, 1.7}, {0, 0, 1.7}, {1, 0, 5.4}, {2, 0, 1.7}, {3, 0, 1.7},
                                                  {3, 1, 1.7}, {2, 1, 1.7}, {1, 1, 1.7}, {1, 2, 1.7}, {2, 2, 1.7},
                                                  {2, 1, 1.7}, {2, 0, 1.7}, {1, 0, 1.7}, {1, 1, 1.7}, {2, 1, 1.7}};
const std::vector<std::array<double, 3>> kReverse = {{0, 0, 1.7}, {1, 0, 1.7}, {2, 0, 1.7}, {3, 0, 1.7}, {3, 1, 1.7},
                                                     {3, 2, 1.7}, {2, 2, 1.7}, {1, 2, 1.7}, {0, 2, 1.7}, {0, 1, 1.7},
                                                     {1, 1, 1.7}, {2, 1, 1.7}, {3, 1, 1.7}, {3, 0, 1.7}, {2, 0, 1.7},
                                                     {1, 0, 1.7}, {1, 1, 1.7}, {1, 2, 1.7}, {2, 2, 1.7}, {3, 2, 1.7}};

}  // namespace

World town_on(RoadNetwork roads, std::uint64_t seed, Outskirts outskirts, const Path& drive) {
  TerrainOptions terrain;
  terrain.seed = seed;
  World world{Ground(terrain, std::move(roads)), {}, {}, {}};
  TownBuilder builder(seed, world.ground, outskirts, drive);
  world.mesh = builder.build();
  world.movers = builder.movers();
  return world;
}

World make_town(std::uint64_t seed, bool only_reverse_loops) {
  RoadNetwork roads = town_roads(seed);
  const Path route = roads.route(stops(only_reverse_loops ? kReverse : kTown));
  World world = town_on(std::move(roads), seed, Outskirts::filled, route);
  DriveOptions options;
  options.seed = seed;
  world.drive = drive_along(route, world.ground, options);
  return world;
}

World make_street(std::uint64_t seed) {
  RoadNetwork network;
  network.crossings = {{-30.0, 0.0}, {230.0, 0.0}};
  Random random(seed, 1);
  const double width = random.uniform(4.5, 5.3);
  network.connect(0, 1, width, random.uniform(-12.0, 12.0));
  return town_on(std::move(network), seed, Outskirts::filled, {});
}

Eigen::Isometry3d street_pose(const World& street, double s_along, double left, double yaw) {
  Path::Place place = street.ground.roads().roads.front().path.at(s_along, left);
  place.heading += yaw;
  return standing_at(place, street.ground, DriveOptions().sensor_height_m);
}

}  // namespace parte::datasets
