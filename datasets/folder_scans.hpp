#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace parte::datasets {

struct FolderScan {
  std::filesystem::path path;
  int id;
};

/// Whether the name a comes before the name b, where digits count as the number they are: a2 before a10.
[[nodiscard]] bool natural_less(const std::string& a, const std::string& b);

/// The scans of a folder with ascending ids, as open_folder() says, without the file `no_scan`. Throws IoError.
[[nodiscard]] std::vector<FolderScan> find_scans(const std::filesystem::path& folder,
                                                 const std::optional<std::filesystem::path>& no_scan = std::nullopt);

}  // namespace parte::datasets
