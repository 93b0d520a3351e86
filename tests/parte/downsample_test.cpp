#include <parte/downsample.hpp>

#include <tests/parte/clouds.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <numeric>
#include <stdexcept>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

namespace {

using parte::PointCloud;
using parte::PointsView;
using parte::voxel_downsample;
using parte::clouds::Engine;
using Cell = std::array<long long, 3>;
using Vectors = std::vector<Eigen::Vector3d>;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

Cell cell_of(const Eigen::Vector3d& p, double voxel) {
  return {static_cast<long long>(std::floor(p.x() / voxel)), static_cast<long long>(std::floor(p.y() / voxel)),
          static_cast<long long>(std::floor(p.z() / voxel))};
}

/// Centroids of the cells, whose corners are at multiples of the voxel size; ordered by cell.
Vectors binned(const Vectors& points, double voxel) {
  std::map<Cell, std::pair<Eigen::Vector3d, int>> cells;
  for (const auto& p : points) {
    auto& [sum, count] = cells.try_emplace(cell_of(p, voxel), Eigen::Vector3d::Zero(), 0).first->second;
    sum += p;
    ++count;
  }
  Vectors centroids;
  for (const auto& [cell, entry] : cells) centroids.push_back(entry.first / entry.second);
  return centroids;
}

Vectors in_callers_frame(const PointCloud& cloud) {
  Vectors points;
  for (std::size_t i = 0; i < cloud.size(); ++i) points.emplace_back(cloud.origin + cloud.at(i));
  return points;
}

double largest_difference(const Vectors& a, const Vectors& b) {
  REQUIRE(a.size() == b.size());
  double largest = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, (a[i] - b[i]).norm());
  return largest;
}

Vectors random_cloud(std::size_t count, double half_range, const Eigen::Vector3d& middle, Engine& engine) {
  Vectors points(count);
  for (auto& p : points) p = middle + parte::clouds::uniform_vector(engine, half_range);
  return points;
}

}  // namespace

TEST_CASE("voxels hold the centroids of a brute-force binning", "[downsample][oracle]") {
  const double voxel = GENERATE(0.05, 0.3, 1.0, 7.5);
  const double half_range = GENERATE(1.0, 20.0);
  Engine engine(11);
  const Vectors points = random_cloud(20000, half_range, {0.4, -3.0, 2.0}, engine);
  const PointCloud cloud = voxel_downsample(points, voxel);
  REQUIRE(cloud.dropped == 0);
  REQUIRE(largest_difference(in_callers_frame(cloud), binned(points, voxel)) < 1e-5);
}

TEST_CASE("a coarser cloud holds the centroids of all input points at the finer one's centroids",
          "[downsample][oracle]") {
  Engine engine(23);
  const Vectors points = random_cloud(20000, GENERATE(2.0, 20.0), {1004.0, -3.0, 2.0}, engine);
  const PointCloud fine = voxel_downsample(points, 0.3), coarse = parte::coarsened(fine, 0.6);
  std::map<Cell, std::pair<Eigen::Vector3d, float>> cells;
  for (std::size_t i = 0; i < fine.size(); ++i) {
    auto& [sum, count] = cells.try_emplace(cell_of(fine.at(i), 0.6), Eigen::Vector3d::Zero(), 0.0f).first->second;
    sum += static_cast<double>(fine.counts[i]) * fine.at(i);
    count += fine.counts[i];
  }
  REQUIRE(coarse.origin == fine.origin);
  REQUIRE(coarse.size() == cells.size());
  std::size_t i = 0;
  for (const auto& [cell, entry] : cells) {
    REQUIRE(coarse.counts[i] == entry.second);
    REQUIRE((coarse.at(i) - entry.first / entry.second).norm() < 1e-5);
    ++i;
  }
  REQUIRE(std::accumulate(coarse.counts.begin(), coarse.counts.end(), 0.0) == 20000.0);
}

TEST_CASE("voxels know how many points they hold", "[downsample]") {
  Engine engine(17);
  const Vectors points = random_cloud(20000, 4.0, {0.4, -3.0, 2.0}, engine);
  std::map<Cell, float> expected;
  for (const auto& p : points) ++expected[cell_of(p, 0.7)];
  const PointCloud cloud = voxel_downsample(points, 0.7);
  REQUIRE(cloud.counts.size() == expected.size());
  std::size_t i = 0;
  for (const auto& [cell, count] : expected) REQUIRE(cloud.counts[i++] == count);
}

TEST_CASE("voxel corners lie at multiples of the voxel size", "[downsample]") {
  // 0.9 and 1.1 are nearer to each other than 1.1 and 1.9, yet a corner at 1 parts them; the same on the other side.
  const Vectors points{{0.9, 0.5, 0.5}, {1.1, 0.5, 0.5}, {1.9, 0.5, 0.5}, {-0.1, 0.5, 0.5}, {-0.9, 0.5, 0.5}};
  const Vectors expected{{-0.5, 0.5, 0.5}, {0.9, 0.5, 0.5}, {1.5, 0.5, 0.5}};
  REQUIRE(largest_difference(in_callers_frame(voxel_downsample(points, 1.0)), expected) < 1e-6);
}

TEST_CASE("the order of the input does not matter", "[downsample]") {
  Engine engine(12);
  Vectors points = random_cloud(5000, 3.0, {10.0, 20.0, 30.0}, engine);
  const Vectors before = in_callers_frame(voxel_downsample(points, 0.5));
  std::shuffle(points.begin(), points.end(), engine);
  REQUIRE(largest_difference(in_callers_frame(voxel_downsample(points, 0.5)), before) < 1e-5);
  std::sort(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.z() > b.z(); });
  REQUIRE(largest_difference(in_callers_frame(voxel_downsample(points, 0.5)), before) < 1e-5);
}

TEST_CASE("points that are not finite are dropped and counted", "[downsample]") {
  Engine engine(13);
  const Vectors finite = random_cloud(2000, 5.0, Eigen::Vector3d::Zero(), engine);
  Vectors points = finite;
  for (int k = 0; k < 30; ++k) {
    Eigen::Vector3d bad = finite[k];
    bad[k % 3] = std::array{kNan, kInf, -kInf}[k / 3 % 3];
    points.insert(points.begin() + 61 * k, bad);
  }
  const PointCloud cloud = voxel_downsample(points, 0.4);
  REQUIRE(cloud.dropped == 30);
  REQUIRE(largest_difference(in_callers_frame(cloud), binned(finite, 0.4)) < 1e-5);
}

TEST_CASE("a cloud far from the origin keeps its accuracy", "[downsample]") {
  Engine engine(14);
  const Eigen::Vector3d utm(1e6, 5.4e6, 300.0);
  const Vectors points = random_cloud(20000, 50.0, utm, engine);
  const PointCloud cloud = voxel_downsample(points, 0.3);
  REQUIRE((cloud.origin - utm).norm() < 200.0);
  REQUIRE(largest_difference(in_callers_frame(cloud), binned(points, 0.3)) < 1e-4);
}

TEST_CASE("floats, doubles and strided views give the same cloud", "[downsample]") {
  Engine engine(15);
  const auto floats = parte::clouds::uniform_points(4000, 8.0, engine);
  Vectors doubles;
  std::vector<float> strided_floats;
  std::vector<double> strided_doubles;
  for (const auto& p : floats) {
    doubles.emplace_back(p.cast<double>());
    strided_floats.insert(strided_floats.end(), {p.x(), p.y(), p.z(), 1e30f});
    strided_doubles.insert(strided_doubles.end(), {p.x(), p.y(), p.z(), kNan, -1e30});
  }
  const PointCloud expected = voxel_downsample(floats, 0.3);
  REQUIRE(largest_difference(in_callers_frame(expected), binned(doubles, 0.3)) < 1e-5);
  const PointsView views[] = {doubles, {strided_floats.data(), floats.size(), 4}, {strided_doubles.data(), 4000, 5}};
  for (const auto& view : views) {
    const PointCloud cloud = voxel_downsample(view, 0.3);
    REQUIRE(cloud.origin == expected.origin);
    REQUIRE((cloud.points == expected.points));
    REQUIRE(cloud.dropped == 0);
  }
}

TEST_CASE("a wild point does not spoil the others", "[downsample]") {
  Engine engine(16);
  const Vectors points = random_cloud(3000, 20.0, {500.0, -500.0, 10.0}, engine);
  const double wild = GENERATE(1e12, -1e12, 1e300, 1e7);
  const int axis = GENERATE(0, 2);
  const std::size_t position = GENERATE(0u, 1500u, 3000u);
  Vectors with_wild = points;
  with_wild.insert(with_wild.begin() + static_cast<std::ptrdiff_t>(position), wild * Eigen::Vector3d::Unit(axis));
  const PointCloud cloud = voxel_downsample(with_wild, 0.3);
  REQUIRE(cloud.dropped == 1);
  REQUIRE(largest_difference(in_callers_frame(cloud), binned(points, 0.3)) < 1e-4);
}

TEST_CASE("a point of a large cloud is not mistaken for a wild one", "[downsample]") {
  const Vectors points{{-2e4, 0.05, 0.05}, {0.05, 0.05, 0.05}, {0.06, 0.05, 0.05}, {2e4, 0.05, 0.05}};
  const PointCloud cloud = voxel_downsample(points, 0.1);  // 2 * 10^5 voxels, fewer than 2^20
  REQUIRE(cloud.dropped == 0);
  REQUIRE(cloud.size() == 3);
}

TEST_CASE("a voxel size that is not positive and finite is refused", "[downsample]") {
  const Vectors points{{0.0, 0.0, 0.0}};
  const double voxel = GENERATE(0.0, -0.1, kNan, kInf, -kInf);
  REQUIRE_THROWS_AS(voxel_downsample(points, voxel), std::invalid_argument);
  REQUIRE_THROWS_AS(voxel_downsample(PointsView{}, voxel), std::invalid_argument);
}

TEST_CASE("nothing in, nothing out", "[downsample]") {
  const PointCloud empty = voxel_downsample(PointsView{}, 0.3);
  REQUIRE(empty.size() == 0);
  REQUIRE(empty.dropped == 0);
  REQUIRE(empty.origin.allFinite());

  const PointCloud all_bad = voxel_downsample(Vectors(17, Eigen::Vector3d(0.0, kNan, 0.0)), 0.3);
  REQUIRE(all_bad.size() == 0);
  REQUIRE(all_bad.dropped == 17);
  REQUIRE(all_bad.origin.allFinite());

  const PointCloud single = voxel_downsample(Vectors{{1.0, 2.0, 3.0}}, 0.3);
  REQUIRE(single.size() == 1);
  REQUIRE((in_callers_frame(single)[0] - Eigen::Vector3d(1.0, 2.0, 3.0)).norm() < 1e-6);
}
