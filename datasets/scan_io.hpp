#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <vector>

namespace parte::datasets {

/// The points of a scan in the order of the file; its extension decides how it is read:
///   .bin  KITTI: float32 x y z intensity, little endian, nothing else
///   .ply  ascii or binary of either endianness; element "vertex" with float or double x, y and z
///   .csv  a heading with the columns x, y and z, then numbers, as ETH's Hokuyo_N.csv
/// Values that are not finite stay, since only the user knows what they mean. Throws IoError.
[[nodiscard]] std::vector<Eigen::Vector3f> read_scan(const std::filesystem::path& path);

/// Binary little endian, float x y z. A file of that name is replaced at once or not at all. Throws IoError.
void write_ply(const std::filesystem::path& path, const std::vector<Eigen::Vector3f>& points);

}  // namespace parte::datasets
