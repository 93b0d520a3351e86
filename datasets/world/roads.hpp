#pragma once

#include <datasets/world/path.hpp>

#include <Eigen/Geometry>
#include <cstddef>

namespace parte::datasets {

/// Roads between crossings.
class RoadNetwork {
 public:
  struct Road {
    std::size_t from, to;  ///< crossings
    Path path;
    double half_width;  ///< [m]
  };
  /// A crossing to drive to, on a lane `lane` [m] to the right of the middle of the road that leads there.
  struct Stop {
    std::size_t crossing;
    double lane;
  };

  std::vector<Eigen::Vector2d> crossings;
  std::vector<Road> roads;

  /// Bent by `bend` [m] to the left in its middle.
  void connect(std::size_t from, std::size_t to, double half_width, double bend);
  /// Distance to the nearest kerb [m]: negative on a road, at most `kFar` off it. Call `index` first.
  [[nodiscard]] double clearance(const Eigen::Vector2d& at) const;
  static constexpr double kFar = 30.0;
  /// Makes clearance fast; to be called after the last road was added.
  void index();
  [[nodiscard]] Eigen::AlignedBox2d bounds() const;
  /// The way of a car from the first stop to the last, its corners rounded. Consecutive stops must be connected.
  [[nodiscard]] Path route(const std::vector<Stop>& stops) const;

 private:
  struct Segment {
    Eigen::Vector2d a, b;
    double half_width;
  };
  static constexpr double kCell = 10.0;
  [[nodiscard]] Eigen::Array2i cell_of(const Eigen::Vector2d& at) const;
  [[nodiscard]] Path directed(std::size_t from, std::size_t to) const;

  Eigen::Vector2d corner_ = Eigen::Vector2d::Zero();
  Eigen::Array2i count_ = Eigen::Array2i::Zero();
  std::vector<std::vector<Segment>> cells_;  ///< what may be nearest to a place within the cell
};

}  // namespace parte::datasets
