#include <apps/svg.hpp>

#include <datasets/file.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <locale>
#include <string>

namespace parte::apps {
namespace {

constexpr int kCell = 2;  ///< pixels

std::string hex(const Color& color) {
  std::array<char, 8> text{};
  const auto byte = [](float value) { return static_cast<unsigned>(std::lround(std::clamp(value, 0.0f, 1.0f) * 255)); };
  std::snprintf(text.data(), text.size(), "#%02x%02x%02x", byte(color.red) & 0xffu, byte(color.green) & 0xffu,
                byte(color.blue) & 0xffu);
  return text.data();
}

/// Text as XML wants it; control characters, which XML cannot hold, become blanks.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out;
}

/// How many points there are in each cell of an area, row by row.
struct Counts {
  int columns, rows;
  std::vector<int> cells;
};

Counts count(const Rectangle& area, const std::vector<Eigen::Vector2f>& points) {
  Counts counts{area.width / kCell, area.height / kCell, {}};
  counts.cells.resize(static_cast<std::size_t>(counts.columns) * static_cast<std::size_t>(counts.rows));
  for (const Eigen::Vector2f& point : points) {
    const Eigen::Vector2f cell = point / static_cast<float>(kCell);
    // The negated test also rejects what no integer can hold.
    if (!(cell.x() >= 0 && cell.x() < static_cast<float>(counts.columns) && cell.y() >= 0 &&
          cell.y() < static_cast<float>(counts.rows)))
      continue;
    ++counts.cells[static_cast<std::size_t>(cell.y()) * static_cast<std::size_t>(counts.columns) +
                   static_cast<std::size_t>(cell.x())];
  }
  return counts;
}

/// The runs of cells in row y that hold `least` to `most` points, as horizontal strokes.
void append_runs(std::ostream& path, const Counts& counts, int y, int least, int most) {
  const auto holds = [&](int x) {
    const int n = counts.cells[static_cast<std::size_t>(y) * static_cast<std::size_t>(counts.columns) +
                               static_cast<std::size_t>(x)];
    return n >= least && n <= most;
  };
  int pen = -1;  // where the last stroke of this row ended
  for (int x = 0; x < counts.columns; ++x) {
    if (!holds(x)) continue;
    if (pen < 0) path << "M" << x << " " << y;
    if (pen >= 0) path << "m" << x - pen << " 0";
    for (pen = x; pen < counts.columns && holds(pen);) ++pen;
    path << "h" << pen - x;
    x = pen;
  }
}

/// The cells that hold `least` to `most` points.
void append_ink(std::ostream& body, const Counts& counts, int least, int most, double opacity) {
  body << "<path stroke-opacity='" << opacity << "' d='";
  for (int y = 0; y < counts.rows; ++y) append_runs(body, counts, y, least, most);
  body << "'/>\n";
}

}  // namespace

Svg::Svg(int width, int height) {
  body_.imbue(std::locale::classic());
  body_ << "<svg xmlns='http://www.w3.org/2000/svg' width='" << width << "' height='" << height << "' viewBox='0 0 "
        << width << " " << height << "' font-family='monospace'>\n";
  fill({0, 0, width, height}, {1, 1, 1});
}

void Svg::scatter(const Rectangle& area, const std::vector<Eigen::Vector2f>& points, const Color& color) {
  const Counts counts = count(area, points);
  // A stroke is one cell high and centred on its line, hence half a cell further down.
  body_ << "<g transform='translate(" << area.left << " " << area.top + kCell / 2 << ") scale(" << kCell
        << ")' stroke='" << hex(color) << "' shape-rendering='crispEdges' style='mix-blend-mode:multiply'>\n";
  append_ink(body_, counts, 1, 1, kOpacity);
  append_ink(body_, counts, 2, 3, 0.7);  // 1 - (1 - kOpacity)^n for n between 2 and 3
  append_ink(body_, counts, 4, std::numeric_limits<int>::max(), 0.95);
  body_ << "</g>\n";
}

void Svg::fill(const Rectangle& area, const Color& color) {
  body_ << "<rect x='" << area.left << "' y='" << area.top << "' width='" << area.width << "' height='" << area.height
        << "' fill='" << hex(color) << "'/>\n";
}

void Svg::write(int x, int y, std::string_view text, int size, const Color& color) {
  // A letter of a monospaced font is 0.6 of its size wide; of font.hpp's rows the last is below the base line.
  body_ << "<text x='" << x << "' y='" << y + (kGlyphHeight - 1) * size << "' font-size='"
        << (kGlyphWidth + 1) * size * 10 / 6 << "' textLength='" << text_width(text, size) << "' fill='" << hex(color)
        << "'>" << escaped(text) << "</text>\n";
}

void Svg::save(const std::filesystem::path& path) const { datasets::write_file(path, body_.str() + "</svg>\n"); }

}  // namespace parte::apps
