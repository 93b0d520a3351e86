#include <apps/picture.hpp>

#include <apps/raster.hpp>
#include <apps/svg.hpp>
#include <datasets/text.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

namespace parte::apps {
namespace {

constexpr Color kSource{0.88f, 0.44f, 0.10f}, kTarget{0.17f, 0.42f, 0.69f};
constexpr Color kInk{0.2f, 0.2f, 0.2f}, kLine{0.82f, 0.82f, 0.82f};
constexpr int kColumnWidth = 800, kTitleHeight = 56, kTopHeight = 684, kSideHeight = 260;
constexpr int kWidth = 2 * kColumnWidth, kHeight = kTitleHeight + kTopHeight + kSideHeight;

/// The directions that point to the right and up in a picture.
struct View {
  Eigen::Vector3d right, up;
  double zoom;  ///< how much larger than needed for everything to fit
  std::string_view title;
};

/// In double precision up to the pixels: scans may lie millions of metres from the origin.
using Places = std::vector<Eigen::Vector2d>;

/// Points that are not finite have no place.
Places project(PointsView points, const Eigen::Isometry3d& T, const View& view) {
  Places places;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Eigen::Vector3d moved = T * points[i];
    if (moved.allFinite()) places.emplace_back(view.right.dot(moved), view.up.dot(moved));
  }
  return places;
}

/// The range of a coordinate without its outermost hundredths, which would make everything else small.
Eigen::Array2d robust_range(const Places& a, const Places& b, int axis) {
  constexpr double kTrim = 0.02;
  std::vector<double> values;
  for (const Places* places : {&a, &b})
    for (const auto& place : *places) values.push_back(place[axis]);
  if (values.empty()) return {-1.0, 1.0};
  const auto quantile = [&](double q) {
    const auto nth = values.begin() + static_cast<std::ptrdiff_t>(q * static_cast<double>(values.size() - 1));
    std::nth_element(values.begin(), nth, values.end());
    return *nth;
  };
  return {quantile(kTrim), quantile(1.0 - kTrim)};
}

/// Maps places onto an area of the picture.
struct Window {
  Rectangle area;
  Eigen::Vector2d center;
  double scale;  ///< pixels per metre

  [[nodiscard]] Eigen::Vector2f pixel(const Eigen::Vector2d& place) const {
    const Eigen::Vector2f offset = (scale * (place - center)).cast<float>();
    return {static_cast<float>(area.width) / 2 + offset.x(), static_cast<float>(area.height) / 2 - offset.y()};
  }
};

Window fit(const Rectangle& area, const Places& source, const Places& target, double zoom) {
  constexpr double kMargin = 1.12;
  const Eigen::Array2d right = robust_range(source, target, 0), up = robust_range(source, target, 1);
  const auto scale = [&](int pixels, const Eigen::Array2d& range) {
    return pixels / (kMargin * std::max(range[1] - range[0], 1e-3));
  };
  constexpr double kLeast = 1e-6;  // even if the range is infinite, there is a scale
  const double tight = scale(area.width, right), tall = scale(area.height, up);
  return {area, {0.5 * right.sum(), 0.5 * up.sum()}, std::max(kLeast, std::min(zoom * tight, tall))};
}

void draw_points(Canvas& canvas, const Window& window, const Places& places, const Color& color) {
  std::vector<Eigen::Vector2f> pixels(places.size());
  std::transform(places.begin(), places.end(), pixels.begin(), [&](const auto& place) { return window.pixel(place); });
  canvas.scatter(window.area, pixels, color);
}

/// A bar of 1, 2 or 5 times a power of ten metres.
void draw_scale(Canvas& canvas, const Window& window) {
  const double longest = window.area.width / 5.0 / window.scale;
  double length = std::pow(10.0, std::floor(std::log10(longest)));
  for (const double factor : {5.0, 2.0}) {
    if (factor * length <= longest) {
      length *= factor;
      break;
    }
  }
  std::array<char, 32> label{};
  std::snprintf(label.data(), label.size(), "%g m", length);
  const int x = window.area.left + 20, y = window.area.top + window.area.height - 24;
  canvas.fill({x, y, static_cast<int>(length * window.scale), 3}, kInk);
  canvas.write(x, y - 22, label.data(), 2, kInk);
}

/// One view of the clouds before and after, at the same scale.
void draw_row(Canvas& canvas, int top, int height, PointsView source, PointsView target,
              const Eigen::Isometry3d& T_target_source, const View& view) {
  const Places targets = project(target, Eigen::Isometry3d::Identity(), view);
  const std::array<Places, 2> sources = {project(source, Eigen::Isometry3d::Identity(), view),
                                         project(source, T_target_source, view)};
  std::array<Window, 2> windows = {fit({0, top, kColumnWidth, height}, sources[0], targets, view.zoom),
                                   fit({kColumnWidth, top, kColumnWidth, height}, sources[1], targets, view.zoom)};
  windows[0].scale = windows[1].scale = std::min(windows[0].scale, windows[1].scale);
  for (std::size_t column = 0; column < 2; ++column) {
    draw_points(canvas, windows[column], targets, kTarget);
    draw_points(canvas, windows[column], sources[column], kSource);
    draw_scale(canvas, windows[column]);
  }
  canvas.fill({0, top, kWidth, 1}, kLine);
  canvas.write(kColumnWidth - 20 - Canvas::text_width(view.title, 2), top + height - 34, view.title, 2, kInk);
}

std::array<View, 2> views(bool camera_frame) {
  const Eigen::Vector3d x = Eigen::Vector3d::UnitX(), y = Eigen::Vector3d::UnitY(), z = Eigen::Vector3d::UnitZ();
  if (camera_frame) return {View{x, -y, 1.0, "front"}, View{x, z, 1.0, "from above"}};
  // A street seen along itself, which is flat and long: facades become lines, if only its middle is shown.
  return {View{x, y, 1.0, "from above"}, View{-y, z, 2.0, "along x"}};
}

std::string extension_of(const std::filesystem::path& path) { return datasets::lower_case(path.extension().string()); }

std::unique_ptr<Canvas> canvas_for(const std::filesystem::path& path) {
  if (!is_picture_file(path)) throw std::invalid_argument(path.string() + ": a picture's name ends in .png or .svg");
  if (extension_of(path) == ".svg") return std::make_unique<Svg>(kWidth, kHeight);
  return std::make_unique<Raster>(kWidth, kHeight);
}

}  // namespace

bool is_picture_file(const std::filesystem::path& path) {
  const std::string extension = extension_of(path);
  return extension == ".png" || extension == ".svg";
}

void draw_alignment(const std::filesystem::path& path, PointsView source, PointsView target,
                    const Eigen::Isometry3d& T_target_source, const PictureOptions& options) {
  const std::unique_ptr<Canvas> owner = canvas_for(path);
  Canvas& canvas = *owner;
  const auto [first, second] = views(options.camera_frame);
  draw_row(canvas, kTitleHeight, kTopHeight, source, target, T_target_source, first);
  draw_row(canvas, kTitleHeight + kTopHeight, kSideHeight, source, target, T_target_source, second);
  canvas.write(20, 18, "before", 3, kInk);
  canvas.write(kColumnWidth + 20, 18, options.after, 3, kInk);
  canvas.write(kColumnWidth - 180, 22, "source", 2, kSource);
  canvas.write(kColumnWidth - 92, 22, "target", 2, kTarget);
  canvas.fill({kColumnWidth, 0, 1, kHeight}, kLine);
  canvas.save(path);
}

}  // namespace parte::apps
