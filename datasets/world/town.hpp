#pragma once

#include <datasets/world/world.hpp>

namespace parte::datasets {

/// What fills the land that lies farther than RoadNetwork::kFar from any road: trees and sheds, or nothing.
enum class Outskirts { filled, empty };

/// Ground, houses and traffic along the roads of a town. The drive is left to the caller; its path is kept clear.
[[nodiscard]] World town_on(RoadNetwork roads, std::uint64_t seed, Outskirts outskirts, const Path& drive);

}  // namespace parte::datasets
