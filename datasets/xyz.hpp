#pragma once

#include <datasets/sequence.hpp>

#include <filesystem>
#include <string_view>

namespace parte::datasets {

/// The points of a text with one of them per line, its values separated by semicolons, commas or blanks. The first
/// three columns are x y z, unless the first line names the columns: then those named x, y, z (in any case) or
/// Points:0, Points:1, Points:2, as ParaView has it. `path` is for messages only. Throws IoError naming the line, also
/// for coordinates beyond 100 km, which single precision would blur by centimetres.
[[nodiscard]] Points parse_xyz(std::string_view text, const std::filesystem::path& path);

}  // namespace parte::datasets
