#pragma once

#include <datasets/world/mesh.hpp>
#include <datasets/world/roads.hpp>

#include <cstdint>

namespace parte::datasets {

struct TerrainOptions {
  double hill_height_m = 3.0, hill_length_m = 160.0;
  double roughness_m = 0.05;    ///< off the roads, over about a metre
  double kerb_height_m = 0.12;  ///< 0: no sidewalks
  double sidewalk_width_m = 2.4;
  std::uint64_t seed = 0;
};

/// Hills, rough soil, and roads with kerbs and sidewalks.
class Ground {
 public:
  Ground(const TerrainOptions& options, RoadNetwork roads);

  [[nodiscard]] const RoadNetwork& roads() const { return roads_; }
  [[nodiscard]] double height(const Eigen::Vector2d& at) const;
  /// The same without kerbs and roughness: what a car that cuts a corner feels of it.
  [[nodiscard]] double road_height(const Eigen::Vector2d& at) const;
  /// Upward, of the road over the footprint of a car.
  [[nodiscard]] Eigen::Vector3d normal(const Eigen::Vector2d& at) const;
  /// Fine near the roads, coarse elsewhere; reaches `margin` [m] beyond the roads.
  void add_to(Mesh& mesh, double margin) const;

 private:
  void add_tile(Mesh& mesh, const Eigen::Vector2d& low, double edge, int pieces) const;
  [[nodiscard]] Surface surface(double clearance) const;

  TerrainOptions options_;
  RoadNetwork roads_;
};

}  // namespace parte::datasets
