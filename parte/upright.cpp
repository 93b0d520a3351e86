#include <parte/upright.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

namespace parte {
namespace {

// docs/ALGORITHM.md, "Deviations", says why.
constexpr float kHeightWeight = 15.0f;  // [1/m]
constexpr float kUpWeight = 20.0f;
constexpr double kCell = 4.0;  // [m]
constexpr int kReach = 3;      // [cells] farther ground is not that of the place

/// The mean height of the ground in cells of the xy plane.
class GroundHeights {
 public:
  GroundHeights(const PointCloud& cloud, const std::vector<Index>& ground) {
    for (const Index i : ground) {
      Sum& sum = cells_[cell_of(cloud.points[i])];
      sum.height += cloud.points[i].z();
      sum.count += 1.0;
    }
  }

  /// Over the cell of the place or, if it has no ground, over the nearest ring of cells that has.
  [[nodiscard]] std::optional<double> around(const Eigen::Vector3f& place) const {
    const auto [x, y] = cell_of(place);
    for (int ring = 0; ring <= kReach; ++ring) {
      Sum sum;
      for (int dx = -ring; dx <= ring; ++dx)
        for (int dy = -ring; dy <= ring; ++dy) {
          if (std::max(std::abs(dx), std::abs(dy)) != ring) continue;
          const auto found = cells_.find({x + dx, y + dy});
          if (found != cells_.end()) sum.height += found->second.height, sum.count += found->second.count;
        }
      if (sum.count > 0.0) return sum.height / sum.count;
    }
    return std::nullopt;
  }

 private:
  struct Sum {
    double height = 0.0, count = 0.0;
  };
  using Cell = std::pair<int, int>;
  /// Clamped, so that no place overflows the index.
  static int index_of(float coordinate) {
    return static_cast<int>(std::clamp(std::floor(coordinate / kCell), -1e9, 1e9));
  }
  static Cell cell_of(const Eigen::Vector3f& p) { return {index_of(p.x()), index_of(p.y())}; }

  std::map<Cell, Sum> cells_;
};

}  // namespace

UprightMatrix describe_upright(const PointCloud& cloud, std::span<const Index> centers, const PlanarPatch& ground) {
  const GroundHeights heights(cloud, ground.indices);
  UprightMatrix rows(static_cast<Eigen::Index>(centers.size()), 2);
  for (std::size_t k = 0; k < centers.size(); ++k) {
    const Eigen::Vector3f& p = cloud.points[centers[k]];
    const std::optional<double> below = heights.around(p);
    const double height = below ? p.z() - *below : ground.normal.dot(p.cast<double>() - ground.centroid);
    const double up = ground.normal.dot(cloud.normal(centers[k]));
    rows.row(static_cast<Eigen::Index>(k)) << kHeightWeight * static_cast<float>(height),
        kUpWeight * static_cast<float>(up);
  }
  return rows;
}

}  // namespace parte
