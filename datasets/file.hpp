#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace parte::datasets {

/// The whole content of a file. Throws IoError.
[[nodiscard]] std::string read_file(const std::filesystem::path& path);

/// Writes beside the file and renames, so that nobody ever sees half of it. Throws IoError.
void write_file(const std::filesystem::path& path, std::string_view bytes);

}  // namespace parte::datasets
