#pragma once

#include <parte/types.hpp>
#include <span>

namespace parte {

/// The neighbours of a set of points, at most `stride` each, the point itself included (unless
/// more than `stride` points coincide with it); in a reproducible order.
struct Neighborhoods {
  std::size_t stride = 0;
  std::vector<Index> counts;
  std::vector<Index> indices;
  std::vector<float> squared_distances;

  [[nodiscard]] std::size_t size() const { return counts.size(); }
  [[nodiscard]] std::span<const Index> operator[](std::size_t i) const {
    return {indices.data() + i * stride, counts[i]};
  }
  [[nodiscard]] std::span<const float> distances(std::size_t i) const {
    return {squared_distances.data() + i * stride, counts[i]};
  }
};

/// For each point: the points within `radius` [m], or the nearest `max_neighbors` of them, ties to the lower index.
[[nodiscard]] Neighborhoods radius_neighbors(const std::vector<Eigen::Vector3f>& points, double radius,
                                             int max_neighbors);
/// The same for some points only: row k belongs to points[queries[k]].
[[nodiscard]] Neighborhoods radius_neighbors(const std::vector<Eigen::Vector3f>& points, double radius,
                                             int max_neighbors, std::span<const Index> queries);

/// A cell grid over a fixed cloud that answers radius and nearest-neighbour queries at any place.
class NeighborGrid {
 public:
  /// `cell` [m]: the largest radius that queries may use.
  NeighborGrid(const std::vector<Eigen::Vector3f>& points, double cell);

  /// A run of points whose cells are adjacent in memory.
  struct Range {
    Index begin, end;
  };
  /// The at most nine runs that hold all points of the 3 x 3 x 3 cells around `place`. Returns their number.
  int ranges_around(const Eigen::Vector3f& place, std::span<Range, 9> ranges) const;
  /// The same for those of these cells that hold all points closer than `radius` (<= cell).
  int ranges_within(const Eigen::Vector3f& place, float radius, std::span<Range, 9> ranges) const;

  static constexpr Index kNone = ~Index{0};
  /// The point nearest to `place` among those accepted by `accept` and closer than `radius` (<= cell), or kNone.
  template <class Accept>
  Index nearest(const Eigen::Vector3f& place, float radius, Accept&& accept) const;
  [[nodiscard]] Index nearest(const Eigen::Vector3f& place, float radius) const {
    return nearest(place, radius, [](Index) { return true; });
  }

  /// Coordinates in cell order, and the index each had in the cloud.
  [[nodiscard]] const std::vector<float>& axis(int k) const { return axes_[k]; }
  [[nodiscard]] const std::vector<Index>& order() const { return order_; }

 private:
  struct Column {
    std::uint64_t key = ~std::uint64_t{0};  // of its x and y; no column has this one
    Index first_cell = 0, last_cell = 0;    // into cell_z_ and starts_, one past the end
  };
  [[nodiscard]] float cell_coordinate(float coordinate, int axis) const {
    return (coordinate - corner_[axis]) * inverse_cell_;
  }
  [[nodiscard]] std::int64_t cell_index(float coordinate, int axis) const;
  [[nodiscard]] const Column& column_at(std::uint64_t key) const;

  float inverse_cell_ = 1.0f;
  Eigen::Vector3f corner_ = Eigen::Vector3f::Zero();
  std::vector<std::int64_t> cell_z_;  // of the occupied cells, column by column, ascending in each
  std::vector<Index> starts_;         // first point of each cell; one more entry than cells
  std::vector<Column> columns_;       // a hash table: open addressing, a power of two in size
  std::vector<Index> order_;
  std::vector<float> axes_[3];
};

template <class Accept>
Index NeighborGrid::nearest(const Eigen::Vector3f& place, float radius, Accept&& accept) const {
  Range ranges[9];
  const int count = ranges_within(place, radius, ranges);
  float best = radius * radius;
  Index found = kNone;
  for (int r = 0; r < count; ++r) {
    for (Index k = ranges[r].begin; k < ranges[r].end; ++k) {
      const float dx = axes_[0][k] - place.x(), dy = axes_[1][k] - place.y(), dz = axes_[2][k] - place.z();
      const float d2 = dx * dx + dy * dy + dz * dz;
      if (d2 < best && accept(order_[k])) best = d2, found = order_[k];
    }
  }
  return found;
}

}  // namespace parte
