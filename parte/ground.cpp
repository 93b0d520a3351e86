#include <parte/ground.hpp>

#include <parte/require.hpp>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace parte {
namespace {

constexpr double kRadians = EIGEN_PI / 180.0;

struct LocalPlane {
  Eigen::Vector3d centroid;
  Eigen::Vector3d normal;  // upward
  std::size_t support;

  double height_at(double x, double y) const {
    return centroid.z() - (normal.x() * (x - centroid.x()) + normal.y() * (y - centroid.y())) / normal.z();
  }
};

struct Cell {
  std::vector<Index> points;
  std::optional<LocalPlane> plane;
  int component = -1;
};

using CellId = std::pair<int, int>;
using Grid = std::map<CellId, Cell>;  // ordered: iteration, hence the result, is reproducible

/// Clamped, so that no place overflows the index.
int cell_index(float coordinate, double cell) {
  return static_cast<int>(std::clamp(std::floor(coordinate / cell), -1e9, 1e9));
}

LocalPlane fit(const PointCloud& cloud, const std::vector<Index>& points) {
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();
  for (const Index i : points) mean += cloud.at(i);
  mean /= static_cast<double>(points.size());
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero();
  for (const Index i : points) covariance += (cloud.at(i) - mean) * (cloud.at(i) - mean).transpose();
  Eigen::Vector3d normal = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(covariance).eigenvectors().col(0);
  if (normal.z() < 0.0) normal = -normal;
  return {mean, normal, points.size()};
}

std::vector<Index> near_plane(const PointCloud& cloud, const std::vector<Index>& points, const LocalPlane& plane,
                              double tolerance) {
  std::vector<Index> near;
  for (const Index i : points)
    if (std::abs(plane.normal.dot(cloud.at(i) - plane.centroid)) <= tolerance) near.push_back(i);
  return near;
}

/// Starts from the lowest points, so that walls, cars and overhangs in the cell have no say.
std::optional<LocalPlane> lowest_plane(const PointCloud& cloud, std::vector<Index> points, const GroundOptions& o) {
  if (static_cast<int>(points.size()) < o.min_points) return std::nullopt;
  std::sort(points.begin(), points.end(), [&](Index a, Index b) { return cloud.points[a].z() < cloud.points[b].z(); });
  // A low percentile instead of the minimum: reflections put stray points below the ground.
  const double lowest = cloud.points[points[points.size() / 20]].z();
  std::vector<Index> support;
  for (const Index i : points)
    if (cloud.points[i].z() <= lowest + 2.0 * o.tolerance) support.push_back(i);
  for (int round = 0; round < 3; ++round) {
    if (static_cast<int>(support.size()) < std::max(3, o.min_points / 2)) return std::nullopt;
    const LocalPlane plane = fit(cloud, support);
    if (plane.normal.z() < std::cos(o.max_slope_deg * kRadians)) return std::nullopt;
    if (round == 2) return plane;
    support = near_plane(cloud, points, plane, o.tolerance);
  }
  return std::nullopt;
}

/// Could a vehicle drive from one to the other? No step, no sharp bend.
bool traversable(const LocalPlane& a, const LocalPlane& b, const GroundOptions& o) {
  const Eigen::Vector3d middle = 0.5 * (a.centroid + b.centroid);
  const double step = a.height_at(middle.x(), middle.y()) - b.height_at(middle.x(), middle.y());
  return std::abs(step) <= o.max_step && a.normal.dot(b.normal) >= std::cos(o.max_bend_deg * kRadians);
}

/// Visits the cells up to two steps away: occlusion leaves gaps of one cell in a road.
template <class Visit>
void for_each_near(Grid& grid, CellId id, Visit&& visit) {
  for (int dx = -2; dx <= 2; ++dx)
    for (int dy = -2; dy <= 2; ++dy)
      if (const auto it = grid.find({id.first + dx, id.second + dy}); it != grid.end()) visit(it->first, it->second);
}

/// Labels connected traversable cells and returns the label with most support, or -1.
int largest_component(Grid& grid, const GroundOptions& options) {
  int components = 0, best = -1;
  std::size_t best_support = 0;
  for (auto& [start, first] : grid) {
    if (!first.plane || first.component >= 0) continue;
    std::size_t support = 0;
    std::vector<CellId> frontier{start};
    first.component = components;
    while (!frontier.empty()) {
      const CellId id = frontier.back();
      frontier.pop_back();
      const LocalPlane& plane = *grid.at(id).plane;
      support += plane.support;
      for_each_near(grid, id, [&](CellId next, Cell& cell) {
        if (!cell.plane || cell.component >= 0 || !traversable(plane, *cell.plane, options)) return;
        cell.component = components;
        frontier.push_back(next);
      });
    }
    if (support > best_support) best_support = support, best = components;
    ++components;
  }
  return best;
}

/// The cell's own plane if it belongs to the ground, else that of the nearest cell that does.
const LocalPlane* ground_plane_of(Grid& grid, CellId id, int ground) {
  const LocalPlane* plane = nullptr;
  int nearest = 9;
  for_each_near(grid, id, [&](CellId other, Cell& cell) {
    const int dx = other.first - id.first, dy = other.second - id.second;
    if (cell.component == ground && dx * dx + dy * dy < nearest) nearest = dx * dx + dy * dy, plane = &*cell.plane;
  });
  return plane;
}

}  // namespace

void GroundOptions::validate() const {
  require(cell >= 0.01 && std::isfinite(cell), "GroundOptions::cell must be finite and at least 0.01");
  require_positive(tolerance, "GroundOptions::tolerance");
  require(max_slope_deg > 0.0 && max_slope_deg < 90.0, "GroundOptions::max_slope_deg must lie between 0 and 90");
  require(max_bend_deg > 0.0 && max_bend_deg <= 180.0, "GroundOptions::max_bend_deg must lie in (0, 180]");
  require_positive(max_step, "GroundOptions::max_step");
  require(min_points >= 3, "GroundOptions::min_points must be at least 3");
}

std::vector<bool> segment_ground(const PointCloud& cloud, const GroundOptions& options) {
  options.validate();
  Grid grid;
  for (Index i = 0; i < cloud.size(); ++i) {
    const auto& p = cloud.points[i];
    grid[{cell_index(p.x(), options.cell), cell_index(p.y(), options.cell)}].points.push_back(i);
  }
  for (auto& [id, cell] : grid) cell.plane = lowest_plane(cloud, cell.points, options);

  std::vector<bool> ground(cloud.size(), false);
  const int component = largest_component(grid, options);
  if (component < 0) return ground;
  for (auto& [id, cell] : grid) {
    const LocalPlane* plane = ground_plane_of(grid, id, component);
    if (plane == nullptr) continue;
    for (const Index i : cell.points) {
      const bool close = std::abs(plane->normal.dot(cloud.at(i) - plane->centroid)) <= options.tolerance;
      // A wall's foot is close to the ground too, but does not face up.
      const bool faces_up = !cloud.has_normal(i) || std::abs(plane->normal.dot(cloud.normal(i))) > 0.7;
      ground[i] = close && faces_up;
    }
  }
  return ground;
}

}  // namespace parte
