#include <datasets/builder.hpp>
#include <datasets/synthetic.hpp>

#include <numbers>
#include <utility>

namespace parte::datasets {
namespace {

using Frame = Eigen::Isometry3d;

constexpr double kPi = std::numbers::pi;
constexpr double kBegin = -60.0, kEnd = 260.0;  // [m] of the street, so that its scans never see the end of the world
constexpr double kSunk = -1.5;                  // [m] how deep things reach into the ground, which slopes

class StreetBuilder : SceneBuilder {
 public:
  explicit StreetBuilder(std::uint64_t seed) : SceneBuilder(seed) {}

  Scene build() {
    shape_ground();
    for (const int side : {-1, 1}) {
      for (double s = kBegin; s < kEnd;) s += lot(s, side);
      for (double s = kBegin + random.uniform(0.0, 6.0); s < kEnd;) s += parking_place(s, side);
      for (double s = kBegin + random.uniform(0.0, 9.0); s < kEnd;) s += sidewalk_item(s, side);
    }
    return std::move(scene);
  }

 private:
  void shape_ground() {
    Ground& ground = scene.ground;
    ground.slope = {random.uniform(-0.02, 0.02), random.uniform(-0.006, 0.006)};
    for (Ground::Wave& wave : ground.waves) {
      wave.frequency = {random.uniform(0.03, 0.09), random.uniform(-0.06, 0.06)};
      wave.phase = random.uniform(0.0, 2.0 * kPi);
      wave.amplitude = random.uniform(0.08, 0.2);
    }
    ground.center_line = {random.uniform(3.0, 7.0), 2.0 * kPi / random.uniform(150.0, 220.0),
                          random.uniform(0.0, 6.28)};
    ground.road_half_width = random.uniform(3.8, 5.5);
    ground.kerb_height = random.uniform(0.1, 0.16);
  }

  /// A frame beside the street that faces it: x along the street, y away from it, `beyond` [m] behind the kerb.
  Frame beside(double s, int side, double beyond) {
    const CenterLine& line = scene.ground.center_line;
    const double heading = line.heading(s);
    const double lateral = side * (scene.ground.road_half_width + beyond);
    const Eigen::Vector2d at(s - lateral * std::sin(heading), line.y(s) + lateral * std::cos(heading));
    return frame(at, heading + (side > 0 ? 0.0 : kPi));
  }

  /// What fills the next metres of a side; returns how many.
  double lot(double s, int side) {
    const double width = random.uniform(8.0, 17.0);
    const double setback = random.chance(0.4) ? random.uniform(2.4, 4.0) : random.uniform(4.5, 13.0);
    const Frame T = beside(s + 0.5 * width, side, setback) *
                    Eigen::AngleAxisd(random.uniform(-0.06, 0.06), Eigen::Vector3d::UnitZ());
    if (random.chance(0.18)) {
      side_street(T, width);
    } else {
      house(T, width);
      if (setback > 4.0) garden(T, width, setback - 2.4);
    }
    return width + (random.chance(0.35) ? random.uniform(1.0, 4.0) : 0.0);
  }

  void house(const Frame& T, double width) {
    const double left = -0.5 * width, recess = random.uniform(0.15, 0.4);
    const double height = random.uniform(4.5, 14.0), depth = random.uniform(7.0, 12.0);
    box(T, {left, recess, kSunk}, {-left, depth, height});
    box(T, {left - 0.15, -0.25, height}, {-left + 0.15, depth, height + random.uniform(0.2, 0.5)});
    const double sill = random.uniform(0.5, 1.1), lintel = sill + random.uniform(1.2, 1.8);
    box(T, {left, 0.0, kSunk}, {-left, recess, sill});
    box(T, {left, 0.0, lintel}, {-left, recess, lintel + random.uniform(0.8, 1.3)});
    for (double x = left; x < -left;) {
      const double pier = std::min(-left, x + random.uniform(0.4, 1.3));
      box(T, {x, random.chance(0.3) ? -0.12 : 0.0, kSunk}, {pier, recess, height});
      const double next = std::min(-left, pier + random.uniform(0.9, 2.6));
      if (next - pier > 0.8) bay(T, pier, next, sill, recess);
      x = next;
    }
    if (random.chance(0.7)) cylinder(T, {left + 0.2, -0.1, kSunk}, 0.06, height - kSunk);
  }

  /// What happens between two piers of a facade.
  void bay(const Frame& T, double left, double right, double sill, double recess) {
    const double kind = random.uniform();
    if (kind < 0.2) {  // a door: a panel, steps and a canopy
      box(T, {left, recess - 0.08, 0.0}, {right, recess, 2.1});
      const double reach = random.uniform(0.5, 1.1);
      box(T, {left - 0.2, -reach, kSunk}, {right + 0.2, 0.05, random.uniform(0.15, 0.35)});
      box(T, {left - 0.3, -reach - 0.2, 2.3}, {right + 0.3, 0.05, 2.3 + random.uniform(0.08, 0.3)});
    } else if (kind < 0.35) {  // an oriel
      box(T, {left - 0.1, -random.uniform(0.3, 0.9), sill - 0.3}, {right + 0.1, 0.05, 2.9});
    } else if (kind < 0.5) {  // a shutter
      box(T, {left, 0.03, sill}, {right, recess, 2.4});
    } else if (kind < 0.6) {  // a balcony over a shop's awning
      box(T, {left - 0.3, -random.uniform(0.8, 1.4), 2.9}, {right + 0.3, 0.05, 3.9});
    } else {
      box(T, {left - 0.1, -random.uniform(0.08, 0.25), sill - 0.12}, {right + 0.1, 0.05, sill});
    }
    if (random.chance(0.15))
      foliage(frame(T, 0.5 * (left + right), -0.4, 0.0), {-0.4, -0.1, 0.3}, {0.4, 0.1, 0.8}, 5, 0.25);
  }

  /// An opening with something across it at some depth, and walls or hedges along it.
  void side_street(const Frame& T, double width) {
    const double depth = random.uniform(10.0, 28.0), left = -0.5 * width;
    const Frame T_end = frame(T, 0.0, depth, random.uniform(-0.25, 0.25));
    box(T_end, {left - 4.0, 0.0, kSunk}, {-left + 4.0, 0.4, random.uniform(1.8, 6.0)});
    boundary(frame(T, left + 1.0, 0.5 * depth, 0.5 * kPi + random.uniform(-0.05, 0.05)), 0.8 * depth);
    boundary(frame(T, -left - 1.0, 0.6 * depth, 0.5 * kPi + random.uniform(-0.05, 0.05)), 0.5 * depth);
    if (random.chance(0.6)) car(frame(T, random.uniform(-2.0, 2.0), 0.3 * depth, 0.5 * kPi));
    if (random.chance(0.6)) tree(frame(T, random.uniform(left, -left), 0.7 * depth, 0.0));
  }

  void garden(const Frame& T, double width, double depth) {
    const double gap = random.uniform(-0.3, 0.3) * width, left = -0.5 * width;
    boundary(frame(T, 0.5 * (left + gap - 0.6), -depth, 0.0), gap - 0.6 - left);
    boundary(frame(T, 0.5 * (gap + 0.6 - left), -depth, 0.0), -left - gap - 0.6);
    if (random.chance(0.5)) tree(frame(T, random.uniform(left, -left), -0.5 * depth, 0.0));
    for (int i = random.integer(1, 7); i > 0; --i) {
      const double x = random.uniform(left, -left), y = -random.uniform(0.5, depth);
      foliage(frame(T, x, y, 0.0), {-0.5, -0.5, 0.1}, {0.5, 0.5, random.uniform(0.5, 1.4)}, 7, 0.4);
    }
  }

  /// A wall, a fence or a hedge of the given length, in the middle of the frame and along its x.
  void boundary(const Frame& T, double length) {
    const double half = 0.5 * length, height = random.uniform(0.7, 1.9), kind = random.uniform();
    if (half < 0.5) return;
    if (kind < 0.35) {
      box(T, {-half, -0.12, kSunk}, {half, 0.12, height});
    } else if (kind < 0.65) {
      fence(T, half, height);
    } else {
      foliage(T, {-half, -0.15, 0.2}, {half, 0.15, height}, static_cast<int>(length * 9.0), 0.35);
    }
  }

  void fence(const Frame& T, double half, double height) {
    for (double x = -half; x < half;) {
      box(T, {x, -0.06, kSunk}, {x + 0.12, 0.06, height + 0.1});
      x += random.uniform(1.2, 2.4);
    }
    for (double z = 0.25; z < height;) {
      box(T, {-half, -0.03, z}, {half, 0.03, z + 0.12});
      z += random.uniform(0.25, 0.4);
    }
  }

  double parking_place(double s, int side) {
    const double length = random.uniform(5.2, 7.0);
    if (random.chance(0.5)) return length;
    const double nose = random.chance(0.5) ? 0.0 : kPi, askew = random.uniform(-0.04, 0.04);
    car(frame(beside(s, side, -random.uniform(1.0, 1.3)), 0.0, 0.0, nose + askew));
    return length;
  }

  /// Its nose is at +x.
  void car(const Frame& T) {
    const bool van = random.chance(0.2);
    const double length = random.uniform(3.7, van ? 5.6 : 4.9), half = 0.5 * length, width = random.uniform(0.82, 0.95);
    const double hood = random.uniform(0.75, 1.0), roof = van ? random.uniform(1.9, 2.4) : random.uniform(1.35, 1.6);
    box(T, {-half, -width, 0.28}, {half, width, hood});
    const double front = half - (van ? 0.6 : random.uniform(1.1, 1.6)),
                 rear = -half + random.uniform(0.05, van ? 0.1 : 0.9);
    box(T, {rear, -0.88 * width, hood}, {front, 0.88 * width, roof});
    for (const double x : {-0.6 * half, 0.62 * half})
      for (const double y : {-width + 0.1, width - 0.1}) box(T, {x - 0.3, y - 0.1, -0.1}, {x + 0.3, y + 0.1, 0.6});
  }

  double sidewalk_item(double s, int side) {
    const Frame T = beside(s, side, random.uniform(0.6, 1.2));
    const double kind = random.uniform();
    if (kind < 0.35) {
      tree(T);
    } else if (kind < 0.65) {
      pole(T);
    } else if (kind < 0.8) {  // a bin or a bollard
      const double radius = random.uniform(0.08, 0.35), height = random.uniform(0.8, 1.3);
      cylinder(T, {0.0, 0.0, kSunk}, radius, height - kSunk);
    } else {  // a cabinet or a bench
      const double half = random.uniform(0.3, 0.9);
      box(T, {-half, 0.0, kSunk}, {half, random.uniform(0.3, 0.5), random.uniform(0.5, 1.6)});
    }
    return random.uniform(4.0, 14.0);
  }

  void pole(const Frame& T) {
    const double height = random.uniform(2.4, 8.0);
    cylinder(T, {0.0, 0.0, kSunk}, random.uniform(0.05, 0.15), height - kSunk);
    if (random.chance(0.5)) {
      const double low = random.uniform(1.8, 2.2), half = random.uniform(0.2, 0.5);
      box(T * Eigen::AngleAxisd(random.uniform(-0.5, 2.0), Eigen::Vector3d::UnitZ()), {-half, -0.03, low},
          {half, 0.03, low + 1.4 * half});
    }
    box(T, {-0.08, -1.5, height - 0.15}, {0.08, 0.0, height});
  }

  void tree(const Frame& T) {
    const double trunk = random.uniform(2.0, 3.0), reach = random.uniform(0.8, 1.6), crown = random.uniform(1.8, 4.0);
    cylinder(T, {0.0, 0.0, kSunk}, random.uniform(0.1, 0.28), trunk + 0.5 - kSunk);
    foliage(T, {-reach, -reach, trunk}, {reach, reach, trunk + crown}, random.integer(25, 45), 0.45);
  }
};

}  // namespace

Scene make_street(std::uint64_t seed) { return StreetBuilder(seed).build(); }

}  // namespace parte::datasets
