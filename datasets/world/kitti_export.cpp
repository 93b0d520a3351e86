#include <datasets/world/kitti_export.hpp>

#include <datasets/bytes.hpp>
#include <datasets/file.hpp>
#include <datasets/io_error.hpp>
#include <datasets/kitti.hpp>
#include <datasets/scan_io.hpp>
#include <datasets/text.hpp>
#include <datasets/trajectory.hpp>

#include <algorithm>

namespace parte::datasets {
namespace {

namespace fs = std::filesystem;

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) throw IoError(folder, Place::whole_file(), "cannot be created (" + error.message() + ")");
}

/// Cameras are not simulated; tools that read calib.txt expect their lines all the same.
std::string calib_text(const Eigen::Isometry3d& T_camera_lidar) {
  std::string text;
  for (const char* camera : {"P0", "P1", "P2", "P3"})
    text += std::string(camera) + ": 720 0 620 0 0 720 188 0 0 0 1 0\n";
  text += "Tr:";
  for (int row = 0; row < 3; ++row)
    for (int column = 0; column < 4; ++column) append_number(text += ' ', T_camera_lidar(row, column));
  return text + "\n";
}

void write_labels(const fs::path& path, const std::vector<std::uint16_t>& labels) {
  std::string bytes;
  for (const std::uint16_t label : labels) append(bytes, static_cast<std::uint32_t>(label), std::endian::little);
  write_file(path, bytes);
}

}  // namespace

void write_kitti(const SyntheticDrive& drive, const fs::path& root, const std::string& name, std::size_t first,
                 std::size_t last, const std::function<bool(std::size_t frame)>& written) {
  const fs::path folder = root / "sequences" / name;
  for (const fs::path& each : {folder / "velodyne", folder / "labels", root / "poses"}) make_folder(each);
  last = std::min(last, drive.size() - 1);
  std::string times;
  for (std::size_t i = 0; i <= last; ++i) {
    append_number(times, drive.world().drive.times_s[i]);
    times += "\n";
  }
  write_file(folder / "times.txt", times);
  write_file(folder / "calib.txt", calib_text(kitti_like_calibration()));
  std::vector<Eigen::Isometry3d> poses = drive.ground_truth();
  poses.resize(last + 1);
  write_kitti_poses(root / "poses" / (name + ".txt"), to_camera_frame(std::move(poses), kitti_like_calibration()));
  for (std::size_t i = first; i <= last; ++i) {
    const fs::path bin = folder / "velodyne" / (zero_padded(i, 6) + ".bin"),
                   label = folder / "labels" / (zero_padded(i, 6) + ".label");
    if (!fs::exists(bin) || !fs::exists(label)) {
      const LabelledScan scan = drive.scan(i);
      write_labels(label, scan.labels);
      write_bin(bin, scan.points, scan.intensities);
    }
    if (!written(i)) return;
  }
}

}  // namespace parte::datasets
