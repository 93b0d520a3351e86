#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace parte::datasets {

/// The first of the places where there is a file or folder.
[[nodiscard]] std::optional<std::filesystem::path> find_place(const std::vector<std::filesystem::path>& places);

/// The same; throws IoError that says what was expected and lists the places if there are several.
std::filesystem::path require_place(const std::vector<std::filesystem::path>& places, const std::string& what);

}  // namespace parte::datasets
