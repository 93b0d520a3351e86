#pragma once

#include <apps/font.hpp>

#include <Eigen/Core>
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

/// Of a single point's ink.
inline constexpr float kOpacity = 0.4f;

/// What a picture is drawn on, in pixels from the upper left corner; white at first.
class Canvas {
 public:
  Canvas() = default;
  Canvas(const Canvas&) = delete;
  Canvas& operator=(const Canvas&) = delete;
  virtual ~Canvas() = default;

  /// Transparent ink of one colour: a place gets darker with every point on it, up to the colour times what is below,
  /// as on paper. Points are relative to the area; those outside of it are not drawn.
  virtual void scatter(const Rectangle& area, const std::vector<Eigen::Vector2f>& points, const Color& color) = 0;
  virtual void fill(const Rectangle& area, const Color& color) = 0;
  /// (x, y) is the upper left corner. `size` is that of a dot of font.hpp, whose letters set the measure.
  virtual void write(int x, int y, std::string_view text, int size, const Color& color) = 0;
  [[nodiscard]] static int text_width(std::string_view text, int size) {
    return static_cast<int>(text.size()) * (kGlyphWidth + 1) * size - size;
  }

  /// Throws datasets::IoError.
  virtual void save(const std::filesystem::path& path) const = 0;
};

}  // namespace parte::apps
