#pragma once

#include <datasets/sequence.hpp>

#include <filesystem>
#include <string>

namespace parte::datasets {

/// The points of a PCD file's content (version 0.6 or 0.7; ascii, binary or binary_compressed) in the coordinates of
/// the file: its VIEWPOINT is checked and not applied. `path` is for messages only. Throws IoError, also for anything
/// but single floats beyond 100 km, which single precision would blur by centimetres.
[[nodiscard]] Points parse_pcd(const std::string& bytes, const std::filesystem::path& path);

}  // namespace parte::datasets
