#include <datasets/kitti_raw.hpp>

#include <datasets/file.hpp>
#include <datasets/lines.hpp>
#include <datasets/numbered_files.hpp>
#include <datasets/places.hpp>
#include <datasets/scan_io.hpp>

#include <chrono>
#include <map>
#include <numbers>

namespace parte::datasets {
namespace {

namespace fs = std::filesystem;
using std::chrono::nanoseconds;

constexpr double kDegree = std::numbers::pi / 180.0;

/// The parts of a word, or nothing if there are not that many.
template <std::size_t Count>
std::optional<std::array<std::string_view, Count>> split_at(std::string_view word, char separator) {
  std::array<std::string_view, Count> parts;
  for (std::size_t k = 0; k + 1 < Count; ++k) {
    const std::size_t end = word.find(separator);
    if (end == std::string_view::npos) return std::nullopt;
    parts[k] = word.substr(0, end);
    word.remove_prefix(end + 1);
  }
  parts[Count - 1] = word;
  return parts;
}

std::chrono::sys_days day_of(const Line& line) {
  const auto parts = split_at<3>(line.words[0], '-');
  if (!parts) line.fail(quoted(line.words[0]) + " is not a date; expected YYYY-MM-DD");
  const auto [year, month, day] = *parts;
  const std::chrono::year_month_day date(std::chrono::year(whole_number<short>(line, year)),
                                         std::chrono::month(whole_number<unsigned char>(line, month)),
                                         std::chrono::day(whole_number<unsigned char>(line, day)));
  if (!date.ok()) line.fail(quoted(line.words[0]) + " is not a date of the calendar");
  if (date.year() < std::chrono::year(1970) || date.year() > std::chrono::year(2199))  // nanoseconds reach no farther
    line.fail(quoted(line.words[0]) + " is not a date of a recording; expected one from 1970 to 2199");
  return date;
}

/// Whole nanoseconds, since a double has no room for them beside the years.
nanoseconds time_of_day(const Line& line) {
  const auto parts = split_at<3>(line.words[1], ':');
  if (!parts) line.fail(quoted(line.words[1]) + " is not a time; expected hh:mm:ss.fraction");
  const unsigned hour = whole_number<unsigned char>(line, (*parts)[0]);
  const unsigned minute = whole_number<unsigned char>(line, (*parts)[1]);
  const double second = finite_number(line, (*parts)[2]);
  if (hour > 23 || minute > 59 || second < 0.0 || second >= 61.0)
    line.fail(quoted(line.words[1]) + " is not a time of the day");
  return std::chrono::hours(hour) + std::chrono::minutes(minute) + nanoseconds(std::llround(second * 1e9));
}

Eigen::Isometry3d read_calib(const fs::path& date_folder, const std::string& name, const std::string& what) {
  const fs::path path = require_place({date_folder / name}, what + " of this date, from the \"calibration\" archive");
  return parse_kitti_raw_calib(read_file(path), path);
}

std::vector<Oxts> read_oxts(const fs::path& folder, const std::vector<int>& ids) {
  require_place({folder}, "the GNSS/IMU data of the drive");
  const auto files = numbered_files(folder, ".txt");
  std::vector<Oxts> values;
  for (const int id : ids) {
    const auto file = files.find(id);
    if (file == files.end())
      throw IoError(folder, Place::whole_file(),
                    "has no file of frame " + std::to_string(id) + ", which has a scan (" +
                        std::to_string(files.size()) + " files for " + std::to_string(ids.size()) + " scans)");
    values.push_back(parse_oxts(read_file(file->second), file->second));
  }
  return values;
}

std::vector<double> read_times(const fs::path& path, const std::vector<int>& ids) {
  require_place({path}, "the dates of the scans");
  return values_of_frames(parse_kitti_timestamps(read_file(path), path), ids, path, "dates");
}

/// T_world_lidar relative to the first.
std::vector<Eigen::Isometry3d> lidar_poses(const std::vector<Oxts>& oxts, const Eigen::Isometry3d& T_lidar_imu) {
  const Eigen::Isometry3d T_imu0_world = mercator_pose(oxts[0], oxts[0]).inverse();
  std::vector<Eigen::Isometry3d> poses;
  for (const Oxts& value : oxts)
    poses.push_back(T_lidar_imu * T_imu0_world * mercator_pose(value, oxts[0]) * T_lidar_imu.inverse());
  return poses;
}

}  // namespace

Oxts parse_oxts(std::string_view text, const fs::path& path) {
  std::optional<Oxts> oxts;
  for_each_line(text, path, [&](const Line& line) {
    if (oxts) line.fail("expected one line only");
    if (line.words.size() != 30)
      line.fail("expected the 30 values of a GNSS/IMU record, found " + std::to_string(line.words.size()));
    std::array<double, 6> v;
    for (std::size_t k = 0; k < v.size(); ++k) v[k] = finite_number(line, line.words[k]);
    if (!(std::abs(v[0]) < 89.0)) line.fail(quoted(line.words[0]) + " is not a latitude that a car can be at");
    oxts = Oxts{v[0], v[1], v[2], v[3], v[4], v[5]};
  });
  if (!oxts) throw IoError(path, Place::whole_file(), "is empty; expected the 30 values of a GNSS/IMU record");
  return *oxts;
}

Eigen::Isometry3d mercator_pose(const Oxts& oxts, const Oxts& origin) {
  constexpr double kEarthRadius = 6378137.0;  // [m]
  const double scale = kEarthRadius * std::cos(origin.latitude_deg * kDegree);
  Eigen::Isometry3d T_world_imu = Eigen::Isometry3d::Identity();
  T_world_imu.translation() << scale * oxts.longitude_deg * kDegree,
      scale * std::log(std::tan((90.0 + oxts.latitude_deg) * kDegree / 2.0)), oxts.altitude_m;
  T_world_imu.linear() = (Eigen::AngleAxisd(oxts.yaw_rad, Eigen::Vector3d::UnitZ()) *
                          Eigen::AngleAxisd(oxts.pitch_rad, Eigen::Vector3d::UnitY()) *
                          Eigen::AngleAxisd(oxts.roll_rad, Eigen::Vector3d::UnitX()))
                             .toRotationMatrix();
  return T_world_imu;
}

std::vector<double> parse_kitti_timestamps(std::string_view text, const fs::path& path) {
  std::optional<std::chrono::sys_time<nanoseconds>> first;
  std::vector<double> times;
  for_each_line(text, path, [&](const Line& line) {
    if (line.words.size() != 2) line.fail("expected a date and a time, like 2011-09-26 13:02:25.964389445");
    const std::chrono::sys_time<nanoseconds> time = day_of(line) + time_of_day(line);
    if (!first) first = time;
    times.push_back(static_cast<double>((time - *first).count()) * 1e-9);
  });
  return times;
}

Eigen::Isometry3d parse_kitti_raw_calib(std::string_view text, const fs::path& path) {
  std::map<std::string_view, std::vector<std::string_view>> rows;
  std::optional<Line> last;
  for_each_line(text, path, [&](const Line& line) {
    const std::size_t expected = line.words[0] == "R:" ? 9 : line.words[0] == "T:" ? 3 : 0;
    if (expected == 0) return;
    if (line.words.size() != expected + 1)
      line.fail("expected " + std::to_string(expected) + " numbers after " + quoted(line.words[0]) + ", found " +
                std::to_string(line.words.size() - 1));
    rows[line.words[0]] = {line.words.begin() + 1, line.words.end()};
    last.emplace(line);
  });
  if (rows.size() != 2) throw IoError(path, Place::whole_file(), "expected a line \"R:\" and a line \"T:\"");
  const auto &R = rows["R:"], &T = rows["T:"];
  return rigid_transform(*last, std::array{R[0], R[1], R[2], T[0], R[3], R[4], R[5], T[1], R[6], R[7], R[8], T[2]});
}

Sequence open_kitti_raw(const fs::path& drive) {
  // Without the trailing slash or dot that would make the folder its own parent.
  const fs::path folder = fs::absolute(drive / "x").lexically_normal().parent_path();
  require_place({folder}, "a drive of KITTI raw, like 2011_09_26/2011_09_26_drive_0001_sync");
  Sequence result;
  result.name = folder.filename().string();
  std::vector<fs::path> scans;
  for (const auto& [id, file] : numbered_files(folder / "velodyne_points" / "data", ".bin")) {
    result.ids.push_back(id);
    scans.push_back(file);
  }
  result.times_s = read_times(folder / "velodyne_points" / "timestamps.txt", result.ids);
  const fs::path date = folder.parent_path();
  const auto T_lidar_imu = read_calib(date, "calib_imu_to_velo.txt", "the IMU to LiDAR calibration");
  result.T_camera_lidar = read_calib(date, "calib_velo_to_cam.txt", "the LiDAR to camera calibration");
  result.ground_truth = lidar_poses(read_oxts(folder / "oxts" / "data", result.ids), T_lidar_imu);
  result.read = [scans = std::move(scans)](std::size_t index) { return read_scan(scans.at(index)); };
  return result;
}

}  // namespace parte::datasets
