#include <datasets/io_error.hpp>
#include <datasets/kitti.hpp>

#include <cstdlib>

namespace parte::datasets {
namespace {

namespace fs = std::filesystem;

/// A folder and its dataset/, which is how KITTI's archives unpack.
void add(std::vector<fs::path>& places, const fs::path& folder) {
  places.push_back(folder);
  places.push_back(folder / "dataset");
}

std::vector<fs::path> usual_places() {
  std::vector<fs::path> places;
  for (const char* folder : {".", "kitti", "data/kitti"}) add(places, folder);
  if (const char* home = std::getenv("HOME"))
    for (const char* folder : {"kitti", "data/kitti"}) add(places, fs::path(home) / folder);
  return places;
}

/// What to look at, and who said so.
struct Search {
  std::string origin;
  std::vector<fs::path> places;
};

Search search_for(const std::optional<fs::path>& root) {
  Search search;
  if (root) {
    search.origin = "the folder given";
    add(search.places, *root);
  } else if (const char* variable = std::getenv("KITTI_ROOT"); variable && *variable) {
    search.origin = "$KITTI_ROOT";
    add(search.places, variable);
  } else {
    search.origin = "the usual places ($KITTI_ROOT is not set)";
    search.places = usual_places();
  }
  return search;
}

}  // namespace

fs::path find_kitti_root(const std::optional<fs::path>& root) {
  const Search search = search_for(root);
  std::error_code none;
  for (const fs::path& place : search.places)
    if (fs::is_directory(place / "sequences", none)) return place;
  std::string looked_at;
  for (const fs::path& place : search.places) looked_at += "\n  " + (place / "sequences").string();
  throw IoError(search.places[0], Place::whole_file(),
                "no KITTI odometry dataset here: expected a folder that has sequences/NN/velodyne. Looked in " +
                    search.origin + ":" + looked_at +
                    "\nThe dataset is \"KITTI odometry\" of the KITTI Vision Benchmark Suite: \"velodyne laser data\" "
                    "(80 GB), \"calibration files\" and \"ground truth poses\", unpacked into one folder; give it as "
                    "--root or in $KITTI_ROOT");
}

}  // namespace parte::datasets
