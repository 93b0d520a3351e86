#pragma once

#include <parte/registration.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace parte::apps {

/// A planar patch by the corners of the smallest rectangle along its principal axes that holds its points.
using PatchCorners = std::array<Eigen::Vector3f, 4>;

/// What a registration was made of, to be drawn: 24 bytes for each of at most 60 point pairs and 96 for each of at most
/// 30 plane pairs, 4.3 kB.
struct LoopDetail {
  struct PointPair {
    Eigen::Vector3f source, target;
  };
  struct PlanePair {
    PatchCorners source, target;
  };
  std::vector<PointPair> points;  ///< each in the frame of its scan
  std::vector<PlanePair> planes;

  [[nodiscard]] bool empty() const { return points.empty() && planes.empty(); }
};

/// Of pairs beyond the limits, evenly chosen ones.
[[nodiscard]] LoopDetail loop_detail(const Result& result, const Features& source, const Features& target);

[[nodiscard]] PatchCorners patch_corners(const PointCloud& cloud, const PlanarPatch& patch);

/// At most `limit` of the values, as evenly spread as can be.
template <class T>
[[nodiscard]] std::vector<T> evenly_chosen(const std::vector<T>& values, std::size_t limit) {
  const std::size_t count = std::min(limit, values.size());
  std::vector<T> chosen;
  for (std::size_t k = 0; k < count; ++k) chosen.push_back(values[k * values.size() / count]);
  return chosen;
}

/// As bytes, and back. Throws std::invalid_argument for bytes that are none.
void put_detail(std::string& bytes, const LoopDetail& detail);
[[nodiscard]] LoopDetail take_detail(std::string_view& bytes);

}  // namespace parte::apps
