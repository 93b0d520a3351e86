#pragma once

#include <datasets/world/builder.hpp>
#include <datasets/world/ground.hpp>

namespace parte::datasets {

/// What stands beside roads. A thing's frame is on the ground; things reach a little into it, since it slopes.
class Things : public MeshBuilder {
 public:
  Things(std::uint64_t seed, const Ground& ground) : MeshBuilder(seed), ground_(ground) {}

 protected:
  const Ground& ground_;

  /// A frame on the ground, turned by `yaw` [rad].
  [[nodiscard]] Frame frame(const Eigen::Vector2d& at, double yaw) const;
  /// A frame on the ground at (x, y) of another one, turned by `yaw` [rad] from it.
  [[nodiscard]] Frame frame(const Frame& T, double x, double y, double yaw) const;
  /// A frame `beyond` [m] behind the kerb that faces the road; `side` is 1 (left) or -1.
  [[nodiscard]] Frame beside(const RoadNetwork::Road& road, double s, int side, double beyond) const;

  /// Houses of one style and width are alike, stone for stone.
  void house(const Frame& T, double width, double depth, std::uint64_t style);
  void garden(const Frame& T, double width, double depth);
  /// A wall, a fence or a hedge of the given length, in the middle of the frame and along its x.
  void boundary(const Frame& T, double length);
  void wall(const Frame& T, double half, double height);
  void fence(const Frame& T, double half, double height);
  void hedge(const Frame& T, double half, double height);
  void bush(const Frame& T);
  void tree(const Frame& T);
  /// Tall, with a bare trunk.
  void forest_tree(const Frame& T);
  void pole(const Frame& T);
  void sign(const Frame& T);
  /// A bin, a bollard, a cabinet or a bench.
  void street_furniture(const Frame& T);
  /// Its nose is at +x.
  void car(const Frame& T);
  void truck(const Frame& T);
  void person(const Frame& T);

 private:
  struct HouseStyle;
  void facade(const Frame& T, double width, double height, const HouseStyle& style, Random& draw);
  void bay(const Frame& T, double left, double right, const HouseStyle& style, Random& draw);
  void roof(const Frame& T, double width, double depth, double height, double rise);
};

}  // namespace parte::datasets
