#pragma once

#include <parte/voxel_size.hpp>

#include <string>

namespace parte::apps {

[[nodiscard]] const char* name_of(Sensor sensor);
[[nodiscard]] const char* name_of(VoxelReason reason);
/// Why it is this voxel size, for people.
[[nodiscard]] std::string explanation(const VoxelChoice& choice, Sensor sensor);
/// A size that no sensor of the kind sees is more likely a unit other than metres. Empty if there is nothing to say.
[[nodiscard]] std::string unit_warning(const VoxelChoice& choice, Sensor sensor);

}  // namespace parte::apps
