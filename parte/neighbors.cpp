#include <parte/neighbors.hpp>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace parte {
namespace {

constexpr std::int64_t kAxisCells = std::int64_t{1} << 21;

std::uint64_t column_key(std::int64_t x, std::int64_t y) {
  return (static_cast<std::uint64_t>(x) << 21) | static_cast<std::uint64_t>(y);
}

/// Fibonacci hashing: neighbouring columns land far apart.
std::size_t slot_of(std::uint64_t key, std::size_t table_size) {
  return static_cast<std::size_t>((key * 0x9E3779B97F4A7C15ull) >> 32) & (table_size - 1);
}

struct Candidate {
  float squared_distance;
  Index index;
  friend bool operator<(const Candidate& a, const Candidate& b) {
    return a.squared_distance != b.squared_distance ? a.squared_distance < b.squared_distance : a.index < b.index;
  }
};

/// All points within the radius of `place`, as candidates, in grid order.
void collect(const NeighborGrid& grid, const Eigen::Vector3f& place, float squared_radius,
             std::vector<float>& distances, std::vector<Candidate>& found) {
  NeighborGrid::Range ranges[9];
  const int count = grid.ranges_around(place, ranges);
  found.clear();
  for (int r = 0; r < count; ++r) {
    const auto [begin, end] = ranges[r];
    distances.resize(end - begin);
    const float* x = grid.axis(0).data() + begin;
    const float* y = grid.axis(1).data() + begin;
    const float* z = grid.axis(2).data() + begin;
    const float px = place.x(), py = place.y(), pz = place.z();
    float* d = distances.data();
    for (Index k = 0; k < end - begin; ++k) {
      const float dx = x[k] - px, dy = y[k] - py, dz = z[k] - pz;
      d[k] = dx * dx + dy * dy + dz * dz;
    }
    for (Index k = 0; k < end - begin; ++k)
      if (d[k] <= squared_radius) found.push_back({d[k], grid.order()[begin + k]});
  }
}

}  // namespace

NeighborGrid::NeighborGrid(const std::vector<Eigen::Vector3f>& points, double cell)
    : inverse_cell_(static_cast<float>(1.0 / cell)) {
  if (!(cell > 0.0)) throw std::invalid_argument("the neighbour radius must be positive");
  if (!points.empty()) corner_ = points.front();
  for (const auto& p : points) corner_ = corner_.cwiseMin(p);
  struct Item {
    std::uint64_t cell;  // column, then z
    Index index;
  };
  std::vector<Item> items(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const auto& p = points[i];
    const std::uint64_t column = column_key(cell_index(p.x(), 0), cell_index(p.y(), 1));
    items[i] = {(column << 21) | static_cast<std::uint64_t>(cell_index(p.z(), 2)), static_cast<Index>(i)};
  }
  std::sort(items.begin(), items.end(),
            [](const Item& a, const Item& b) { return a.cell != b.cell ? a.cell < b.cell : a.index < b.index; });
  order_.resize(points.size());
  for (auto& axis : axes_) axis.resize(points.size());
  std::vector<Column> columns;
  for (std::size_t k = 0; k < items.size(); ++k) {
    order_[k] = items[k].index;
    for (int axis = 0; axis < 3; ++axis) axes_[axis][k] = points[items[k].index][axis];
    if (k > 0 && items[k].cell == items[k - 1].cell) continue;
    if (columns.empty() || columns.back().key != items[k].cell >> 21)
      columns.push_back({items[k].cell >> 21, static_cast<Index>(cell_z_.size()), 0});
    cell_z_.push_back(static_cast<std::int64_t>(items[k].cell & (kAxisCells - 1)));
    starts_.push_back(static_cast<Index>(k));
    columns.back().last_cell = static_cast<Index>(cell_z_.size());
  }
  starts_.push_back(static_cast<Index>(points.size()));
  columns_.resize(std::bit_ceil(2 * columns.size() + 2));
  for (const Column& column : columns) {
    std::size_t slot = slot_of(column.key, columns_.size());
    while (columns_[slot].last_cell != 0) slot = (slot + 1) & (columns_.size() - 1);
    columns_[slot] = column;
  }
}

std::int64_t NeighborGrid::cell_index(float coordinate, int axis) const {
  // Offset so that the cells around the first one have keys too; limited so that no place overflows the key, not even
  // what is no number, of which std::max makes 0 in this order.
  const float cell = std::floor(cell_coordinate(coordinate, axis)) + 2.0f;
  return static_cast<std::int64_t>(std::min(std::max(0.0f, cell), static_cast<float>(kAxisCells - 2)));
}

const NeighborGrid::Column& NeighborGrid::column_at(std::uint64_t key) const {
  std::size_t slot = slot_of(key, columns_.size());
  while (columns_[slot].last_cell != 0 && columns_[slot].key != key) slot = (slot + 1) & (columns_.size() - 1);
  return columns_[slot];
}

int NeighborGrid::ranges_around(const Eigen::Vector3f& place, std::span<Range, 9> ranges) const {
  return ranges_within(place, 1.0f / inverse_cell_, ranges);
}

int NeighborGrid::ranges_within(const Eigen::Vector3f& place, float radius, std::span<Range, 9> ranges) const {
  std::int64_t low[3], high[3];
  for (int k = 0; k < 3; ++k) {
    const float at = cell_coordinate(place[k], k), beyond = at - std::floor(at);
    const std::int64_t cell = cell_index(place[k], k);
    const float reach = radius * inverse_cell_ + 1e-3f + 1e-6f * std::abs(at);  // more than rounding can take away
    low[k] = beyond < reach ? std::max<std::int64_t>(cell - 1, 0) : cell;
    high[k] = beyond + reach >= 1.0f ? cell + 1 : cell;
  }
  int count = 0;
  for (std::int64_t x = low[0]; x <= high[0]; ++x)
    for (std::int64_t y = low[1]; y <= high[1]; ++y) {
      const Column& column = column_at(column_key(x, y));
      // Cells of a column are stored by ascending z: those between low and high are one run.
      Index first = column.first_cell, last = column.last_cell;
      while (first < last && cell_z_[first] < low[2]) ++first;
      while (last > first && cell_z_[last - 1] > high[2]) --last;
      if (first < last) ranges[static_cast<std::size_t>(count++)] = {starts_[first], starts_[last]};
    }
  return count;
}

Neighborhoods radius_neighbors(const std::vector<Eigen::Vector3f>& points, double radius, int max_neighbors) {
  std::vector<Index> all(points.size());
  std::iota(all.begin(), all.end(), Index{0});
  return radius_neighbors(points, radius, max_neighbors, all);
}

Neighborhoods radius_neighbors(const std::vector<Eigen::Vector3f>& points, double radius, int max_neighbors,
                               std::span<const Index> queries) {
  if (max_neighbors < 1) throw std::invalid_argument("max_neighbors must be at least 1");
  Neighborhoods result;
  result.stride = std::min(static_cast<std::size_t>(max_neighbors), points.size());
  result.counts.resize(queries.size());
  result.indices.resize(queries.size() * result.stride);
  result.squared_distances.resize(queries.size() * result.stride);
  const NeighborGrid grid(points, radius);
  const auto squared_radius = static_cast<float>(radius * radius);
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, queries.size(), 256), [&](const auto& block) {
    std::vector<float> distances;
    std::vector<Candidate> found;
    for (std::size_t q = block.begin(); q != block.end(); ++q) {
      collect(grid, points[queries[q]], squared_radius, distances, found);
      if (found.size() > result.stride) {
        std::nth_element(found.begin(), found.begin() + max_neighbors - 1, found.end());
        found.resize(result.stride);
      }
      result.counts[q] = static_cast<Index>(found.size());
      for (std::size_t k = 0; k < found.size(); ++k) {
        result.indices[q * result.stride + k] = found[k].index;
        result.squared_distances[q * result.stride + k] = found[k].squared_distance;
      }
    }
  });
  return result;
}

}  // namespace parte
