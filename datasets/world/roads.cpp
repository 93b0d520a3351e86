#include <datasets/world/roads.hpp>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace parte::datasets {
namespace {

double distance(const Eigen::Vector2d& p, const Eigen::Vector2d& a, const Eigen::Vector2d& b) {
  const Eigen::Vector2d ab = b - a;
  const double t = std::clamp(ab.dot(p - a) / ab.squaredNorm(), 0.0, 1.0);
  return (p - a - t * ab).norm();
}

}  // namespace

void RoadNetwork::connect(std::size_t from, std::size_t to, double half_width, double bend) {
  constexpr int kPieces = 16;
  const Eigen::Vector2d a = crossings[from], b = crossings[to], ab = b - a;
  const Eigen::Vector2d side = Eigen::Vector2d(-ab.y(), ab.x()).normalized();
  std::vector<Eigen::Vector2d> points;
  for (int i = 0; i <= kPieces; ++i) {
    const double t = static_cast<double>(i) / kPieces;
    points.emplace_back(a + t * ab + 4.0 * t * (1.0 - t) * bend * side);
  }
  roads.push_back({from, to, Path(points), half_width});
}

Eigen::AlignedBox2d RoadNetwork::bounds() const {
  Eigen::AlignedBox2d box;
  for (const Road& road : roads)
    for (const Eigen::Vector2d& p : road.path.points()) box.extend(p);
  return box;
}

Eigen::Array2i RoadNetwork::cell_of(const Eigen::Vector2d& at) const {
  return ((at - corner_).array() / kCell).floor().cast<int>();
}

void RoadNetwork::index() {
  constexpr double kReach = kFar + 20.0;  // of clearance, with the widest road and a cell's size to spare
  const Eigen::AlignedBox2d box = bounds();
  corner_ = box.min().array() - kReach;
  count_ = ((box.max() - corner_).array() + kReach).ceil().cast<int>() / static_cast<int>(kCell) + 1;
  cells_.assign(static_cast<std::size_t>(count_.x()) * static_cast<std::size_t>(count_.y()), {});
  for (const Road& road : roads)
    for (std::size_t k = 1; k < road.path.points().size(); ++k) {
      const Segment segment{road.path.points()[k - 1], road.path.points()[k], road.half_width};
      const Eigen::Vector2d low = segment.a.cwiseMin(segment.b).array() - kReach;
      const Eigen::Vector2d high = segment.a.cwiseMax(segment.b).array() + kReach;
      const Eigen::Array2i first = cell_of(low).max(0), last = cell_of(high).min(count_ - 1);
      for (int y = first.y(); y <= last.y(); ++y)
        for (int x = first.x(); x <= last.x(); ++x)
          cells_[static_cast<std::size_t>(y) * static_cast<std::size_t>(count_.x()) + static_cast<std::size_t>(x)]
              .push_back(segment);
    }
}

double RoadNetwork::clearance(const Eigen::Vector2d& at) const {
  const Eigen::Array2i cell = cell_of(at);
  if ((cell < 0).any() || (cell >= count_).any()) return kFar;
  double least = kFar;
  for (const Segment& s : cells_[static_cast<std::size_t>(cell.y()) * static_cast<std::size_t>(count_.x()) +
                                 static_cast<std::size_t>(cell.x())])
    least = std::min(least, distance(at, s.a, s.b) - s.half_width);
  return least;
}

Path RoadNetwork::directed(std::size_t from, std::size_t to) const {
  for (const Road& road : roads) {
    if (road.from == from && road.to == to) return road.path;
    if (road.from == to && road.to == from) return road.path.reversed();
  }
  throw std::invalid_argument("no road leads from crossing " + std::to_string(from) + " to " + std::to_string(to));
}

Path RoadNetwork::route(const std::vector<Stop>& stops) const {
  constexpr double kTurn = 9.0;  // [m] before a crossing where a car begins to turn
  std::vector<Eigen::Vector2d> points;
  for (std::size_t k = 1; k < stops.size(); ++k) {
    const Path lane = directed(stops[k - 1].crossing, stops[k].crossing).beside(-stops[k].lane, kTurn);
    points.insert(points.end(), lane.points().begin(), lane.points().end());
  }
  return Path(points).smoothed(4.0).smoothed(4.0);
}

}  // namespace parte::datasets
