#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <string>
#include <vector>

namespace parte::datasets {

/// The vertices of a PLY file's content; `path` is for messages only. Throws IoError, also for doubles beyond
/// 100 km, which single precision would blur by centimetres.
[[nodiscard]] std::vector<Eigen::Vector3f> parse_ply(const std::string& bytes, const std::filesystem::path& path);

}  // namespace parte::datasets
