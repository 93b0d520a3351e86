#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace parte::apps {

struct Color {
  float red, green, blue;  ///< 0 to 1
};

struct Rectangle {
  int left, top, width, height;
};

/// A picture in memory, white at first. Everything outside of it is silently not drawn.
class Raster {
 public:
  Raster(int width, int height);

  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }
  /// Lays transparent ink over a pixel: 0 leaves it, 1 multiplies it by the colour, as on paper.
  void tint(int x, int y, const Color& color, float coverage);
  void fill(const Rectangle& area, const Color& color);
  /// A smooth line with round ends, `width` pixels wide; pixel (x, y) has its middle at (x, y).
  void line(float x0, float y0, float x1, float y1, float width, const Color& color);
  /// Small letters, some capitals, digits and a few signs; (x, y) is the upper left corner, each dot `size` pixels
  /// wide.
  void write(int x, int y, std::string_view text, int size, const Color& color);
  [[nodiscard]] static int text_width(std::string_view text, int size);

  /// Throws datasets::IoError.
  void save_png(const std::filesystem::path& path) const;

 private:
  Color* at(int x, int y);

  int width_, height_;
  std::vector<Color> pixels_;
};

}  // namespace parte::apps
