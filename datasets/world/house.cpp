#include <datasets/world/things.hpp>

#include <algorithm>
#include <numbers>

namespace parte::datasets {
namespace {

constexpr double kSunk = -1.5;  // [m] how deep houses reach into the ground

}  // namespace

struct Things::HouseStyle {
  double storey, sill, lintel, recess;  ///< [m]
  double pier, window;                  ///< [m] width of the wall between windows, and of a window
  double protruding;                    ///< part of the piers that stand out
  int storeys;

  explicit HouseStyle(Random& draw)
      : storey(draw.uniform(2.7, 3.4)),
        sill(draw.uniform(0.5, 1.1)),
        lintel(sill + draw.uniform(1.1, 1.6)),
        recess(draw.uniform(0.12, 0.35)),
        pier(draw.uniform(0.5, 1.6)),
        window(draw.uniform(0.9, 2.4)),
        protruding(draw.uniform(0.0, 0.5)),
        storeys(draw.integer(1, 4)) {}
};

void Things::house(const Frame& T, double width, double depth, std::uint64_t style_seed) {
  Random draw(style_seed, 17);
  const HouseStyle style(draw);
  const double left = -0.5 * width, height = style.storeys * style.storey + draw.uniform(0.3, 0.8);
  box(T, {left, style.recess, kSunk}, {-left, depth, height}, Surface::building);
  facade(T, width, height, style, draw);
  const Frame T_side = turned(T * Eigen::Translation3d(-left, 0.5 * depth, 0.0), 0.5 * std::numbers::pi);
  if (draw.chance(0.6)) bay(T_side, -0.8, 0.8, style, draw);
  roof(T, width, depth, height, draw.uniform(0.3, 3.5));
  if (draw.chance(0.7)) cylinder(T, {left + 0.2, -0.1, kSunk}, 0.06, height - kSunk, Surface::building);  // a drainpipe
}

void Things::facade(const Frame& T, double width, double height, const HouseStyle& style, Random& draw) {
  const double left = -0.5 * width;
  double low = kSunk;
  for (int k = 0; k < style.storeys; ++k) {  // bands of wall between rows of windows
    box(T, {left, 0.0, low}, {-left, style.recess, k * style.storey + style.sill}, Surface::building);
    low = k * style.storey + style.lintel;
  }
  box(T, {left, 0.0, low}, {-left, style.recess, height}, Surface::building);
  for (double x = left; x < -left;) {
    const double pier = std::min(-left, x + style.pier * draw.uniform(0.8, 1.3));
    box(T, {x, draw.chance(style.protruding) ? -0.12 : 0.0, kSunk}, {pier, style.recess, height}, Surface::building);
    const double next = std::min(-left, pier + style.window * draw.uniform(0.8, 1.3));
    if (next - pier > 0.6) bay(T, pier, next, style, draw);
    x = next;
  }
}

/// What happens between two piers.
void Things::bay(const Frame& T, double left, double right, const HouseStyle& style, Random& draw) {
  for (int k = 0; k < style.storeys; ++k) {
    const double floor = k * style.storey, glass = style.recess - 0.02;
    box(T, {left, glass, floor + style.sill}, {right, style.recess, floor + style.lintel},
        draw.chance(0.35) ? Surface::building : Surface::window);  // some shutters are closed
    if (k > 0 && draw.chance(0.15)) {                              // a balcony
      const double reach = draw.uniform(0.8, 1.4);
      box(T, {left - 0.3, -reach, floor - 0.15}, {right + 0.3, 0.05, floor}, Surface::building);
      box(T, {left - 0.3, -reach, floor}, {right + 0.3, -reach + 0.04, floor + 0.9}, Surface::building);
    }
  }
  const double kind = draw.uniform(), reach = draw.uniform(0.5, 1.1);
  if (kind < 0.2) {  // a door with steps and a canopy
    box(T, {left, style.recess - 0.08, 0.0}, {right, style.recess, 2.1}, Surface::building);
    box(T, {left - 0.2, -reach, kSunk}, {right + 0.2, 0.05, draw.uniform(0.15, 0.35)}, Surface::building);
    box(T, {left - 0.3, -reach - 0.2, 2.3}, {right + 0.3, 0.05, 2.4}, Surface::building);
  } else if (kind < 0.32) {  // an oriel
    box(T, {left - 0.1, -0.8 * reach, style.sill - 0.3}, {right + 0.1, 0.05, 2.9}, Surface::building);
  } else {  // a window sill
    box(T, {left - 0.1, -0.2 * reach, style.sill - 0.12}, {right + 0.1, 0.05, style.sill}, Surface::building);
  }
}

/// Gabled, its ridge along the front, with eaves.
void Things::roof(const Frame& T, double width, double depth, double height, double rise) {
  const Frame T_side = turned(T * Eigen::Translation3d(0.0, 0.5 * depth, height), 0.5 * std::numbers::pi);
  const double half = 0.5 * depth + 0.4;
  extrude(T_side, {{-half, -0.1}, {half, -0.1}, {half, 0.1}, {0.0, rise}, {-half, 0.1}}, 0.5 * width + 0.2,
          Surface::building);
}

}  // namespace parte::datasets
