#pragma once

#include <datasets/sequence.hpp>

#include <filesystem>
#include <span>
#include <string>

namespace parte::datasets {

/// The points of a scan in the order of the file; its extension decides how it is read:
///   .bin              KITTI: float32 x y z intensity, little endian, nothing else
///   .ply              ascii or binary of either endianness; element "vertex" with float or double x, y and z
///   .pcd              version 0.6 or 0.7; ascii, binary or binary_compressed with fields x, y and z
///   .xyz, .txt, .csv  text, x y z first or named by a header line
/// Values that are not finite stay, since only the user knows what they mean. Throws IoError.
[[nodiscard]] Points read_scan(const std::filesystem::path& path);

/// Whether read_scan knows the extension.
[[nodiscard]] bool is_scan_file(const std::filesystem::path& path);

/// The points of a KITTI scan's content; `path` is for messages only. Throws IoError.
[[nodiscard]] Points parse_bin(const std::string& bytes, const std::filesystem::path& path);

/// Binary little endian, float x y z. A file of that name is replaced at once or not at all. Throws IoError.
void write_ply(const std::filesystem::path& path, const Points& points);

/// KITTI's .bin, with one intensity per point, or 0 where there are none; any other number of them is an
/// std::invalid_argument. A file of that name is replaced at once or not at all. Throws IoError.
void write_bin(const std::filesystem::path& path, const Points& points, std::span<const float> intensities = {});

}  // namespace parte::datasets
