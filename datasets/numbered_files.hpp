#pragma once

#include <datasets/io_error.hpp>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace parte::datasets {

/// The files of a folder whose names are a number and the extension (".bin"), by number. Hidden files and other
/// extensions are passed over. Throws IoError: no such folder, no such file in it, a name that is not a number, or two
/// files of one number.
[[nodiscard]] std::map<int, std::filesystem::path> numbered_files(const std::filesystem::path& folder,
                                                                  const std::string& extension);

/// The values of these frames from a file that has one a line, for every frame from 0. Throws IoError with both counts
/// where the file ends before the last frame.
template <class Value>
[[nodiscard]] std::vector<Value> values_of_frames(const std::vector<Value>& all, const std::vector<int>& ids,
                                                  const std::filesystem::path& path, const std::string& what) {
  if (!ids.empty() && all.size() <= static_cast<std::size_t>(ids.back())) {
    throw IoError(path, Place::whole_file(),
                  "has " + std::to_string(all.size()) + " " + what + ", but the scans go up to frame " +
                      std::to_string(ids.back()) + "; expected at least " + std::to_string(ids.back() + 1LL));
  }
  std::vector<Value> values;
  for (const int id : ids) values.push_back(all[static_cast<std::size_t>(id)]);
  return values;
}

}  // namespace parte::datasets
