#include <datasets/ply_header.hpp>

#include <datasets/bytes.hpp>
#include <datasets/io_error.hpp>
#include <datasets/text.hpp>

#include <cstdint>

namespace parte::datasets {
namespace {

constexpr PlyType kTypes[] = {
    {"char", "int8", 1, true, load_as_double<std::int8_t>},
    {"uchar", "uint8", 1, true, load_as_double<std::uint8_t>},
    {"short", "int16", 2, true, load_as_double<std::int16_t>},
    {"ushort", "uint16", 2, true, load_as_double<std::uint16_t>},
    {"int", "int32", 4, true, load_as_double<std::int32_t>},
    {"uint", "uint32", 4, true, load_as_double<std::uint32_t>},
    {"float", "float32", 4, false, load_as_double<float>},
    {"double", "float64", 8, false, load_as_double<double>},
};

class HeaderParser {
 public:
  HeaderParser(std::string_view bytes, const std::filesystem::path& path) : bytes_(bytes), path_(path) {}

  PlyHeader parse() {
    if (next_line() != Words{"ply"}) fail("expected \"ply\": this is no PLY file");
    parse_format(next_line());
    for (Words words = next_line(); words != Words{"end_header"}; words = next_line()) parse_line(words);
    return header_;
  }

 private:
  using Words = std::vector<std::string_view>;

  [[noreturn]] void fail(const std::string& problem) const {
    throw IoError(path_, Place::line(header_.lines), problem);
  }

  Words next_line() {
    const std::size_t end = bytes_.find('\n', header_.bytes);
    ++header_.lines;
    if (end == std::string_view::npos) fail("the header ends without \"end_header\"");
    const std::string_view line = bytes_.substr(header_.bytes, end - header_.bytes);
    header_.bytes = end + 1;
    return split(line);
  }

  void parse_format(const Words& words) {
    if (words.size() != 3 || words[0] != "format" || words[2] != "1.0")
      fail("expected \"format ascii 1.0\", \"format binary_little_endian 1.0\" or \"format binary_big_endian 1.0\"");
    header_.ascii = words[1] == "ascii";
    header_.order = words[1] == "binary_big_endian" ? std::endian::big : std::endian::little;
    if (!header_.ascii && words[1] != "binary_big_endian" && words[1] != "binary_little_endian")
      fail("unknown format " + quoted(words[1]) + "; expected ascii, binary_little_endian or binary_big_endian");
  }

  void parse_line(const Words& words) {
    if (words.empty() || words[0] == "comment" || words[0] == "obj_info") return;
    if (words[0] == "element") {
      parse_element(words);
    } else if (words[0] == "property") {
      parse_property(words);
    } else {
      fail("unknown keyword " + quoted(words[0]) + "; expected element, property, comment or end_header");
    }
  }

  void parse_element(const Words& words) {
    const auto count = words.size() == 3 ? parse_number<std::uint64_t>(words[2]) : std::nullopt;
    if (!count) fail("expected \"element NAME COUNT\"");
    header_.elements.push_back({std::string(words[1]), *count, header_.lines, {}});
  }

  void parse_property(const Words& words) {
    if (header_.elements.empty()) fail("a property before the first element");
    const bool list = words.size() > 1 && words[1] == "list";
    if (words.size() != (list ? 5u : 3u)) fail("expected \"property TYPE NAME\" or \"property list TYPE TYPE NAME\"");
    PlyProperty property{std::string(words.back()), type_named(words[words.size() - 2])};
    if (list) {
      property.length_type = type_named(words[2]);
      if (!property.length_type->integer) fail("the length of a list must be an integer type");
    }
    header_.elements.back().properties.push_back(std::move(property));
  }

  const PlyType* type_named(std::string_view name) const {
    for (const PlyType& type : kTypes)
      if (name == type.name || name == type.alias) return &type;
    fail("unknown type " + quoted(name) + "; expected char, uchar, short, ushort, int, uint, float or double");
  }

  std::string_view bytes_;
  const std::filesystem::path& path_;
  PlyHeader header_;
};

}  // namespace

PlyHeader parse_ply_header(std::string_view bytes, const std::filesystem::path& path) {
  return HeaderParser(bytes, path).parse();
}

}  // namespace parte::datasets
