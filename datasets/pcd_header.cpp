#include <datasets/pcd_header.hpp>

#include <datasets/bytes.hpp>
#include <datasets/lines.hpp>

#include <algorithm>
#include <cstdint>
#include <map>

namespace parte::datasets {
namespace {

struct PcdType {
  char letter;
  std::size_t size;
  double (*load)(const char* from, std::endian order);
};

constexpr PcdType kTypes[] = {
    {'F', 4, load_as_double<float>},         {'F', 8, load_as_double<double>},
    {'I', 1, load_as_double<std::int8_t>},   {'I', 2, load_as_double<std::int16_t>},
    {'I', 4, load_as_double<std::int32_t>},  {'I', 8, load_as_double<std::int64_t>},
    {'U', 1, load_as_double<std::uint8_t>},  {'U', 2, load_as_double<std::uint16_t>},
    {'U', 4, load_as_double<std::uint32_t>}, {'U', 8, load_as_double<std::uint64_t>},
};

constexpr std::string_view kKeywords[] = {"VERSION", "FIELDS", "SIZE",      "TYPE",   "COUNT",
                                          "WIDTH",   "HEIGHT", "VIEWPOINT", "POINTS", "DATA"};

/// The lines are collected first and understood afterwards: their order is not the same in every writer.
class HeaderParser {
 public:
  HeaderParser(std::string_view bytes, const std::filesystem::path& path) : bytes_(bytes), path_(path) {}

  PcdHeader parse() {
    while (!entries_.contains("DATA")) read_line();
    check_version();
    parse_fields();
    parse_points();
    check_viewpoint();
    parse_data();
    return header_;
  }

 private:
  void read_line() {
    const std::size_t end = bytes_.find('\n', header_.bytes);
    ++header_.lines;
    if (end == std::string_view::npos)
      throw IoError(path_, Place::line(header_.lines), "the header ends without \"DATA\" (is this a PCD file?)");
    const std::string_view text = bytes_.substr(header_.bytes, end - header_.bytes);
    header_.bytes = end + 1;
    const Line line{path_, header_.lines, split(text), text};
    if (line.words.empty() || line.words[0].front() == '#') return;
    if (std::find(std::begin(kKeywords), std::end(kKeywords), line.words[0]) == std::end(kKeywords))
      line.fail("unknown keyword " + quoted(line.words[0]) + "; expected the header of a PCD file: VERSION, FIELDS, " +
                "SIZE, TYPE, COUNT, WIDTH, HEIGHT, VIEWPOINT, POINTS, DATA");
    if (!entries_.emplace(line.words[0], line).second) line.fail(std::string(line.words[0]) + " a second time");
  }

  const Line& entry(std::string_view keyword) const {
    const auto found = entries_.find(keyword);
    if (found == entries_.end())
      throw IoError(path_, Place::line(header_.lines), "the header has no line " + quoted(keyword));
    return found->second;
  }

  /// As many values as there are fields.
  const Line& entry_of_fields(std::string_view keyword) const {
    const Line& line = entry(keyword);
    const std::size_t fields = entry("FIELDS").words.size() - 1;
    if (line.words.size() - 1 != fields)
      line.fail(std::string(keyword) + " has " + std::to_string(line.words.size() - 1) + " values, FIELDS " +
                std::to_string(fields) + "; expected as many");
    return line;
  }

  std::uint32_t number_of(std::string_view keyword) const {
    const Line& line = entry(keyword);
    if (line.words.size() != 2) line.fail("expected " + quoted(std::string(keyword) + " NUMBER"));
    return whole_number<std::uint32_t>(line, line.words[1]);
  }

  void check_version() const {
    const Line& line = entry("VERSION");
    const auto version = line.words.size() == 2 ? parse_number<double>(line.words[1]) : std::nullopt;
    if (version != 0.6 && version != 0.7) line.fail("expected \"VERSION 0.7\" or \"VERSION 0.6\"");
  }

  void parse_fields() {
    const Line& names = entry("FIELDS");
    const Line& sizes = entry_of_fields("SIZE");
    const Line& types = entry_of_fields("TYPE");
    for (std::size_t k = 1; k < names.words.size(); ++k) {
      const PcdType& type = type_of(types, types.words[k], whole_number<std::size_t>(sizes, sizes.words[k]));
      const std::size_t count = count_of(k);
      header_.fields.push_back({std::string(names.words[k]), type.size, count, type.letter == 'F' && type.size == 4,
                                header_.point_bytes, header_.point_values, type.load});
      header_.point_bytes += type.size * count;
      header_.point_values += count;
    }
  }

  static const PcdType& type_of(const Line& line, std::string_view letter, std::size_t size) {
    for (const PcdType& type : kTypes)
      if (letter == std::string_view(&type.letter, 1) && size == type.size) return type;
    line.fail("unknown type " + quoted(letter) + " of " + std::to_string(size) +
              " bytes; expected F of 4 or 8, I or U of 1, 2, 4 or 8");
  }

  std::size_t count_of(std::size_t word) const {
    if (!entries_.contains("COUNT")) return 1;
    const Line& line = entry_of_fields("COUNT");
    const auto count = whole_number<std::uint32_t>(line, line.words[word]);
    if (count == 0) line.fail("a COUNT of 0; expected 1 or more");
    return count;
  }

  void parse_points() {
    const std::uint64_t width = number_of("WIDTH"), height = number_of("HEIGHT");
    header_.points = width * height;
    if (!entries_.contains("POINTS")) return;
    if (number_of("POINTS") != header_.points)
      entry("POINTS").fail("expected WIDTH x HEIGHT = " + std::to_string(header_.points) + ", found " +
                           std::to_string(number_of("POINTS")));
  }

  void check_viewpoint() const {
    if (!entries_.contains("VIEWPOINT")) return;
    const Line& line = entry("VIEWPOINT");
    if (line.words.size() != 8) line.fail("expected \"VIEWPOINT tx ty tz qw qx qy qz\"");
    for (std::size_t k = 1; k < 8; ++k) static_cast<void>(finite_number(line, line.words[k]));
  }

  void parse_data() {
    const Line& line = entry("DATA");
    const std::string_view kind = line.words.size() == 2 ? line.words[1] : "";
    if (kind != "ascii" && kind != "binary" && kind != "binary_compressed")
      line.fail("expected \"DATA ascii\", \"DATA binary\" or \"DATA binary_compressed\"");
    header_.data = kind == "ascii" ? PcdData::ascii : kind == "binary" ? PcdData::binary : PcdData::binary_compressed;
  }

  std::string_view bytes_;
  const std::filesystem::path& path_;
  std::map<std::string_view, Line> entries_;
  PcdHeader header_;
};

}  // namespace

PcdHeader parse_pcd_header(std::string_view bytes, const std::filesystem::path& path) {
  return HeaderParser(bytes, path).parse();
}

}  // namespace parte::datasets
