#include <datasets/world/things.hpp>

#include <cmath>
#include <numbers>

namespace parte::datasets {
namespace {

constexpr double kSunk = -0.6;  // [m] how deep things reach into the ground

}  // namespace

Frame Things::frame(const Eigen::Vector2d& at, double yaw) const {
  Frame T = Frame::Identity();
  T.translation() << at, ground_.height(at);
  return turned(T, yaw);
}

Frame Things::frame(const Frame& T, double x, double y, double yaw) const {
  return frame(Eigen::Vector2d((T * Eigen::Vector3d(x, y, 0.0)).head<2>()), yaw + std::atan2(T(1, 0), T(0, 0)));
}

Frame Things::beside(const RoadNetwork::Road& road, double s, int side, double beyond) const {
  const Path::Place place = road.path.at(s, side * (road.half_width + beyond));
  return frame(place.at, place.heading + (side > 0 ? 0.0 : std::numbers::pi));
}

void Things::garden(const Frame& T, double width, double depth) {
  const double gap = random.uniform(-0.3, 0.3) * width, left = -0.5 * width;
  boundary(frame(T, 0.5 * (left + gap - 0.6), -depth, 0.0), gap - 0.6 - left);
  boundary(frame(T, 0.5 * (gap + 0.6 - left), -depth, 0.0), -left - gap - 0.6);
  if (random.chance(0.4)) tree(frame(T, random.uniform(left, -left), -0.5 * depth, 0.0));
  for (int i = random.integer(1, 6); i > 0; --i) {
    const double x = random.uniform(left, -left), y = -random.uniform(0.5, depth);
    bush(frame(T, x, y, 0.0));
  }
}

void Things::boundary(const Frame& T, double length) {
  const double half = 0.5 * length, height = random.uniform(0.7, 2.2), kind = random.uniform();
  if (half < 0.5) return;
  if (kind < 0.15)
    wall(T, half, height);
  else if (kind < 0.4)
    fence(T, half, height);
  else
    hedge(T, half, height);
}

void Things::wall(const Frame& T, double half, double height) {
  box(T, {-half, -0.12, kSunk}, {half, 0.12, height}, Surface::fence);
}

void Things::fence(const Frame& T, double half, double height) {
  for (double x = -half; x < half; x += random.uniform(1.2, 2.4))
    box(T, {x, -0.06, kSunk}, {x + 0.12, 0.06, height + 0.1}, Surface::fence);
  for (double z = 0.25; z < height; z += random.uniform(0.25, 0.4))
    box(T, {-half, -0.03, z}, {half, 0.03, z + 0.12}, Surface::fence);
}

void Things::hedge(const Frame& T, double half, double height) {
  foliage(T, {-half, -0.3, 0.1}, {half, 0.3, height}, static_cast<int>(half * height * 40.0), 0.25);
}

void Things::bush(const Frame& T) {
  const double reach = random.uniform(0.3, 0.8), height = random.uniform(0.5, 1.6);
  foliage(T, {-reach, -reach, 0.1}, {reach, reach, height}, static_cast<int>(50.0 * reach * height), 0.3);
}

void Things::tree(const Frame& T) {
  const double trunk = random.uniform(1.8, 3.0), reach = random.uniform(0.9, 2.2), crown = random.uniform(2.0, 5.0);
  cylinder(T, {0.0, 0.0, kSunk}, random.uniform(0.1, 0.28), trunk + 0.5 - kSunk, Surface::trunk);
  foliage(T, {-reach, -reach, trunk}, {reach, reach, trunk + crown}, static_cast<int>(22.0 * reach * crown), 0.4);
}

void Things::forest_tree(const Frame& T) {
  const double height = random.uniform(6.0, 16.0), bare = random.uniform(0.1, 0.5) * height;
  const double lean = random.uniform(-0.06, 0.06);
  const Frame T_tree = T * Eigen::AngleAxisd(lean, Eigen::Vector3d::UnitX());
  cylinder(T_tree, {0.0, 0.0, kSunk}, random.uniform(0.08, 0.3), height - kSunk, Surface::trunk);
  const double reach = random.uniform(0.7, 1.8);
  foliage(T_tree, {-reach, -reach, bare}, {reach, reach, height}, static_cast<int>(5.0 * reach * (height - bare)), 0.4);
}

void Things::pole(const Frame& T) {
  const double height = random.uniform(4.0, 8.0);
  cylinder(T, {0.0, 0.0, kSunk}, random.uniform(0.06, 0.15), height - kSunk, Surface::pole);
  box(T, {-0.08, -1.5, height - 0.15}, {0.08, 0.0, height}, Surface::pole);
}

void Things::sign(const Frame& T) {
  const double low = random.uniform(1.8, 2.2), half = random.uniform(0.2, 0.5);
  cylinder(T, {0.0, 0.0, kSunk}, 0.04, low + half - kSunk, Surface::pole);
  box(turned(T, random.uniform(0.8, 2.3)), {-half, -0.06, low}, {half, -0.03, low + 1.4 * half}, Surface::sign);
}

void Things::street_furniture(const Frame& T) {
  if (random.chance(0.5)) {
    const double radius = random.uniform(0.08, 0.35), height = random.uniform(0.8, 1.3);
    cylinder(T, {0.0, 0.0, kSunk}, radius, height - kSunk, Surface::furniture);
  } else {
    const double half = random.uniform(0.3, 0.9), depth = random.uniform(0.3, 0.5);
    box(T, {-half, 0.0, kSunk}, {half, depth, random.uniform(0.5, 1.6)}, Surface::furniture);
  }
}

void Things::car(const Frame& T) {
  const double half = 0.5 * random.uniform(3.7, 4.9), width = random.uniform(0.82, 0.95);
  const double hood = random.uniform(0.8, 1.0), roof = random.uniform(1.38, 1.65), boot = random.uniform(0.1, 0.9);
  extrude(T,
          {{-half, 0.3},
           {half, 0.3},
           {half, 0.65},
           {half - 0.2, hood - 0.1},
           {0.35 * half, hood},
           {0.1 * half, roof},
           {-half + boot, roof},
           {-half + 0.6 * boot, hood + 0.1},
           {-half, hood}},
          width, Surface::car);
  for (const double x : {-0.6 * half, 0.62 * half})
    for (const double y : {-width + 0.1, width - 0.1})
      box(T, {x - 0.3, y - 0.11, -0.1}, {x + 0.3, y + 0.11, 0.58}, Surface::car);
}

void Things::truck(const Frame& T) {
  const double half = random.uniform(3.0, 6.0), roof = random.uniform(2.4, 3.6);
  box(T, {-half, -1.2, 0.6}, {half - 2.0, 1.2, roof}, Surface::car);
  box(T, {half - 1.8, -1.1, 0.5}, {half, 1.1, 2.4}, Surface::car);
  for (const double x : {-0.7 * half, 0.7 * half}) box(T, {x - 0.5, -1.15, -0.1}, {x + 0.5, 1.15, 0.9}, Surface::car);
}

void Things::person(const Frame& T) {
  const double height = random.uniform(1.5, 1.9);
  for (const double y : {-0.12, 0.12}) cylinder(T, {0.1 * y, y, -0.05}, 0.09, 0.5 * height, Surface::person);
  cylinder(T, {0.0, 0.0, 0.47 * height}, 0.22, 0.38 * height, Surface::person);
  blob(T, {0.0, 0.0, 0.93 * height}, 0.11, Surface::person);
}

}  // namespace parte::datasets
