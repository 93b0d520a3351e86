#pragma once

#include <Eigen/Core>
#include <vector>

namespace parte::datasets {

/// A line on the ground plan that is followed from its first point to its last.
class Path {
 public:
  struct Place {
    Eigen::Vector2d at;
    double heading;  ///< [rad]
  };

  Path() = default;
  /// At least two points; equal neighbours are dropped.
  explicit Path(const std::vector<Eigen::Vector2d>& points);

  [[nodiscard]] double length() const { return along_.back(); }
  [[nodiscard]] const std::vector<Eigen::Vector2d>& points() const { return points_; }
  /// `s` [m] from the start; ends are extended straight. `left` [m] beside the line.
  [[nodiscard]] Place at(double s, double left = 0.0) const;
  [[nodiscard]] Path resampled(double step) const;
  /// Corners rounded by averaging over `reach` [m] to either side; the ends stay.
  [[nodiscard]] Path smoothed(double reach) const;
  [[nodiscard]] Path reversed() const;
  /// From `from` to `to` [m] from the start.
  [[nodiscard]] Path part(double from, double to) const;
  /// The line `left` [m] beside this one, without `trim` [m] at either end.
  [[nodiscard]] Path beside(double left, double trim) const;

 private:
  std::vector<Eigen::Vector2d> points_;
  std::vector<double> along_;  ///< distance of each point from the start [m]
};

}  // namespace parte::datasets
