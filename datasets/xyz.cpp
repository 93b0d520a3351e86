#include <datasets/xyz.hpp>

#include <datasets/coordinate.hpp>
#include <datasets/lines.hpp>

#include <algorithm>
#include <array>

namespace parte::datasets {
namespace {

using Cells = std::vector<std::string_view>;

std::string_view trim(std::string_view text, std::string_view what = kBlank) {
  const std::size_t begin = text.find_first_not_of(what);
  return begin == std::string_view::npos ? "" : text.substr(begin, text.find_last_not_of(what) + 1 - begin);
}

/// With semicolons about, a comma is a decimal one, which parse_number then refuses. An empty cell is a cell: joining
/// its neighbours would shift the columns behind it.
Cells split_cells(std::string_view text) {
  const char separator = text.find(';') != std::string_view::npos ? ';' : ',';
  if (text.find(separator) == std::string_view::npos) return split(text);
  Cells cells;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    cells.push_back(trim(text.substr(begin, end - begin)));
    begin = end + 1;
  }
  return cells;
}

bool is_word(std::string_view cell) { return !cell.empty() && !parse_number<double>(cell); }

std::size_t find_column(const Line& line, const Cells& names, std::array<std::string_view, 3> accepted) {
  std::size_t found = names.size();
  for (std::size_t k = 0; k < names.size(); ++k) {
    const std::string name = lower_case(trim(names[k], "\"' \t"));
    if (std::find(accepted.begin(), accepted.end(), name) == accepted.end()) continue;
    if (found != names.size()) line.fail("two columns are named " + quoted(name));
    found = k;
  }
  if (found == names.size())
    line.fail("the header names no column " + quoted(accepted[0]) +
              "; expected x, y, z or Points:0, Points:1, Points:2, or numbers from the first line on");
  return found;
}

class Reader {
 public:
  void read(const Line& line) {
    const bool first = columns_ == 0;
    const Cells cells = split_cells(first ? without_slashes(line.text) : line.text);
    if (first) {
      columns_ = cells.size();
      if (std::any_of(cells.begin(), cells.end(), is_word)) return read_header(line, cells);
      if (columns_ < 3) line.fail("expected at least the three values x y z, found " + std::to_string(columns_));
    }
    if (cells.size() != columns_)
      line.fail("expected " + std::to_string(columns_) + " values as in the first line, found " +
                std::to_string(cells.size()));
    points_.push_back(point(line, cells));
  }

  Points finish(const std::filesystem::path& path) {
    if (columns_ == 0) throw IoError(path, Place::whole_file(), "is empty; expected a line x y z for every point");
    return std::move(points_);
  }

 private:
  /// CloudCompare writes its header as "//X Y Z".
  static std::string_view without_slashes(std::string_view text) {
    text = trim(text);
    return text.starts_with("//") ? text.substr(2) : text;
  }

  void read_header(const Line& line, const Cells& names) {
    xyz_ = {find_column(line, names, {"x", "points:0", "points_0"}),
            find_column(line, names, {"y", "points:1", "points_1"}),
            find_column(line, names, {"z", "points:2", "points_2"})};
  }

  Eigen::Vector3f point(const Line& line, const Cells& cells) const {
    Eigen::Vector3f point;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::string_view cell = cells[xyz_[axis]];
      const auto value = parse_number<double>(cell);
      if (!value) line.fail(quoted(cell) + " is not a number");
      point[static_cast<Eigen::Index>(axis)] =
          coordinate(*value, false, [&](const std::string& problem) { line.fail(problem); });
    }
    return point;
  }

  std::array<std::size_t, 3> xyz_ = {0, 1, 2};
  std::size_t columns_ = 0;  ///< 0: nothing read so far
  Points points_;
};

}  // namespace

Points parse_xyz(std::string_view text, const std::filesystem::path& path) {
  constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  Reader reader;
  for_each_line(text, path, [&](const Line& line) { reader.read(line); });
  return reader.finish(path);
}

}  // namespace parte::datasets
