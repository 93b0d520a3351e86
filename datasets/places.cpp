#include <datasets/places.hpp>

#include <datasets/io_error.hpp>

namespace parte::datasets {

std::optional<std::filesystem::path> find_place(const std::vector<std::filesystem::path>& places) {
  std::error_code none;
  for (const std::filesystem::path& place : places)
    if (std::filesystem::exists(place, none)) return place;
  return std::nullopt;
}

std::filesystem::path require_place(const std::vector<std::filesystem::path>& places, const std::string& what) {
  if (const auto found = find_place(places)) return *found;
  std::string looked_at;
  if (places.size() > 1) {
    looked_at = "; looked for";
    for (const std::filesystem::path& place : places) looked_at += "\n  " + place.string();
  }
  throw IoError(places.at(0), Place::whole_file(), "is not there; expected " + what + looked_at);
}

}  // namespace parte::datasets
