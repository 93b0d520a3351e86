#pragma once

#include <datasets/world/drive.hpp>
#include <datasets/world/mesh.hpp>

#include <string_view>

namespace parte::datasets {

enum class Preset {
  town,             ///< like KITTI 00: streets revisited in both directions, on another lane, and across
  reverse,          ///< like KITTI 08: streets revisited only the other way round
  highway,          ///< like KITTI 01: almost no structure
  forest,           ///< like ETH: a trail among trees, few planes
  indoor,           ///< like 3DMatch: furnished rooms seen by a depth camera
  circuit,          ///< like KITTI 07 and 09: one stretch of a town is revisited, at the end
  circuit_reverse,  ///< the same town, and the stretch is revisited the other way round
  ambiguous,        ///< streets of equal houses and parking decks, none of which is revisited: every loop is wrong
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

/// What there is to scan, and the drive to scan it from. Depends on what make_world is given alone.
struct World {
  Ground ground;
  Mesh mesh;  ///< all that stands still
  std::vector<Mover> movers;
  Drive drive;
};

inline constexpr double kDriveLength = 1500.0;  // [m]
/// Not for Preset::indoor, which has no drive: see make_indoor() in synthetic.hpp. `length_m`, 1000 to 4000, is about
/// that of the drive of circuit, circuit_reverse and ambiguous; the others have a length of their own.
[[nodiscard]] World make_world(Preset preset, std::uint64_t seed, double length_m = kDriveLength);

}  // namespace parte::datasets
