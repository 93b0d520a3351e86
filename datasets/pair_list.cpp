#include <datasets/pair_list.hpp>

#include <datasets/file.hpp>
#include <datasets/io_error.hpp>
#include <datasets/text.hpp>

#include <algorithm>
#include <cmath>
#include <span>

namespace parte::datasets {
namespace {

using Words = std::vector<std::string_view>;

/// One line of a list, which knows where it is.
struct Line {
  const std::filesystem::path& path;
  std::size_t number;
  Words words;

  [[noreturn]] void fail(const std::string& problem) const { throw IoError(path, Place::line(number), problem); }
};

/// Calls visit(Line) for every line that is neither blank nor a comment.
template <class Visit>
void for_each_line(const std::filesystem::path& path, Visit&& visit) {
  const std::string text = read_file(path);
  std::size_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    Line line{path, ++number, split(std::string_view(text).substr(begin, end - begin))};
    if (!line.words.empty() && line.words[0].front() != '#') visit(line);
    begin = end + 1;
  }
}

double finite_number(const Line& line, std::string_view word) {
  const auto value = parse_number<double>(word);
  if (!value || !std::isfinite(*value)) line.fail(quoted(word) + " is not a finite number");
  return *value;
}

/// The digits of a list make rotations that are only nearly orthonormal; Isometry3d relies on it, so they are rounded
/// to the nearest one.
Eigen::Isometry3d parse_transform(const Line& line, std::span<const std::string_view, 16> words) {
  constexpr double kRounding = 1e-3;
  Eigen::Matrix4d matrix;
  for (Eigen::Index k = 0; k < 16; ++k) matrix(k / 4, k % 4) = finite_number(line, words[static_cast<std::size_t>(k)]);
  const Eigen::Matrix3d rotation = matrix.topLeftCorner<3, 3>();
  const bool rigid = (rotation.transpose() * rotation - Eigen::Matrix3d::Identity()).norm() < kRounding &&
                     rotation.determinant() > 0.0 &&
                     (matrix.row(3) - Eigen::RowVector4d(0, 0, 0, 1)).norm() < kRounding;
  if (!rigid) line.fail("the 16 numbers are not a rigid transform (row major, last row 0 0 0 1)");
  Eigen::Isometry3d transform = Eigen::Isometry3d::Identity();
  transform.linear() = Eigen::Quaterniond(rotation).normalized().toRotationMatrix();
  transform.translation() = matrix.topRightCorner<3, 1>();
  return transform;
}

void expect_words(const Line& line, std::size_t count, const std::string& what) {
  if (line.words.size() != count) {
    line.fail("expected " + std::to_string(count) + " values (" + what + " and 16 of the transform), found " +
              std::to_string(line.words.size()));
  }
}

std::string zero_padded(const Line& line, std::string_view word, std::size_t width) {
  const auto number = parse_number<unsigned>(word);
  const std::string digits = number ? std::to_string(*number) : "";
  if (!number || digits.size() > width)
    line.fail(quoted(word) + " is not a whole number of at most " + std::to_string(width) + " digits");
  return std::string(width - digits.size(), '0') + digits;
}

std::string kitti_scan(const std::filesystem::path& root, const std::string& sequence, const std::string& scan) {
  return (root / "sequences" / sequence / "velodyne" / (scan + ".bin")).string();
}

}  // namespace

std::vector<Pair> read_kitti_pairs(const std::filesystem::path& list, const std::filesystem::path& root) {
  std::vector<Pair> pairs;
  for_each_line(list, [&](const Line& line) {
    if (line.number == 1 && line.words[0] == "seq") return;
    expect_words(line, 20, "seq i seq_db j");
    const std::string sequence = zero_padded(line, line.words[0], 2);
    const std::string other = zero_padded(line, line.words[2], 2);
    pairs.push_back({kitti_scan(root, sequence, zero_padded(line, line.words[1], 6)),
                     kitti_scan(root, other, zero_padded(line, line.words[3], 6)),
                     parse_transform(line, std::span(line.words).subspan<4, 16>()), sequence});
  });
  return pairs;
}

std::vector<Pair> read_3dmatch_pairs(const std::filesystem::path& list, const std::filesystem::path& root) {
  std::vector<Pair> pairs;
  for_each_line(list, [&](const Line& line) {
    expect_words(line, 21, "file_i file_j scene benchmark overlap");
    static_cast<void>(finite_number(line, line.words[4]));
    pairs.push_back({(root / line.words[1]).string(), (root / line.words[0]).string(),
                     parse_transform(line, std::span(line.words).subspan<5, 16>()),
                     std::string(line.words[3]) + "/" + std::string(line.words[2])});
  });
  return pairs;
}

}  // namespace parte::datasets
