#pragma once

#include <cstddef>
#include <filesystem>
#include <stdexcept>
#include <string>

namespace parte::datasets {

/// Where in a file something is wrong.
struct Place {
  std::string text;  ///< empty: the file as a whole
  static Place whole_file() { return {}; }
  static Place line(std::size_t number) { return {"line " + std::to_string(number)}; }  ///< counted from 1
  static Place byte(std::size_t offset) { return {"byte " + std::to_string(offset)}; }  ///< counted from 0
};

/// A file that cannot be read or written as asked. what() is "path: place: problem", where the problem says what was
/// expected or what to do.
class IoError : public std::runtime_error {
 public:
  IoError(const std::filesystem::path& path, const Place& place, const std::string& problem)
      : std::runtime_error(path.string() + ": " + (place.text.empty() ? "" : place.text + ": ") + problem),
        path_(path),
        place_(place) {}

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] const Place& place() const { return place_; }

 private:
  std::filesystem::path path_;
  Place place_;
};

}  // namespace parte::datasets
