#include <datasets/world/path.hpp>

#include <algorithm>
#include <cmath>

namespace parte::datasets {

Path::Path(const std::vector<Eigen::Vector2d>& points) {
  for (const Eigen::Vector2d& p : points) {
    const double step = points_.empty() ? 0.0 : (p - points_.back()).norm();
    if (!points_.empty() && step < 1e-9) continue;
    along_.push_back(points_.empty() ? 0.0 : along_.back() + step);
    points_.push_back(p);
  }
}

Path::Place Path::at(double s, double left) const {
  const auto after = std::upper_bound(along_.begin() + 1, along_.end() - 1, s);
  const auto k = static_cast<std::size_t>(after - along_.begin());
  const Eigen::Vector2d direction = (points_[k] - points_[k - 1]).normalized();
  const Eigen::Vector2d side(-direction.y(), direction.x());
  return {points_[k - 1] + (s - along_[k - 1]) * direction + left * side, std::atan2(direction.y(), direction.x())};
}

Path Path::resampled(double step) const {
  std::vector<Eigen::Vector2d> points;
  const int count = std::max(1, static_cast<int>(std::ceil(length() / step)));
  for (int i = 0; i <= count; ++i) points.push_back(at(length() * i / count).at);
  return Path(points);
}

Path Path::smoothed(double reach) const {
  constexpr double kStep = 0.5;
  const Path fine = resampled(kStep);
  const auto n = static_cast<int>(fine.points_.size());
  std::vector<Eigen::Vector2d> points;
  for (int i = 0; i < n; ++i) {
    const int half = std::min({static_cast<int>(reach / kStep), i, n - 1 - i});
    Eigen::Vector2d sum = Eigen::Vector2d::Zero();
    for (int k = i - half; k <= i + half; ++k) sum += fine.points_[static_cast<std::size_t>(k)];
    points.emplace_back(sum / (2 * half + 1));
  }
  return Path(points);
}

Path Path::reversed() const { return Path({points_.rbegin(), points_.rend()}); }

Path Path::part(double from, double to) const {
  std::vector<Eigen::Vector2d> points{at(from).at};
  for (std::size_t k = 0; k < points_.size(); ++k)
    if (along_[k] > from && along_[k] < to) points.push_back(points_[k]);
  points.push_back(at(to).at);
  return Path(points);
}

Path Path::beside(double left, double trim) const {
  std::vector<Eigen::Vector2d> points;
  const double end = length() - trim;
  for (double s = trim; s < end; s += 2.0) points.push_back(at(s, left).at);
  points.push_back(at(end, left).at);
  return Path(points);
}

}  // namespace parte::datasets
