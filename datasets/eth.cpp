#include <datasets/eth.hpp>

#include <datasets/asl_csv.hpp>
#include <datasets/file.hpp>
#include <datasets/fragment_pairs.hpp>
#include <datasets/io_error.hpp>
#include <datasets/places.hpp>

#include <optional>

namespace parte::datasets {
namespace {

namespace fs = std::filesystem;

/// The folder of the scene, whose name is spelt in two ways.
std::optional<std::string> folder_name(const fs::path& root, const std::string& scene) {
  const std::string other = scene == "wood_autumn" ? "wood_autmn" : scene == "wood_autmn" ? "wood_autumn" : scene;
  std::error_code none;
  for (const std::string& name : {scene, other})
    if (fs::is_directory(root / name, none)) return name;
  return std::nullopt;
}

Eigen::MatrixXd read_overlaps(const fs::path& root, const std::string& scene, std::size_t scans) {
  const std::string name = "overlap_" + scene + ".csv";
  const fs::path path = require_place({root / scene / name, root / scene / "overlap.csv", root / name},
                                      "the overlaps that choose the pairs (or the gt.log of the other layout)");
  const Eigen::MatrixXd overlaps = parse_asl_overlaps(read_file(path), path);
  if (static_cast<std::size_t>(overlaps.rows()) != scans)
    throw IoError(
        path, Place::whole_file(),
        "is of " + std::to_string(overlaps.rows()) + " scans, but there are " + std::to_string(scans) + " poses");
  return overlaps;
}

/// The file of that name in the scene's folder or one of these in it.
fs::path in_folders(const fs::path& base, const std::vector<std::string>& folders, const std::string& name,
                    const std::string& what) {
  std::vector<fs::path> places = {base / name};
  for (const std::string& folder : folders) places.push_back(base / folder / name);
  return require_place(places, what);
}

std::vector<Pair> read_original(const fs::path& root, const std::string& scene, double min_overlap) {
  const fs::path base = root / scene;
  const fs::path pose_file = in_folders(base, {"csv_global", "global_frame", "csv_local", "local_frame", "leica"},
                                        "pose_scanner_leica.csv", "gt.log or the true poses");
  const auto poses = parse_asl_poses(read_file(pose_file), pose_file);
  const fs::path scans =
      in_folders(base, {"csv_local", "local_frame"}, "Hokuyo_0.csv", "the scans in their own frames").parent_path();
  const Eigen::MatrixXd overlaps = read_overlaps(root, scene, poses.size());
  const auto scan = [&](std::size_t k) { return (scans / ("Hokuyo_" + std::to_string(k) + ".csv")).string(); };
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    for (std::size_t j = i + 1; j < poses.size(); ++j) {
      const auto row = static_cast<Eigen::Index>(i), column = static_cast<Eigen::Index>(j);
      if (std::min(overlaps(row, column), overlaps(column, row)) < min_overlap) continue;
      pairs.push_back({scan(j), scan(i), poses[i].inverse() * poses[j], scene});
    }
  }
  return pairs;
}

}  // namespace

void EthOptions::validate() const {
  if (!(min_overlap >= 0.0 && min_overlap <= 1.0))
    throw std::invalid_argument("EthOptions::min_overlap must be within [0, 1]");
}

std::vector<Pair> read_eth_scene(const fs::path& root, const std::string& scene, const EthOptions& options) {
  options.validate();
  const auto folder = folder_name(root, scene);
  if (!folder) throw IoError(root / scene, Place::whole_file(), "is not a folder; expected a scene of ETH");
  if (find_place({root / *folder / "gt.log"})) return read_fragment_pairs(root, *folder, root, "Hokuyo_");
  return read_original(root, *folder, options.min_overlap);
}

}  // namespace parte::datasets
