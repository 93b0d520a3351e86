#pragma once

#include <datasets/io_error.hpp>
#include <datasets/rigid.hpp>
#include <datasets/text.hpp>

#include <cmath>
#include <limits>
#include <span>

namespace parte::datasets {

/// One line of a text, which knows where it is.
struct Line {
  const std::filesystem::path& path;
  std::size_t number;  ///< counted from 1
  std::vector<std::string_view> words;
  std::string_view text;  ///< as it stands in the file, for what is not separated by blanks

  [[noreturn]] void fail(const std::string& problem) const { throw IoError(path, Place::line(number), problem); }
};

/// Calls visit(Line) for every line that is neither blank nor a comment. `path` and the number of lines that the file
/// has before `text` are for messages only.
template <class Visit>
void for_each_line(std::string_view text, const std::filesystem::path& path, Visit&& visit,
                   std::size_t lines_before = 0) {
  std::size_t number = lines_before;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view content = text.substr(begin, end - begin);
    const Line line{path, ++number, split(content), content};
    if (!line.words.empty() && line.words[0].front() != '#') visit(line);
    begin = end + 1;
  }
}

[[nodiscard]] inline double finite_number(const Line& line, std::string_view word) {
  const auto value = parse_number<double>(word);
  if (!value || !std::isfinite(*value)) line.fail(quoted(word) + " is not a finite number");
  return *value;
}

template <class Integer>
[[nodiscard]] Integer whole_number(const Line& line, std::string_view word) {
  const auto value = parse_number<Integer>(word);
  if (!value) line.fail(quoted(word) + " is not a whole number in the range expected here");
  return *value;
}

/// Of a line that holds nothing but a time [s].
[[nodiscard]] inline double seconds_of(const Line& line) {
  if (line.words.size() != 1)
    line.fail("expected one number, the time in seconds, found " + std::to_string(line.words.size()) + " values");
  return finite_number(line, line.words[0]);
}

/// Row major, 12 numbers (3 x 4) or 16 (with the last row 0 0 0 1).
[[nodiscard]] inline Eigen::Isometry3d rigid_transform(const Line& line, std::span<const std::string_view> words) {
  Eigen::Matrix4d matrix = Eigen::Matrix4d::Identity();
  for (std::size_t k = 0; k < words.size(); ++k)
    matrix(static_cast<Eigen::Index>(k / 4), static_cast<Eigen::Index>(k % 4)) = finite_number(line, words[k]);
  const std::optional<Eigen::Isometry3d> transform = nearest_rigid(matrix);
  if (!transform)
    line.fail("the " + std::to_string(words.size()) + " numbers are not a rigid transform (row major" +
              (words.size() == 16 ? ", last row 0 0 0 1)" : ", 3 x 4)"));
  return *transform;
}

/// Words qx qy qz qw. Rounded digits are normalised; a quaternion that has its unit length up to double precision stays
/// as it is, so that what was read once, written and read again is the same to the last bit.
[[nodiscard]] inline Eigen::Quaterniond unit_quaternion(const Line& line, std::span<const std::string_view, 4> words) {
  constexpr double kRounding = 1e-2, kExact = 8 * std::numeric_limits<double>::epsilon();
  const Eigen::Quaterniond q(finite_number(line, words[3]), finite_number(line, words[0]),
                             finite_number(line, words[1]), finite_number(line, words[2]));
  if (!(std::abs(q.norm() - 1.0) <= kRounding))
    line.fail("the quaternion (qx qy qz qw) has length " + std::to_string(q.norm()) + "; expected 1");
  return std::abs(q.squaredNorm() - 1.0) <= kExact ? q : q.normalized();
}

[[nodiscard]] inline Eigen::Vector3d finite_vector(const Line& line, std::span<const std::string_view, 3> words) {
  return {finite_number(line, words[0]), finite_number(line, words[1]), finite_number(line, words[2])};
}

}  // namespace parte::datasets
