#include <datasets/world/builder.hpp>
#include <datasets/world/presets.hpp>
#include <datasets/world/synthetic.hpp>

#include <cmath>
#include <numbers>
#include <utility>

namespace parte::datasets {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kLength = 6.0, kWidth = 5.0, kHeight = 3.0;  // [m]

class RoomBuilder : MeshBuilder {
 public:
  explicit RoomBuilder(std::uint64_t seed) : MeshBuilder(seed) {}

  Mesh build() {
    box(Frame::Identity(), {-0.3, -0.3, -0.2}, {kLength + 0.3, kWidth + 0.3, 0.0}, Surface::furniture);
    walls();
    shelf(against_wall(0, 0.28));
    desk(against_wall(1, 0.6));
    sofa(against_wall(2, 0.3));
    cupboard(against_wall(3, 0.65));
    const double turn = random.uniform(0.0, kPi);
    table(frame({random.uniform(2.4, 3.6), random.uniform(2.0, 3.0)}, turn));
    lamp(frame({random.uniform(0.4, 0.7), random.uniform(0.4, 0.7)}, 0.0));
    plant(frame({kLength - random.uniform(0.4, 0.7), kWidth - random.uniform(0.4, 0.7)}, 0.0));
    return std::move(mesh);
  }

 private:
  static Frame frame(const Eigen::Vector2d& at, double yaw) {
    return turned(Frame(Eigen::Translation3d(at.x(), at.y(), 0.0)), yaw);
  }
  static Frame frame(const Frame& T, double x, double y, double yaw) {
    return turned(T * Eigen::Translation3d(x, y, 0.0), yaw);
  }
  /// A frame at the foot of a wall, `where` (0 to 1) along it, whose y points into the wall.
  Frame against_wall(int wall, double where) {
    const double along = where + random.uniform(-0.06, 0.06);
    switch (wall) {
      case 0:
        return frame({along * kLength, kWidth}, 0.0);
      case 1:
        return frame({kLength, along * kWidth}, -0.5 * kPi);
      case 2:
        return frame({along * kLength, 0.0}, kPi);
      default:
        return frame({0.0, along * kWidth}, 0.5 * kPi);
    }
  }

  /// Walls with a window each, a door, skirting, beams and radiators.
  void walls() {
    const Frame origin = Frame::Identity();
    box(origin, {-0.3, -0.3, kHeight}, {kLength + 0.3, kWidth + 0.3, kHeight + 0.3}, Surface::furniture);
    const double beam = random.uniform(1.5, 2.5);
    box(origin, {beam, 0.0, kHeight - 0.25}, {beam + random.uniform(0.2, 0.5), kWidth, kHeight}, Surface::furniture);
    for (int wall = 0; wall < 4; ++wall) {
      const double half = 0.5 * (wall % 2 == 0 ? kLength : kWidth);
      const Frame T = against_wall(wall, 0.5);
      box(T, {-half - 1.0, 0.12, -0.1}, {half + 1.0, 0.3, kHeight}, Surface::furniture);
      const double left = random.uniform(-0.8, 0.2) * half, right = left + random.uniform(0.9, 1.5);
      const double sill = wall == 2 ? 0.0 : random.uniform(0.8, 1.1), lintel = random.uniform(2.0, 2.4);
      box(T, {-half - 1.0, 0.0, -0.1}, {left, 0.15, kHeight}, Surface::furniture);
      box(T, {right, 0.0, -0.1}, {half + 1.0, 0.15, kHeight}, Surface::furniture);
      box(T, {left, 0.0, lintel}, {right, 0.15, kHeight}, Surface::furniture);
      // A window has a broad sill, the door a leaf.
      box(T, {left, sill > 0.0 ? -0.12 : 0.08, -0.1}, {right, 0.15, sill > 0.0 ? sill : lintel}, Surface::furniture);
      picture(T, random.uniform(-0.8, 0.8) * half);
    }
  }

  void picture(const Frame& T, double x) {
    const double z = random.uniform(1.3, 1.7), half = random.uniform(0.2, 0.4);
    box(T, {x - half, -0.05, z}, {x + half, 0.02, z + random.uniform(0.3, 0.6)}, Surface::furniture);
  }

  /// Boards, and books of all sizes on them.
  void shelf(const Frame& T) {
    const double half = random.uniform(0.6, 0.95), depth = random.uniform(0.28, 0.38),
                 height = random.uniform(1.7, 2.2);
    for (const double x : {-half, half - 0.03}) box(T, {x, -depth, 0.0}, {x + 0.03, 0.0, height}, Surface::furniture);
    for (double z = 0.1; z < height;) {
      box(T, {-half, -depth, z}, {half, 0.0, z + 0.03}, Surface::furniture);
      for (double x = -half + 0.05; x < half - 0.2;) x += book(T * Eigen::Translation3d(x, -depth, z), depth);
      z += random.uniform(0.32, 0.42);
    }
  }

  /// A book, or a gap; returns how much room it takes.
  double book(const Frame& T, double depth) {
    const double front = random.uniform(0.0, 0.15), height = random.uniform(0.15, 0.3),
                 width = random.uniform(0.03, 0.08);
    if (random.chance(0.8)) box(T, {0.0, front, 0.0}, {width, depth, height}, Surface::furniture);
    return width + random.uniform(0.0, 0.1);
  }

  void desk(const Frame& T) {
    const double half = random.uniform(0.6, 0.9), depth = random.uniform(0.65, 0.8), height = random.uniform(0.7, 0.78);
    box(T, {-half, -depth, height}, {half, 0.0, height + 0.04}, Surface::furniture);
    box(T, {-half, -depth + 0.05, 0.0}, {-half + random.uniform(0.3, 0.45), 0.0, height}, Surface::furniture);
    box(T, {half - 0.06, -depth + 0.05, 0.0}, {half, 0.0, height}, Surface::furniture);
    box(T * Eigen::AngleAxisd(random.uniform(-0.3, 0.3), Eigen::Vector3d::UnitZ()), {-0.28, -0.3, height + 0.12},
        {0.28, -0.26, height + 0.5}, Surface::furniture);
    clutter(T, half, depth, height + 0.04);
    chair(frame(T, 0.1, -depth - random.uniform(0.1, 0.3), 0.0));
  }

  void clutter(const Frame& T, double half, double depth, double height) {
    for (int i = 0; i < 6; ++i) {
      const double x = random.uniform(-half + 0.1, half - 0.1), y = -random.uniform(0.1, depth - 0.1);
      const double size = random.uniform(0.04, 0.12);
      if (random.chance(0.4)) {
        blob(T, {x, y, height + 0.5 * size}, size, Surface::furniture);
      } else {
        box(T, {x - size, y - 0.08, height}, {x + size, y + 0.07, height + random.uniform(0.03, 0.25)},
            Surface::furniture);
      }
    }
  }

  void chair(const Frame& T) {
    const double seat = random.uniform(0.42, 0.5), back = random.uniform(0.85, 1.05);
    box(T, {-0.22, -0.22, seat - 0.05}, {0.22, 0.22, seat}, Surface::furniture);
    box(T, {-0.22, -0.25, seat}, {0.22, -0.2, back}, Surface::furniture);
    for (const double x : {-0.2, 0.2})
      for (const double y : {-0.2, 0.2}) cylinder(T, {x, y, 0.0}, 0.025, seat, Surface::furniture);
  }

  void sofa(const Frame& T) {
    const double half = random.uniform(0.8, 1.1), depth = random.uniform(0.8, 0.95), seat = random.uniform(0.38, 0.45);
    box(T, {-half, -depth, 0.05}, {half, 0.0, seat}, Surface::furniture);
    box(T, {-half, -0.25, seat}, {half, 0.0, random.uniform(0.75, 0.9)}, Surface::furniture);
    for (const double x : {-half - 0.18, half})
      box(T, {x, -depth, 0.05}, {x + 0.18, 0.0, seat + 0.2}, Surface::furniture);
    for (int i = 0; i < 4; ++i) {
      const double x = random.uniform(-half, half), y = -random.uniform(0.3, 0.5);
      blob(T, {x, y, seat + 0.12}, random.uniform(0.14, 0.22), Surface::furniture);
    }
  }

  void cupboard(const Frame& T) {
    const double half = random.uniform(0.4, 0.7), depth = random.uniform(0.4, 0.6), height = random.uniform(1.0, 2.0);
    box(T, {-half, -depth, 0.0}, {half, 0.0, height}, Surface::furniture);
    box(T, {0.02, -depth - 0.02, 0.1}, {half - 0.03, -depth, height - 0.05}, Surface::furniture);
    clutter(T, half, depth, height);
  }

  void table(const Frame& T) {
    const double half = random.uniform(0.45, 0.8), depth = random.uniform(0.4, 0.5), height = random.uniform(0.5, 0.76);
    box(T, {-half, -depth, height - 0.04}, {half, depth, height}, Surface::furniture);
    for (const double x : {-half + 0.06, half - 0.06})
      for (const double y : {-depth + 0.06, depth - 0.06})
        cylinder(T, {x, y, 0.0}, 0.035, height - 0.02, Surface::furniture);
    clutter(T * Eigen::Translation3d(0.0, depth, 0.0), half, 2.0 * depth, height);
    chair(frame(T, random.uniform(-0.3, 0.3), -depth - 0.25, 0.0));
    chair(frame(T, half + 0.3, 0.0, 0.5 * kPi + random.uniform(-0.5, 0.5)));
  }

  void lamp(const Frame& T) {
    const double height = random.uniform(1.4, 1.7);
    cylinder(T, {0.0, 0.0, 0.0}, 0.16, 0.04, Surface::furniture);
    cylinder(T, {0.0, 0.0, 0.0}, 0.02, height, Surface::furniture);
    cylinder(T, {0.0, 0.0, height - 0.1}, random.uniform(0.15, 0.22), 0.28, Surface::furniture);
  }

  void plant(const Frame& T) {
    const double pot = random.uniform(0.25, 0.4);
    cylinder(T, {0.0, 0.0, 0.0}, random.uniform(0.14, 0.2), pot, Surface::furniture);
    foliage(T, {-0.25, -0.25, pot}, {0.25, 0.25, pot + random.uniform(0.5, 1.0)}, 25, 0.1);
  }
};

}  // namespace

Mesh make_room(std::uint64_t seed) { return RoomBuilder(seed).build(); }

IndoorWorld make_indoor(std::uint64_t seed) {
  constexpr int kRooms = 4, kViews = 25;
  Random random(seed, 3);
  IndoorWorld world;
  for (int room = 0; room < kRooms; ++room) {
    const Frame T = Frame(Eigen::Translation3d((kLength + 1.0) * room, 0.0, 0.0));
    world.mesh.append(make_room(100 * seed + static_cast<std::uint64_t>(room)), T);
    for (int k = 0; k < kViews; ++k) {
      const double angle = 4.0 * kPi * k / kViews;  // twice around
      const Eigen::Vector3d eye(0.5 * kLength - 0.9 * std::cos(angle), 0.5 * kWidth - 0.7 * std::sin(angle),
                                1.5 + random.uniform(-0.2, 0.2));
      const double tilt = random.uniform(-0.9, -0.3), aside = random.uniform(-0.5, 0.5);
      const Eigen::Vector3d ahead(2.0 * std::cos(angle + aside), 2.0 * std::sin(angle + aside), tilt);
      world.poses.emplace_back(T * look_at(eye, eye + ahead));
    }
  }
  return world;
}

}  // namespace parte::datasets
