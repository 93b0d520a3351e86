#pragma once

#include <datasets/world/builder.hpp>

#include <cmath>
#include <set>
#include <utility>

namespace parte::datasets {

/// Which square metres of a ground plan are taken.
class Plan {
 public:
  /// Takes the rectangle between two corners of the frame if all of it is free and `allowed`.
  template <class Allowed>
  bool claim(const Frame& T, const Eigen::Vector2d& low, const Eigen::Vector2d& high, Allowed&& allowed) {
    std::set<std::pair<int, int>> wanted;
    for (double x = low.x(); x <= high.x(); x += 0.5)
      for (double y = low.y(); y <= high.y(); y += 0.5) {
        const Eigen::Vector2d at = (T * Eigen::Vector3d(x, y, 0.0)).head<2>();
        const std::pair cell(static_cast<int>(std::floor(at.x())), static_cast<int>(std::floor(at.y())));
        if (taken_.contains(cell) || !allowed(at)) return false;
        wanted.insert(cell);
      }
    taken_.merge(wanted);
    return true;
  }

 private:
  std::set<std::pair<int, int>> taken_;
};

}  // namespace parte::datasets
