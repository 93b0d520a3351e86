#include <parte/neighbors.hpp>

#include <tests/parte/clouds.hpp>

#include <algorithm>
#include <limits>
#include <set>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <nanoflann.hpp>

namespace {

using parte::Index;
using parte::NeighborGrid;
using parte::Neighborhoods;
using parte::radius_neighbors;
using parte::clouds::Engine;
using parte::clouds::uniform;
using Points = std::vector<Eigen::Vector3f>;
using Neighbor = std::pair<double, Index>;  // squared distance, index

/// Multiples of 1/32: squared distances are exact in single precision, and many are equal.
Points lattice_points(std::size_t count, int half_steps, Engine& engine) {
  Points points(count);
  for (auto& p : points)
    for (int k = 0; k < 3; ++k) p[k] = static_cast<float>(std::floor(uniform(engine, -half_steps, half_steps))) / 32.0f;
  return points;
}

Points clustered_points(Engine& engine) {
  Points points;
  for (int cluster = 0; cluster < 12; ++cluster) {
    const Eigen::Vector3d middle = parte::clouds::uniform_vector(engine, 30.0);
    for (int k = 0; k < 100; ++k)
      points.push_back((middle + 0.02 * (cluster + 1) * parte::clouds::uniform_vector(engine, 1.0)).cast<float>());
  }
  return points;
}

Points planar_points(Engine& engine) {
  Points points = parte::clouds::uniform_points(1200, 4.0, engine);
  for (auto& p : points) p.z() = 0.3f * p.x() - 0.1f * p.y();
  return points;
}

Points sample(int kind) {
  Engine engine(20 + kind);
  switch (kind) {
    case 0:
      return parte::clouds::uniform_points(1200, 3.0, engine);
    case 1:
      return clustered_points(engine);
    case 2:
      return planar_points(engine);
    default: {  // a few places, each taken many times
      Points points = parte::clouds::uniform_points(60, 1.0, engine);
      for (int k = 0; k < 600; ++k) points.push_back(points[engine() % 60]);
      return points;
    }
  }
}

double squared_distance(const Eigen::Vector3f& a, const Eigen::Vector3f& b) {
  return (a.cast<double>() - b.cast<double>()).squaredNorm();
}

/// All points, nearest first, the lower index first among equals.
std::vector<Neighbor> by_distance(const Points& points, const Eigen::Vector3f& place) {
  std::vector<Neighbor> all;
  for (Index i = 0; i < points.size(); ++i) all.emplace_back(squared_distance(points[i], place), i);
  std::sort(all.begin(), all.end());
  return all;
}

std::set<Index> as_set(std::span<const Index> row) { return {row.begin(), row.end()}; }

std::set<Index> expected_neighbors(const Points& points, Index query, double radius, std::size_t cap) {
  std::set<Index> expected;
  for (const auto& [d2, index] : by_distance(points, points[query]))
    if (d2 <= radius * radius && expected.size() < cap) expected.insert(index);
  return expected;
}

/// Rows agree up to rounding: they are as long, and as near, as the expected ones.
void check_rounded(const Points& points, const Neighborhoods& found, double radius, std::size_t cap) {
  const double slack = 1e-4 * radius;
  for (Index i = 0; i < points.size(); ++i) {
    const auto all = by_distance(points, points[i]);
    const auto within = [&](double r) {
      return static_cast<std::size_t>(
          std::partition_point(all.begin(), all.end(), [r](const Neighbor& n) { return n.first <= r * r; }) -
          all.begin());
    };
    const auto row = as_set(found[i]);
    REQUIRE(row.size() == found[i].size());
    REQUIRE(row.size() >= std::min(cap, within(radius - slack)));
    REQUIRE(row.size() <= std::min(cap, within(radius + slack)));
    REQUIRE((row.contains(i) || within(0.0) > cap));  // others in the same place may take all the room
    const double last = std::sqrt(all[row.size() - 1].first);
    std::size_t wrong = 0;
    for (std::size_t k = 0; k < row.size(); ++k) {
      const double d = std::sqrt(squared_distance(points[i], points[found[i][k]]));
      wrong += d > last + slack || std::abs(std::sqrt(found.distances(i)[k]) - d) > slack;
    }
    REQUIRE(wrong == 0);
  }
}

struct Dataset {
  const Points& points;
  [[nodiscard]] std::size_t kdtree_get_point_count() const { return points.size(); }
  [[nodiscard]] float kdtree_get_pt(std::size_t i, std::size_t axis) const {
    return points[i][static_cast<Eigen::Index>(axis)];
  }
  template <class Box>
  bool kdtree_get_bbox(Box&) const {
    return false;
  }
};
using KdTree = nanoflann::KDTreeSingleIndexAdaptor<nanoflann::L2_Simple_Adaptor<float, Dataset>, Dataset, 3, Index>;

}  // namespace

TEST_CASE("neighbours are those of a brute-force search, ties included", "[neighbors][oracle]") {
  const int half_steps = GENERATE(8, 40);  // crowded: most places are taken several times; and sparse
  const double radius = GENERATE(0.0625, 0.25, 0.5, 4.0);
  const int cap = GENERATE(1, 7, 30, 1000, std::numeric_limits<int>::max());
  Engine engine(21);
  const Points points = lattice_points(700, half_steps, engine);
  const Neighborhoods found = radius_neighbors(points, radius, cap);
  REQUIRE(found.size() == points.size());
  std::size_t wrong = 0;
  for (Index i = 0; i < points.size(); ++i) {
    wrong += as_set(found[i]) != expected_neighbors(points, i, radius, cap);
    for (std::size_t k = 0; k < found[i].size(); ++k)
      wrong += found.distances(i)[k] != squared_distance(points[i], points[found[i][k]]);
  }
  REQUIRE(wrong == 0);
}

TEST_CASE("neighbours are right in clouds of any shape", "[neighbors][oracle]") {
  const Points points = sample(GENERATE(0, 1, 2, 3));
  const double radius = GENERATE(0.15, 0.6);
  const int cap = GENERATE(10, 2000);
  check_rounded(points, radius_neighbors(points, radius, cap), radius, cap);
}

TEST_CASE("the nearest neighbours are those of nanoflann", "[neighbors][oracle]") {
  const Points points = sample(GENERATE(0, 1, 2));
  constexpr int kCount = 12;
  const double radius = 80.0;  // holds every cloud whole
  const Neighborhoods found = radius_neighbors(points, radius, kCount);
  const Dataset dataset{points};
  KdTree tree(3, dataset, nanoflann::KDTreeSingleIndexAdaptorParams(10));
  tree.buildIndex();
  std::size_t different = 0;
  for (Index i = 0; i < points.size(); ++i) {
    Index indices[kCount];
    float distances[kCount];
    REQUIRE(tree.knnSearch(points[i].data(), kCount, indices, distances) == kCount);
    different += as_set(found[i]) != as_set(indices);
  }
  REQUIRE(different <= 1);  // a twelfth and a thirteenth neighbour may be equally far
}

TEST_CASE("some queries give the same rows as all", "[neighbors]") {
  Engine engine(22);
  const Points points = lattice_points(500, 20, engine);
  const std::vector<Index> queries{499, 3, 3, 0, 250};
  const Neighborhoods all = radius_neighbors(points, 0.25, 9);
  const Neighborhoods some = radius_neighbors(points, 0.25, 9, queries);
  REQUIRE(some.size() == queries.size());
  for (std::size_t k = 0; k < queries.size(); ++k) REQUIRE(as_set(some[k]) == as_set(all[queries[k]]));
  REQUIRE(radius_neighbors(points, 0.25, 9, std::span<const Index>{}).size() == 0);
}

TEST_CASE("clouds of no and of one point have neighbourhoods too", "[neighbors]") {
  REQUIRE(radius_neighbors(Points{}, 0.5, 10).size() == 0);
  const Neighborhoods single = radius_neighbors(Points{{1.0f, 2.0f, 3.0f}}, 0.5, 10);
  REQUIRE(single.size() == 1);
  REQUIRE(as_set(single[0]) == std::set<Index>{0});
}

TEST_CASE("the grid's nearest point is that of a brute-force search", "[neighbors][oracle]") {
  const Points points = sample(GENERATE(0, 1, 2, 3));
  const float cell = 0.7f;
  const float radius = GENERATE(0.7f, 0.2f);
  const NeighborGrid grid(points, cell);
  Engine engine(23);
  std::size_t wrong = 0, hits = 0;
  for (int query = 0; query < 2000; ++query) {
    const Eigen::Vector3d offset = parte::clouds::uniform_vector(engine, query % 2 == 0 ? 0.5 : 5.0);
    const Eigen::Vector3f place = points[engine() % points.size()] + offset.cast<float>();
    const Index found = grid.nearest(place, radius);
    const double best = std::sqrt(by_distance(points, place)[0].first);
    if (found == NeighborGrid::kNone)
      wrong += best < radius - 1e-4;
    else
      wrong += std::sqrt(squared_distance(points[found], place)) > std::min<double>(best, radius) + 1e-4;
    hits += found != NeighborGrid::kNone;
  }
  REQUIRE(wrong == 0);
  REQUIRE(hits > 100);
}

TEST_CASE("the grid only returns points that are accepted", "[neighbors]") {
  const Points points = sample(0);
  const NeighborGrid grid(points, 1.0);
  const auto odd = [](Index i) { return i % 2 == 1; };
  for (Index i = 0; i < points.size(); i += 2) {
    const Index found = grid.nearest(points[i], 1.0f, odd);
    const auto all = by_distance(points, points[i]);
    const auto expected = std::find_if(all.begin(), all.end(), [&](const Neighbor& n) { return odd(n.second); });
    REQUIRE(found == (expected->first < 1.0 ? expected->second : NeighborGrid::kNone));
  }
}

TEST_CASE("the grid has nothing near places far outside", "[neighbors]") {
  const Points points = sample(0);
  const NeighborGrid grid(points, 0.5);
  const float far = GENERATE(10.0f, 1e4f, 1e7f, 1e12f, 1e30f);
  for (int axis = 0; axis < 3; ++axis)
    for (const float side : {-far, far}) {
      const Eigen::Vector3f place = side * Eigen::Vector3f::Unit(axis);
      REQUIRE(grid.nearest(place, 0.5f) == NeighborGrid::kNone);
    }
  REQUIRE(NeighborGrid(Points{}, 0.5).nearest(Eigen::Vector3f::Zero(), 0.5f) == NeighborGrid::kNone);
}
