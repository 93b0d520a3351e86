#pragma once

#include <apps/canvas.hpp>

namespace parte::apps {

/// A canvas of pixels, saved as PNG. Everything outside of it is silently not drawn.
class Raster final : public Canvas {
 public:
  Raster(int width, int height);

  [[nodiscard]] int width() const { return width_; }

  /// Lays transparent ink over a pixel: 0 leaves it, 1 multiplies it by the colour.
  void tint(int x, int y, const Color& color, float coverage);
  void scatter(const Rectangle& area, const std::vector<Eigen::Vector2f>& points, const Color& color) override;
  /// A smooth line with round ends, `width` pixels wide; pixel (x, y) has its middle at (x, y).
  void line(float x0, float y0, float x1, float y1, float width, const Color& color);
  void fill(const Rectangle& area, const Color& color) override;
  /// Letters that font.hpp does not have stay blank.
  void write(int x, int y, std::string_view text, int size, const Color& color) override;
  void save(const std::filesystem::path& path) const override;

 private:
  Color* at(int x, int y);

  int width_, height_;
  std::vector<Color> pixels_;
};

}  // namespace parte::apps
