#include <datasets/pair_list.hpp>

#include <datasets/file.hpp>
#include <datasets/lines.hpp>

namespace parte::datasets {
namespace {

void expect_words(const Line& line, std::size_t count, const std::string& what) {
  if (line.words.size() != count) {
    line.fail("expected " + std::to_string(count) + " values (" + what + " and 16 of the transform), found " +
              std::to_string(line.words.size()));
  }
}

std::string digits_of(const Line& line, std::string_view word, std::size_t width) {
  const auto number = parse_number<unsigned>(word);
  const std::string digits = number ? zero_padded(*number, width) : "";
  if (digits.size() != width)
    line.fail(quoted(word) + " is not a whole number of at most " + std::to_string(width) + " digits");
  return digits;
}

std::string kitti_scan(const std::filesystem::path& root, const std::string& sequence, const std::string& scan) {
  return (root / "sequences" / sequence / "velodyne" / (scan + ".bin")).string();
}

}  // namespace

std::vector<Pair> parse_kitti_pairs(std::string_view text, const std::filesystem::path& list,
                                    const std::filesystem::path& root) {
  std::vector<Pair> pairs;
  for_each_line(text, list, [&](const Line& line) {
    if (line.number == 1 && line.words[0] == "seq") return;
    expect_words(line, 20, "seq i seq_db j");
    const std::string sequence = digits_of(line, line.words[0], 2);
    const std::string other = digits_of(line, line.words[2], 2);
    pairs.push_back({kitti_scan(root, sequence, digits_of(line, line.words[1], 6)),
                     kitti_scan(root, other, digits_of(line, line.words[3], 6)),
                     rigid_transform(line, std::span(line.words).subspan(4)), sequence});
  });
  return pairs;
}

std::vector<Pair> parse_3dmatch_pairs(std::string_view text, const std::filesystem::path& list,
                                      const std::filesystem::path& root) {
  std::vector<Pair> pairs;
  for_each_line(text, list, [&](const Line& line) {
    expect_words(line, 21, "file_i file_j scene benchmark overlap");
    static_cast<void>(finite_number(line, line.words[4]));
    pairs.push_back({(root / line.words[1]).string(), (root / line.words[0]).string(),
                     rigid_transform(line, std::span(line.words).subspan(5)),
                     std::string(line.words[3]) + "/" + std::string(line.words[2])});
  });
  return pairs;
}

std::vector<Pair> read_kitti_pairs(const std::filesystem::path& list, const std::filesystem::path& root) {
  return parse_kitti_pairs(read_file(list), list, root);
}

std::vector<Pair> read_3dmatch_pairs(const std::filesystem::path& list, const std::filesystem::path& root) {
  return parse_3dmatch_pairs(read_file(list), list, root);
}

}  // namespace parte::datasets
