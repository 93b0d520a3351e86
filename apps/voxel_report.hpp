#pragma once

#include <parte/voxel_size.hpp>

#include <functional>

#include <string>

namespace parte::apps {

[[nodiscard]] const char* name_of(Sensor sensor);
[[nodiscard]] const char* name_of(VoxelReason reason);
/// Why it is this voxel size, for people.
[[nodiscard]] std::string explanation(const VoxelChoice& choice, Sensor sensor);
/// A size that no sensor of the kind sees is more likely a unit other than metres. Empty if there is nothing to say.
[[nodiscard]] std::string unit_warning(const VoxelChoice& choice, Sensor sensor);

/// One voxel size for the scans of a drive [m]: the median of those that choose_voxel has for seven of them, evenly
/// spread.
[[nodiscard]] double automatic_voxel(std::size_t scans,
                                     const std::function<std::vector<Eigen::Vector3f>(std::size_t)>& read,
                                     Sensor sensor);

}  // namespace parte::apps
