#include <datasets/kitti.hpp>

#include <datasets/file.hpp>
#include <datasets/lines.hpp>
#include <datasets/numbered_files.hpp>
#include <datasets/places.hpp>
#include <datasets/scan_io.hpp>
#include <datasets/trajectory.hpp>

#include <numbers>

namespace parte::datasets {
namespace {

namespace fs = std::filesystem;

std::string two_digits(const std::string& sequence) {
  return sequence.size() == 1 && sequence[0] >= '0' && sequence[0] <= '9' ? "0" + sequence : sequence;
}

std::string names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " ") + name;
  return text.empty() ? "nothing" : text;
}

std::vector<fs::path> semantic_places(const fs::path& root, const std::string& sequence) {
  return {root / "sequences" / sequence / "poses.txt", root / "semantickitti_poses" / (sequence + ".txt")};
}

/// Nothing: the sequence has no ground truth, and none was asked for.
std::optional<fs::path> truth_file(const fs::path& root, const std::string& sequence, const KittiOptions& options) {
  const std::vector<fs::path> semantic = semantic_places(root, sequence);
  const fs::path official = root / "poses" / (sequence + ".txt");
  switch (options.ground_truth) {
    case KittiTruth::semantic:
      return require_place(semantic, "SemanticKITTI's poses");
    case KittiTruth::official:
      return require_place({official}, "the official ground truth poses (sequences 00 to 10 only)");
    case KittiTruth::file:
      return require_place({options.ground_truth_file}, "the pose file that was asked for");
    case KittiTruth::none:
      return std::nullopt;
    case KittiTruth::best:
      break;
  }
  const auto found = find_place(semantic);
  return found ? found : find_place({official});
}

std::vector<double> times_of(const std::vector<int>& ids, const fs::path& path) {
  if (find_place({path})) return values_of_frames(parse_kitti_times(read_file(path), path), ids, path, "times");
  constexpr double kScanPeriod = 0.1;  // [s] of the Velodyne, which turned at 10 Hz
  std::vector<double> times;
  for (const int id : ids) times.push_back(kScanPeriod * id);
  return times;
}

/// Nothing: there is no calib.txt.
std::optional<Eigen::Isometry3d> calibration(const fs::path& path) {
  if (!find_place({path})) return std::nullopt;
  return parse_kitti_calib(read_file(path), path);
}

}  // namespace

void KittiOptions::validate() const {
  if (!(std::abs(elevation_correction_deg) <= 5.0))
    throw std::invalid_argument("KittiOptions::elevation_correction_deg must be within [-5, 5]");
  if (ground_truth == KittiTruth::file && ground_truth_file.empty())
    throw std::invalid_argument("KittiOptions::ground_truth_file must be given for KittiTruth::file");
}

Eigen::Isometry3d parse_kitti_calib(std::string_view text, const fs::path& path) {
  std::optional<Eigen::Isometry3d> T_camera_lidar;
  for_each_line(text, path, [&](const Line& line) {
    if (line.words[0] != "Tr:" && line.words[0] != "Tr_velo_to_cam:") return;
    if (line.words.size() != 13)
      line.fail("expected 12 numbers after " + quoted(line.words[0]) + ", found " +
                std::to_string(line.words.size() - 1));
    T_camera_lidar = rigid_transform(line, std::span(line.words).subspan(1));
  });
  if (!T_camera_lidar) {
    throw IoError(path, Place::whole_file(),
                  "has no line \"Tr:\" (LiDAR to camera); the calib.txt that comes with the grayscale or colour images "
                  "lacks it, the \"calibration files\" of KITTI odometry have it");
  }
  return *T_camera_lidar;
}

std::vector<double> parse_kitti_times(std::string_view text, const fs::path& path) {
  std::vector<double> times;
  for_each_line(text, path, [&](const Line& line) { times.push_back(seconds_of(line)); });
  return times;
}

Sequence open_kitti(const fs::path& root, const std::string& sequence, const KittiOptions& options) {
  options.validate();
  const std::string name = two_digits(sequence);
  const fs::path folder = root / "sequences" / name;
  std::error_code none;
  if (!fs::is_directory(folder, none))
    throw IoError(folder, Place::whole_file(),
                  "is not a folder; " + folder.parent_path().string() + " has " + names_in(folder.parent_path()));

  Sequence result;
  result.name = "KITTI " + name;
  std::vector<fs::path> scans;
  for (const auto& [id, file] : numbered_files(folder / "velodyne", ".bin")) {
    result.ids.push_back(id);
    scans.push_back(file);
  }
  result.times_s = times_of(result.ids, folder / "times.txt");
  const auto T_camera_lidar = calibration(folder / "calib.txt");
  if (T_camera_lidar) result.T_camera_lidar = *T_camera_lidar;
  if (const auto truth = truth_file(root, name, options)) {
    if (!T_camera_lidar)
      throw IoError(folder / "calib.txt", Place::whole_file(),
                    "is not there; expected Tr, without which the ground truth of " + truth->string() +
                        " cannot be brought from the camera to the LiDAR");
    result.ground_truth =
        values_of_frames(to_lidar_frame(read_kitti_poses(*truth), *T_camera_lidar), result.ids, *truth, "poses");
  }
  result.read = [scans = std::move(scans), degrees = options.elevation_correction_deg](std::size_t index) {
    Points points = read_scan(scans.at(index));
    correct_elevation(points, degrees);
    return points;
  };
  return result;
}

std::vector<Eigen::Isometry3d> to_lidar_frame(std::vector<Eigen::Isometry3d> camera_poses,
                                              const Eigen::Isometry3d& T_camera_lidar) {
  const Eigen::Isometry3d T_lidar_camera = T_camera_lidar.inverse();
  for (Eigen::Isometry3d& pose : camera_poses) pose = T_lidar_camera * pose * T_camera_lidar;
  return camera_poses;
}

std::vector<Eigen::Isometry3d> to_camera_frame(std::vector<Eigen::Isometry3d> lidar_poses,
                                               const Eigen::Isometry3d& T_camera_lidar) {
  return to_lidar_frame(std::move(lidar_poses), T_camera_lidar.inverse());
}

void correct_elevation(Points& points, double degrees) {
  if (degrees == 0.0) return;
  const double angle = degrees * std::numbers::pi / 180.0;
  const double c = std::cos(angle), s = std::sin(angle);
  for (Eigen::Vector3f& point : points) {
    const double x = point.x(), y = point.y(), z = point.z();
    const double horizontal = std::hypot(x, y);
    if (horizontal == 0.0) continue;
    // In the vertical plane of the point the turn is a planar one.
    const double scale = c - s * z / horizontal;
    point = Eigen::Vector3d(scale * x, scale * y, c * z + s * horizontal).cast<float>();
  }
}

}  // namespace parte::datasets
