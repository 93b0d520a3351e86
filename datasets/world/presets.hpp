#pragma once

#include <datasets/world/world.hpp>

namespace parte::datasets {

[[nodiscard]] World make_town(std::uint64_t seed, bool only_reverse_loops);
/// Comes back to one stretch of 35 to 50 m at its end: in the direction of the first time, or in the other.
[[nodiscard]] World make_circuit(std::uint64_t seed, double length_m, bool reverse);
/// Comes back to no place, though many look alike.
[[nodiscard]] World make_ambiguous(std::uint64_t seed, double length_m);
[[nodiscard]] World make_highway(std::uint64_t seed);
[[nodiscard]] World make_forest(std::uint64_t seed);

/// One street of a town, 200 m from s = 0 and a little more at both ends, without a drive: quick to make.
[[nodiscard]] World make_street(std::uint64_t seed);
/// Where a LiDAR on a car stands: `s_along` [m] along the street, `left` [m] of its middle, turned by `yaw` [rad].
[[nodiscard]] Eigen::Isometry3d street_pose(const World& street, double s_along, double left, double yaw);

/// A furnished room, 6 m by 5 m by 3 m, with a corner at the origin.
[[nodiscard]] Mesh make_room(std::uint64_t seed);

}  // namespace parte::datasets
