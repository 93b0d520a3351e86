#pragma once

#include <apps/eval_planes.hpp>

#include <filesystem>
#include <string>

namespace parte::apps {

/// How one descriptor does as its limit or its confidence changes.
struct PlaneCurves {
  std::string name;
  std::vector<CurvePoint> precision_recall, confidence;
};
[[nodiscard]] PlaneCurves plane_curves(PlaneDescriptor descriptor, const PlaneTally& tally);

/// Columns descriptor, curve, x, y, count; names must not have commas.
[[nodiscard]] std::string curves_csv(const std::vector<PlaneCurves>& curves);

/// A PNG of both kinds of curves side by side, one colour per descriptor. Throws datasets::IoError.
void draw_curves(const std::filesystem::path& path, const std::vector<PlaneCurves>& curves);

}  // namespace parte::apps
