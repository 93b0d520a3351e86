#include <apps/raster.hpp>

#include <apps/deflate.hpp>
#include <apps/font.hpp>
#include <datasets/bytes.hpp>
#include <datasets/file.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include <zlib.h>

namespace parte::apps {
namespace {

unsigned char byte_of(float value) {
  return static_cast<unsigned char>(std::lround(std::clamp(value, 0.0f, 1.0f) * 255.0f));
}

const Bytef* as_bytes(const std::string& text) { return reinterpret_cast<const Bytef*>(text.data()); }

void append_big(std::string& to, std::size_t value) {
  datasets::append(to, static_cast<std::uint32_t>(value), std::endian::big);
}

void append_chunk(std::string& png, const std::string& type, const std::string& data) {
  const std::string body = type + data;
  append_big(png, data.size());
  png += body;
  append_big(png, crc32(crc32(0, nullptr, 0), as_bytes(body), static_cast<uInt>(body.size())));
}

std::string_view dots_of(char letter) {
  const auto* glyph =
      std::find_if(std::begin(kFont), std::end(kFont), [&](const Glyph& g) { return g.letter == letter; });
  return glyph == std::end(kFont) ? std::string_view() : glyph->dots;
}

}  // namespace

Raster::Raster(int width, int height)
    : width_(width),
      height_(height),
      pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), {1, 1, 1}) {}

Color* Raster::at(int x, int y) {
  if (x < 0 || x >= width_ || y < 0 || y >= height_) return nullptr;
  return &pixels_[static_cast<std::size_t>(y) * static_cast<std::size_t>(width_) + static_cast<std::size_t>(x)];
}

void Raster::tint(int x, int y, const Color& color, float coverage) {
  Color* pixel = at(x, y);
  if (pixel == nullptr) return;
  pixel->red *= 1.0f - coverage * (1.0f - color.red);
  pixel->green *= 1.0f - coverage * (1.0f - color.green);
  pixel->blue *= 1.0f - coverage * (1.0f - color.blue);
}

void Raster::scatter(const Rectangle& area, const std::vector<Eigen::Vector2f>& points, const Color& color) {
  const auto stride = static_cast<std::size_t>(area.width);
  std::vector<float> clear(stride * static_cast<std::size_t>(area.height), 1.0f);
  for (const Eigen::Vector2f& point : points) {
    // The negated test also rejects what no integer can hold.
    if (!(point.x() >= 0 && point.x() < static_cast<float>(area.width - 1) && point.y() >= 0 &&
          point.y() < static_cast<float>(area.height - 1)))
      continue;
    const auto first = static_cast<std::size_t>(point.y()) * stride + static_cast<std::size_t>(point.x());
    for (const std::size_t pixel : {first, first + 1, first + stride, first + stride + 1})
      clear[pixel] *= 1.0f - kOpacity;
  }
  for (int y = 0; y < area.height; ++y) {
    for (int x = 0; x < area.width; ++x) {
      tint(area.left + x, area.top + y, color,
           1.0f - clear[static_cast<std::size_t>(y) * stride + static_cast<std::size_t>(x)]);
    }
  }
}

void Raster::fill(const Rectangle& area, const Color& color) {
  for (int y = area.top; y < area.top + area.height; ++y) {
    for (int x = area.left; x < area.left + area.width; ++x)
      if (Color* pixel = at(x, y)) *pixel = color;
  }
}

void Raster::line(float x0, float y0, float x1, float y1, float width, const Color& color) {
  const float dx = x1 - x0, dy = y1 - y0, squared_length = dx * dx + dy * dy, reach = 0.5f * width + 1.0f;
  const auto first = [&](float a, float b) { return static_cast<int>(std::floor(std::min(a, b) - reach)); };
  const auto last = [&](float a, float b) { return static_cast<int>(std::ceil(std::max(a, b) + reach)); };
  for (int y = first(y0, y1); y <= last(y0, y1); ++y) {
    for (int x = first(x0, x1); x <= last(x0, x1); ++x) {
      const float px = static_cast<float>(x) - x0, py = static_cast<float>(y) - y0;
      const float along = squared_length > 0 ? std::clamp((px * dx + py * dy) / squared_length, 0.0f, 1.0f) : 0.0f;
      const float distance = std::hypot(px - along * dx, py - along * dy);
      const float coverage = std::clamp(0.5f * width + 0.5f - distance, 0.0f, 1.0f);
      Color* pixel = coverage > 0 ? at(x, y) : nullptr;
      if (pixel == nullptr) continue;
      pixel->red += coverage * (color.red - pixel->red);
      pixel->green += coverage * (color.green - pixel->green);
      pixel->blue += coverage * (color.blue - pixel->blue);
    }
  }
}

void Raster::write(int x, int y, std::string_view text, int size, const Color& color) {
  for (const char letter : text) {
    const std::string_view dots = dots_of(letter);
    for (int k = 0; k < static_cast<int>(dots.size()); ++k) {
      const int row = k / (kGlyphWidth + 1), column = k % (kGlyphWidth + 1);  // rows are separated by a blank
      if (dots[static_cast<std::size_t>(k)] == '#') fill({x + column * size, y + row * size, size, size}, color);
    }
    x += (kGlyphWidth + 1) * size;
  }
}

void Raster::save(const std::filesystem::path& path) const {
  std::string rows;
  rows.reserve(static_cast<std::size_t>(height_) * (static_cast<std::size_t>(width_) * 3 + 1));
  for (std::size_t i = 0; i < pixels_.size(); ++i) {
    if (i % static_cast<std::size_t>(width_) == 0) rows += '\0';  // filter type 0: none
    for (const float value : {pixels_[i].red, pixels_[i].green, pixels_[i].blue})
      rows += static_cast<char>(byte_of(value));
  }
  std::string header;
  append_big(header, static_cast<std::size_t>(width_));
  append_big(header, static_cast<std::size_t>(height_));
  header +=
      std::string("\x08\x02\x00\x00\x00", 5);  // 8 bits per channel, RGB, the only compression and filter, no interlace

  std::string png = "\x89PNG\r\n\x1a\n";
  append_chunk(png, "IHDR", header);
  append_chunk(png, "IDAT", deflated(rows));
  append_chunk(png, "IEND", "");
  datasets::write_file(path, png);
}

}  // namespace parte::apps
