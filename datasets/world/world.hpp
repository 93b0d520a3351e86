#pragma once

#include <datasets/world/drive.hpp>
#include <datasets/world/mesh.hpp>

#include <string_view>

namespace parte::datasets {

enum class Preset {
  town,     ///< like KITTI 00: streets revisited in both directions, on another lane, and across
  reverse,  ///< like KITTI 08: streets revisited only the other way round
  highway,  ///< like KITTI 01: almost no structure
  forest,   ///< like ETH: a trail among trees, few planes
  indoor,   ///< like 3DMatch: furnished rooms seen by a depth camera
};
[[nodiscard]] std::string_view to_string(Preset preset);
/// Throws std::invalid_argument naming the presets.
[[nodiscard]] Preset preset_named(std::string_view name);

/// A car or a person that goes along a path, over and over.
struct Mover {
  Mesh mesh;  ///< x ahead, on the ground
  Path path;
  double speed_mps, start_m;
};

/// What there is to scan, and the drive to scan it from. Depends on the preset and the seed alone.
struct World {
  Ground ground;
  Mesh mesh;  ///< all that stands still
  std::vector<Mover> movers;
  Drive drive;
};

/// Not for Preset::indoor, which has no drive: see make_indoor() in synthetic.hpp.
[[nodiscard]] World make_world(Preset preset, std::uint64_t seed);

}  // namespace parte::datasets
