#include <apps/eval_curves.hpp>

#include <apps/csv.hpp>
#include <apps/raster.hpp>

#include <algorithm>
#include <cmath>

namespace parte::apps {
namespace {

constexpr Color kInk{0.2f, 0.2f, 0.2f}, kAxis{0.55f, 0.55f, 0.55f}, kGrid{0.89f, 0.89f, 0.89f};
// Told apart by all eyes (after Okabe and Ito).
constexpr std::array kColors = {Color{0.00f, 0.45f, 0.70f}, Color{0.84f, 0.37f, 0.00f}, Color{0.00f, 0.62f, 0.45f},
                                Color{0.80f, 0.47f, 0.65f}, Color{0.90f, 0.62f, 0.00f}, Color{0.34f, 0.71f, 0.91f}};
constexpr int kPlot = 560, kLeft = 90, kTop = 80, kPanel = kLeft + kPlot + 50, kHeight = kTop + kPlot + 140;
constexpr int kLetters = 2, kLetterHeight = 8 * kLetters;

const Color& color_of(std::size_t k) { return kColors[k % kColors.size()]; }

/// A square of [0, 1] x [0, 1].
struct Axes {
  int left = 0;

  [[nodiscard]] float x(double value) const { return static_cast<float>(left + kPlot * value); }
  [[nodiscard]] static float y(double value) { return static_cast<float>(kTop + kPlot * (1.0 - value)); }
};

void write_centred(Raster& raster, int x, int y, std::string_view text) {
  raster.write(x - Raster::text_width(text, kLetters) / 2, y, text, kLetters, kInk);
}

/// The name of y stands above its axis, where it can be read without turning the head.
void draw_axes(Raster& raster, const Axes& axes, std::string_view x_name, std::string_view y_name) {
  constexpr std::array<std::string_view, 6> kTicks = {"0", "0.2", "0.4", "0.6", "0.8", "1"};
  for (std::size_t k = 0; k < kTicks.size(); ++k) {
    const double value = 0.2 * static_cast<double>(k);
    const int x = static_cast<int>(std::lround(axes.x(value))), y = static_cast<int>(std::lround(Axes::y(value)));
    raster.fill({x, kTop, 1, kPlot}, kGrid);
    raster.fill({axes.left, y, kPlot, 1}, kGrid);
    write_centred(raster, x, kTop + kPlot + 14, kTicks[k]);
    raster.write(axes.left - 12 - Raster::text_width(kTicks[k], kLetters), y - kLetterHeight / 2, kTicks[k], kLetters,
                 kInk);
  }
  raster.fill({axes.left, kTop, 2, kPlot}, kAxis);
  raster.fill({axes.left, kTop + kPlot, kPlot, 2}, kAxis);
  write_centred(raster, axes.left + kPlot / 2, kTop + kPlot + 46, x_name);
  raster.write(axes.left - 30, kTop - 44, y_name, kLetters, kInk);
}

void draw_lines(Raster& raster, const Axes& axes, const std::vector<CurvePoint>& curve, const Color& color) {
  for (std::size_t k = 1; k < curve.size(); ++k)
    raster.line(axes.x(curve[k - 1].x), Axes::y(curve[k - 1].y), axes.x(curve[k].x), Axes::y(curve[k].y), 2.5f, color);
}

/// The area of a dot is its part of the matches: bins of a few say little.
void draw_dots(Raster& raster, const Axes& axes, const std::vector<CurvePoint>& curve, const Color& color) {
  constexpr double kSmallest = 5.0, kAllMatches = 48.0;  // diameters [pixels]
  double matches = 0.0;
  for (const CurvePoint& p : curve) matches += static_cast<double>(p.count);
  for (const CurvePoint& p : curve) {
    const auto size = std::max(kSmallest, kAllMatches * std::sqrt(static_cast<double>(p.count) / matches));
    raster.line(axes.x(p.x), Axes::y(p.y), axes.x(p.x), Axes::y(p.y), static_cast<float>(size), color);
  }
}

void draw_legend(Raster& raster, const std::vector<PlaneCurves>& curves) {
  constexpr int kDash = 36, kGap = 12, kBetween = 44, y = kHeight - 36;
  int width = -kBetween;
  for (const PlaneCurves& c : curves) width += kDash + kGap + Raster::text_width(c.name, kLetters) + kBetween;
  int x = (raster.width() - width) / 2;
  for (std::size_t k = 0; k < curves.size(); ++k) {
    const auto left = static_cast<float>(x), middle = static_cast<float>(y + kLetterHeight / 2 - 1);
    raster.line(left, middle, left + kDash, middle, 4.0f, color_of(k));
    raster.write(x + kDash + kGap, y, curves[k].name, kLetters, kInk);
    x += kDash + kGap + Raster::text_width(curves[k].name, kLetters) + kBetween;
  }
}

void append(Csv& csv, const std::string& name, const char* curve, const std::vector<CurvePoint>& points) {
  for (const CurvePoint& p : points) {
    csv << name << curve << p.x << p.y << p.count;
    csv.end_line();
  }
}

}  // namespace

PlaneCurves plane_curves(PlaneDescriptor descriptor, const PlaneTally& tally) {
  constexpr std::size_t kPoints = 200, kBins = 10;
  return {std::string(to_string(descriptor)), precision_recall(tally, kPoints), confidence_calibration(tally, kBins)};
}

std::string curves_csv(const std::vector<PlaneCurves>& curves) {
  Csv csv("descriptor,curve,x,y,count\n");
  for (const PlaneCurves& c : curves) {
    append(csv, c.name, "precision-recall", c.precision_recall);
    append(csv, c.name, "confidence", c.confidence);
  }
  return csv.text();
}

void draw_curves(const std::filesystem::path& path, const std::vector<PlaneCurves>& curves) {
  Raster raster(2 * kPanel, kHeight);
  const Axes left{kLeft}, right{kPanel + kLeft};
  draw_axes(raster, left, "recall", "precision");
  draw_axes(raster, right, "confidence", "part that is right - larger dots hold more matches");
  for (std::size_t k = curves.size(); k-- > 0;) {  // the first on top
    draw_lines(raster, left, curves[k].precision_recall, color_of(k));
    draw_lines(raster, right, curves[k].confidence, color_of(k));
    draw_dots(raster, right, curves[k].confidence, color_of(k));
  }
  draw_legend(raster, curves);
  raster.save(path);
}

}  // namespace parte::apps
