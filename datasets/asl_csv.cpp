#include <datasets/asl_csv.hpp>

#include <datasets/lines.hpp>

namespace parte::datasets {
namespace {

/// Same lines, same places; only the separators are those that split() knows.
std::string blanks_for_commas(std::string_view text) {
  std::string result(text);
  std::replace(result.begin(), result.end(), ',', ' ');
  return result;
}

}  // namespace

std::vector<Eigen::Isometry3d> parse_asl_poses(std::string_view text, const std::filesystem::path& path) {
  std::vector<Eigen::Isometry3d> poses;
  for_each_line(blanks_for_commas(text), path, [&](const Line& line) {
    if (poses.empty() && !parse_number<double>(line.words[0])) return;  // the heading
    if (line.words.size() != 18)
      line.fail("expected 18 values (poseId, timestamp and 16 of the transform), found " +
                std::to_string(line.words.size()));
    if (whole_number<std::size_t>(line, line.words[0]) != poses.size())
      line.fail("expected poseId " + std::to_string(poses.size()) + ", found " + quoted(line.words[0]));
    static_cast<void>(finite_number(line, line.words[1]));
    poses.push_back(rigid_transform(line, std::span(line.words).subspan(2)));
  });
  return poses;
}

Eigen::MatrixXd parse_asl_overlaps(std::string_view text, const std::filesystem::path& path) {
  std::vector<std::vector<double>> rows;
  for_each_line(blanks_for_commas(text), path, [&](const Line& line) {
    rows.emplace_back();
    for (const std::string_view word : line.words) {
      rows.back().push_back(finite_number(line, word));
      if (rows.back().back() < 0.0 || rows.back().back() > 1.0)
        line.fail(quoted(word) + " is not an overlap; expected a value within [0, 1]");
    }
    if (rows.back().size() != rows.front().size())
      line.fail("expected " + std::to_string(rows.front().size()) + " values as in the first row, found " +
                std::to_string(rows.back().size()));
  });
  if (rows.empty() || rows.size() != rows.front().size())
    throw IoError(path, Place::whole_file(),
                  "has " + std::to_string(rows.size()) + " rows; expected as many as columns, which are " +
                      std::to_string(rows.empty() ? 0 : rows.front().size()));
  const auto size = static_cast<Eigen::Index>(rows.size());
  Eigen::MatrixXd overlaps(size, size);
  for (Eigen::Index i = 0; i < size; ++i)
    for (Eigen::Index j = 0; j < size; ++j)
      overlaps(i, j) = rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)];
  return overlaps;
}

}  // namespace parte::datasets
