#include <datasets/trajectory.hpp>

#include <datasets/file.hpp>
#include <datasets/lines.hpp>

#include <stdexcept>

namespace parte::datasets {
namespace {

const std::string kKittiLine = "the 12 numbers of a 3 x 4 matrix (KITTI)";
const std::string kTumLine = "the 8 numbers t tx ty tz qx qy qz qw (TUM)";

void expect_columns(const Line& line, std::size_t count, const std::string& what) {
  if (line.words.size() != count)
    line.fail("expected " + what + ", found " + std::to_string(line.words.size()) + " values");
}

[[noreturn]] void fail_empty(const std::filesystem::path& path, const std::string& expected) {
  throw IoError(path, Place::whole_file(), "has no poses; expected " + expected + " on every line");
}

void check_finite(const Eigen::Isometry3d& pose, std::size_t index) {
  if (!pose.matrix().allFinite())
    throw std::invalid_argument("pose " + std::to_string(index) + " has values that are not finite");
}

StampedPose stamped_pose(const Line& line) {
  const std::span<const std::string_view> words = line.words;
  StampedPose stamped{finite_number(line, words[0]), Eigen::Isometry3d::Identity()};
  stamped.pose.translation() = finite_vector(line, words.subspan<1, 3>());
  stamped.pose.linear() = unit_quaternion(line, words.subspan<4, 4>()).toRotationMatrix();
  return stamped;
}

/// Of the first line that says something; 0: there is none.
std::size_t count_columns(std::string_view text, const std::filesystem::path& path) {
  std::size_t columns = 0;
  for_each_line(text, path, [&](const Line& line) {
    if (columns == 0) columns = line.words.size();
  });
  return columns;
}

}  // namespace

std::vector<Eigen::Isometry3d> parse_kitti_poses(std::string_view text, const std::filesystem::path& path) {
  std::vector<Eigen::Isometry3d> poses;
  for_each_line(text, path, [&](const Line& line) {
    expect_columns(line, 12, kKittiLine);
    poses.push_back(rigid_transform(line, line.words));
  });
  if (poses.empty()) fail_empty(path, kKittiLine);
  return poses;
}

std::vector<Eigen::Isometry3d> read_kitti_poses(const std::filesystem::path& path) {
  return parse_kitti_poses(read_file(path), path);
}

void write_kitti_poses(const std::filesystem::path& path, std::span<const Eigen::Isometry3d> poses) {
  std::string text;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    check_finite(poses[i], i);
    for (Eigen::Index k = 0; k < 12; ++k) {
      append_number(text, poses[i](k / 4, k % 4));
      text += k < 11 ? ' ' : '\n';
    }
  }
  write_file(path, text);
}

std::vector<StampedPose> parse_tum(std::string_view text, const std::filesystem::path& path) {
  std::vector<StampedPose> poses;
  for_each_line(text, path, [&](const Line& line) {
    expect_columns(line, 8, kTumLine);
    poses.push_back(stamped_pose(line));
    if (poses.size() > 1 && !(poses.back().time_s > poses[poses.size() - 2].time_s))
      line.fail("the time " + quoted(line.words[0]) + " is not after the one before; sort the poses by time");
  });
  if (poses.empty()) fail_empty(path, kTumLine);
  return poses;
}

std::vector<StampedPose> read_tum(const std::filesystem::path& path) { return parse_tum(read_file(path), path); }

void write_tum(const std::filesystem::path& path, std::span<const StampedPose> poses) {
  std::string text;
  for (std::size_t i = 0; i < poses.size(); ++i) {
    check_finite(poses[i].pose, i);
    if (!std::isfinite(poses[i].time_s) || (i > 0 && !(poses[i].time_s > poses[i - 1].time_s)))
      throw std::invalid_argument("the time of pose " + std::to_string(i) + " is not after the one before");
    const Eigen::Quaterniond q = Eigen::Quaterniond(poses[i].pose.linear()).normalized();
    append_number(text, poses[i].time_s);
    for (const double value : poses[i].pose.translation()) append_number(text += ' ', value);
    for (const double value : q.coeffs()) append_number(text += ' ', value);  // x y z w
    text += '\n';
  }
  write_file(path, text);
}

Trajectory parse_trajectory(std::string_view text, const std::filesystem::path& path) {
  const std::size_t columns = count_columns(text, path);
  if (columns == 12) return {parse_kitti_poses(text, path), std::nullopt};
  if (columns == 0) fail_empty(path, kKittiLine + " or " + kTumLine);
  if (columns != 8)
    throw IoError(
        path, Place::whole_file(),
        "the first line has " + std::to_string(columns) + " values; expected " + kKittiLine + " or " + kTumLine);
  Trajectory trajectory{{}, std::vector<double>()};
  for (const StampedPose& stamped : parse_tum(text, path)) {
    trajectory.poses.push_back(stamped.pose);
    trajectory.times_s->push_back(stamped.time_s);
  }
  return trajectory;
}

Trajectory read_trajectory(const std::filesystem::path& path) { return parse_trajectory(read_file(path), path); }

}  // namespace parte::datasets
