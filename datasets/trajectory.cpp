#include <datasets/trajectory.hpp>

#include <datasets/file.hpp>
#include <datasets/lines.hpp>

#include <array>

namespace parte::datasets {
namespace {

void append_number(std::string& text, double value) {
  std::array<char, 32> digits;
  text.append(digits.data(), std::to_chars(digits.data(), digits.data() + digits.size(), value).ptr);
}

}  // namespace

std::vector<Eigen::Isometry3d> parse_kitti_poses(std::string_view text, const std::filesystem::path& path) {
  std::vector<Eigen::Isometry3d> poses;
  for_each_line(text, path, [&](const Line& line) {
    if (line.words.size() != 12)
      line.fail("expected the 12 numbers of a pose (rows of [R t]), found " + std::to_string(line.words.size()));
    poses.push_back(rigid_transform(line, line.words));
  });
  return poses;
}

std::vector<Eigen::Isometry3d> read_kitti_poses(const std::filesystem::path& path) {
  return parse_kitti_poses(read_file(path), path);
}

void write_kitti_poses(const std::filesystem::path& path, const std::vector<Eigen::Isometry3d>& poses) {
  std::string text;
  for (const Eigen::Isometry3d& pose : poses) {
    for (int k = 0; k < 12; ++k) {
      append_number(text, pose(k / 4, k % 4));
      text += k < 11 ? ' ' : '\n';
    }
  }
  write_file(path, text);
}

}  // namespace parte::datasets
