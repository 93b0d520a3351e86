#pragma once

#include <apps/canvas.hpp>

#include <sstream>

namespace parte::apps {

/// A canvas saved as SVG. Points are merged on a grid of two pixels, the size of a point's dot, and to three depths of
/// ink, so that the file stays small however many there are.
class Svg final : public Canvas {
 public:
  Svg(int width, int height);

  void scatter(const Rectangle& area, const std::vector<Eigen::Vector2f>& points, const Color& color) override;
  void fill(const Rectangle& area, const Color& color) override;
  void write(int x, int y, std::string_view text, int size, const Color& color) override;
  void save(const std::filesystem::path& path) const override;

 private:
  std::ostringstream body_;
};

}  // namespace parte::apps
