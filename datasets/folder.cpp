#include <datasets/folder.hpp>

#include <datasets/file.hpp>
#include <datasets/folder_scans.hpp>
#include <datasets/lines.hpp>
#include <datasets/scan_io.hpp>
#include <datasets/trajectory.hpp>

#include <algorithm>

namespace parte::datasets {
namespace {

namespace fs = std::filesystem;

constexpr double kFrame_s = 0.1;  // a LiDAR turns ten times a second, unless somebody tells otherwise

bool is_there(const fs::path& path) {
  std::error_code none;
  return fs::exists(path, none) || fs::is_symlink(path, none);  // a broken link is no reason to do without
}

/// The lines of a file that belong to the scans: one for each, or one for each id from 0 on.
std::vector<std::size_t> lines_of_scans(const std::vector<int>& ids, std::size_t count, const fs::path& path,
                                        const std::string& what) {
  std::vector<std::size_t> lines(ids.size());
  for (std::size_t i = 0; i < ids.size(); ++i) lines[i] = count == ids.size() ? i : static_cast<std::size_t>(ids[i]);
  if (count < ids.size() || lines.back() >= count)
    throw IoError(path, Place::whole_file(),
                  "has " + std::to_string(count) + " " + what + " for " + std::to_string(ids.size()) +
                      " scans; expected one for each scan, or one for each frame from 0 to " +
                      std::to_string(ids.back()));
  return lines;
}

std::vector<double> read_times(const fs::path& path) {
  std::vector<double> times_s;
  for_each_line(read_file(path), path, [&](const Line& line) {
    times_s.push_back(seconds_of(line));
    if (times_s.size() > 1 && times_s.back() < times_s[times_s.size() - 2])
      line.fail("the time " + quoted(line.words[0]) + " is before the one of the line above; expected ascending times");
  });
  return times_s;
}

/// Nothing: there is no file of times.
std::optional<std::vector<double>> find_times(const fs::path& folder, const std::vector<int>& ids) {
  for (const char* name : {"times.txt", "timestamps.txt"}) {
    if (!is_there(folder / name)) continue;
    const std::vector<double> all = read_times(folder / name);
    std::vector<double> times_s;
    for (const std::size_t line : lines_of_scans(ids, all.size(), folder / name, "times")) times_s.push_back(all[line]);
    return times_s;
  }
  return std::nullopt;
}

/// Half of what usually is between two scans: the median does not mind gaps.
double half_frame(const std::vector<double>& times_s) {
  std::vector<double> steps;
  for (std::size_t i = 1; i < times_s.size(); ++i) steps.push_back(times_s[i] - times_s[i - 1]);
  if (steps.empty()) return kFrame_s / 2;
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::nth_element(steps.begin(), middle, steps.end());
  return *middle / 2;
}

/// The pose nearest in time of every scan; the index of the first scan that has none within reach is `missing`.
struct Nearest {
  std::vector<std::size_t> poses;
  std::optional<std::size_t> missing;
};

Nearest nearest_in_time(const std::vector<double>& times_s, const std::vector<double>& pose_times_s) {
  const double reach = half_frame(times_s);
  Nearest nearest;
  for (const double time : times_s) {
    auto best = std::lower_bound(pose_times_s.begin(), pose_times_s.end(), time);
    if (best == pose_times_s.end() || (best != pose_times_s.begin() && time - *(best - 1) <= *best - time)) --best;
    if (!nearest.missing && std::abs(*best - time) > reach) nearest.missing = nearest.poses.size();
    nearest.poses.push_back(static_cast<std::size_t>(best - pose_times_s.begin()));
  }
  return nearest;
}

/// By the times where the scans have some, else by the count.
std::vector<std::size_t> poses_by_time(const std::optional<std::vector<double>>& times_s, std::size_t scans,
                                       const std::vector<double>& pose_times_s, const fs::path& path) {
  std::string problem = "and the scans have no times.txt";
  if (times_s) {
    const Nearest nearest = nearest_in_time(*times_s, pose_times_s);
    if (!nearest.missing) return nearest.poses;
    problem = "and none is within " + std::to_string(half_frame(*times_s)) + " s of the scan at " +
              std::to_string((*times_s)[*nearest.missing]) + " s";
  }
  if (pose_times_s.size() != scans)
    throw IoError(path, Place::whole_file(),
                  "has " + std::to_string(pose_times_s.size()) + " poses for " + std::to_string(scans) + " scans, " +
                      problem + "; expected one pose for each scan, or a pose near each scan's time");
  std::vector<std::size_t> positions(scans);
  for (std::size_t i = 0; i < scans; ++i) positions[i] = i;
  return positions;
}

std::vector<Eigen::Isometry3d> read_poses(const fs::path& path, const std::vector<int>& ids,
                                          const std::optional<std::vector<double>>& times_s) {
  const Trajectory trajectory = read_trajectory(path);
  const std::size_t count = trajectory.poses.size();
  const bool by_time = trajectory.times_s && count >= ids.size();
  std::vector<Eigen::Isometry3d> poses;
  for (const std::size_t line : by_time ? poses_by_time(times_s, ids.size(), *trajectory.times_s, path)
                                        : lines_of_scans(ids, count, path, "poses"))
    poses.push_back(trajectory.poses[line]);
  return poses;
}

std::string name_of(const fs::path& folder) {
  const fs::path path = folder.lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

}  // namespace

Sequence open_folder(const fs::path& folder, const std::optional<fs::path>& poses) {
  std::error_code none;
  const bool nested = fs::is_directory(folder / "velodyne", none);
  const std::vector<FolderScan> scans = find_scans(nested ? folder / "velodyne" : folder, poses);
  Sequence sequence;
  sequence.name = name_of(folder);
  for (const FolderScan& scan : scans) sequence.ids.push_back(scan.id);
  const auto times_s = find_times(folder, sequence.ids);
  for (std::size_t i = 0; i < scans.size(); ++i)
    sequence.times_s.push_back(times_s ? (*times_s)[i] : kFrame_s * static_cast<double>(i));
  if (poses || is_there(folder / "poses.txt"))
    sequence.ground_truth = read_poses(poses.value_or(folder / "poses.txt"), sequence.ids, times_s);
  sequence.read = [scans](std::size_t index) { return read_scan(scans.at(index).path); };
  return sequence;
}

}  // namespace parte::datasets
