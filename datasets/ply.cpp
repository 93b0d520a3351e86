#include <datasets/ply.hpp>

#include <datasets/coordinate.hpp>
#include <datasets/io_error.hpp>
#include <datasets/ply_header.hpp>
#include <datasets/text.hpp>

#include <algorithm>
#include <array>

namespace parte::datasets {
namespace {

struct Source {
  const std::string& bytes;
  const std::filesystem::path& path;
};

/// Reads numbers one after the other, within rows.
class BinaryCursor {
 public:
  BinaryCursor(const Source& source, const PlyHeader& header)
      : source_(source), order_(header.order), at_(header.bytes) {}

  double next(const PlyType& type) {
    if (source_.bytes.size() - at_ < type.size) fail("the file ends within its data (is it truncated?)");
    at_ += type.size;
    return type.load(source_.bytes.data() + at_ - type.size, order_);
  }
  void begin_row() {}
  void end_row() {}
  [[nodiscard]] std::size_t remaining() const { return source_.bytes.size() - at_; }
  /// The fewest bytes that a number takes.
  static std::size_t least_size(const PlyType& type) { return type.size; }
  [[noreturn]] void fail(const std::string& problem) const { throw IoError(source_.path, Place::byte(at_), problem); }

 private:
  Source source_;
  std::endian order_;
  std::size_t at_;
};

/// The same for text, where a row is a line: a missing value must not be taken from the next one.
class AsciiCursor {
 public:
  AsciiCursor(const Source& source, const PlyHeader& header)
      : source_(source), at_(header.bytes), line_(header.lines) {}

  double next(const PlyType&) {
    if (word_ == words_.size()) fail("the line has too few values");
    const auto value = parse_number<double>(words_[word_++]);
    if (!value) fail(quoted(words_[word_ - 1]) + " is not a number");
    return *value;
  }
  void begin_row() {
    word_ = 0;
    do {
      if (at_ == source_.bytes.size()) fail("the file ends within its data (is it truncated?)");
      const std::size_t end = std::min(source_.bytes.find('\n', at_), source_.bytes.size() - 1) + 1;
      words_ = split(std::string_view(source_.bytes).substr(at_, end - at_));
      at_ = end;
      ++line_;
    } while (words_.empty());
  }
  void end_row() const {
    if (word_ != words_.size()) fail("the line has too many values");
  }
  [[nodiscard]] std::size_t remaining() const { return source_.bytes.size() - at_; }
  /// A digit and what separates it from the next one.
  static std::size_t least_size(const PlyType&) { return 2; }
  [[noreturn]] void fail(const std::string& problem) const { throw IoError(source_.path, Place::line(line_), problem); }

 private:
  Source source_;
  std::size_t at_, line_;
  std::vector<std::string_view> words_;
  std::size_t word_ = 0;
};

/// A count that the file cannot hold must not make us allocate, or loop, for it.
template <class Cursor>
void check_count(const Cursor& cursor, const PlyElement& element, const std::filesystem::path& path) {
  std::size_t row = 0;
  for (const PlyProperty& property : element.properties)
    row += Cursor::least_size(property.length_type != nullptr ? *property.length_type : *property.type);
  // The last number of a text may lack its separator.
  if (row > 0 && element.count > (cursor.remaining() + 1) / row) {
    throw IoError(path, Place::line(element.line),
                  "element " + element.name + " should have " + std::to_string(element.count) + " rows of at least " +
                      std::to_string(row) + " bytes, but only " + std::to_string(cursor.remaining()) +
                      " bytes are left (is the file truncated?)");
  }
}

template <class Cursor>
void skip_list(Cursor& cursor, const PlyProperty& property) {
  const double length = cursor.next(*property.length_type);
  if (!(length >= 0.0)) cursor.fail("a list of negative length");
  // Text may claim any length, but its line ends the loop.
  for (std::size_t i = 0; static_cast<double>(i) < length; ++i) static_cast<void>(cursor.next(*property.type));
}

/// `values[k]` receives the k-th property; lists leave it untouched.
template <class Cursor>
void read_row(Cursor& cursor, const PlyElement& element, std::vector<double>& values) {
  cursor.begin_row();
  for (std::size_t k = 0; k < element.properties.size(); ++k) {
    const PlyProperty& property = element.properties[k];
    if (property.length_type != nullptr) {
      skip_list(cursor, property);
    } else {
      values[k] = cursor.next(*property.type);
    }
  }
  cursor.end_row();
}

std::size_t find_coordinate(const PlyElement& vertex, std::string_view name, const std::filesystem::path& path) {
  std::size_t found = vertex.properties.size();
  for (std::size_t k = 0; k < vertex.properties.size(); ++k) {
    if (vertex.properties[k].name != name) continue;
    if (found != vertex.properties.size())
      throw IoError(path, Place::line(vertex.line), "element vertex has two properties " + std::string(name));
    found = k;
  }
  const bool usable = found < vertex.properties.size() && !vertex.properties[found].type->integer &&
                      vertex.properties[found].length_type == nullptr;
  if (!usable) {
    throw IoError(
        path, Place::line(vertex.line),
        "element vertex needs a property \"float " + std::string(name) + "\" or \"double " + std::string(name) + "\"");
  }
  return found;
}

template <class Cursor>
std::vector<Eigen::Vector3f> read_vertices(Cursor& cursor, const PlyElement& vertex,
                                           const std::filesystem::path& path) {
  const std::array<std::size_t, 3> columns = {find_coordinate(vertex, "x", path), find_coordinate(vertex, "y", path),
                                              find_coordinate(vertex, "z", path)};
  std::vector<Eigen::Vector3f> points(vertex.count);
  std::vector<double> values(vertex.properties.size());
  for (Eigen::Vector3f& point : points) {
    read_row(cursor, vertex, values);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const std::size_t k = columns[axis];
      const bool single = vertex.properties[k].type->size == sizeof(float);
      point[static_cast<Eigen::Index>(axis)] =
          coordinate(values[k], single, [&](const std::string& problem) { cursor.fail(problem); });
    }
  }
  return points;
}

template <class Cursor>
std::vector<Eigen::Vector3f> read_body(Cursor cursor, const PlyHeader& header, const std::filesystem::path& path) {
  for (const PlyElement& element : header.elements) {
    check_count(cursor, element, path);
    if (element.name == "vertex") return read_vertices(cursor, element, path);
    std::vector<double> ignored(element.properties.size());
    // Rows of an element without properties take no space, whatever their count.
    for (std::size_t i = 0; !element.properties.empty() && i < element.count; ++i) read_row(cursor, element, ignored);
  }
  throw IoError(path, Place::line(header.lines), "the header has no \"element vertex\"");
}

}  // namespace

std::vector<Eigen::Vector3f> parse_ply(const std::string& bytes, const std::filesystem::path& path) {
  const PlyHeader header = parse_ply_header(bytes, path);
  const Source source{bytes, path};
  if (header.ascii) return read_body(AsciiCursor(source, header), header, path);
  return read_body(BinaryCursor(source, header), header, path);
}

}  // namespace parte::datasets
