#include <parte/fpfh.hpp>

#include <tests/parte/clouds.hpp>

#include <algorithm>
#include <numbers>
#include <numeric>
#include <stdexcept>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <tbb/task_arena.h>

namespace {

using Eigen::Vector3d;
using parte::compute_fpfh;
using parte::FpfhMatrix;
using parte::FpfhOptions;
using parte::Index;
using parte::kFpfhBins;
using parte::PointCloud;
using parte::clouds::add_rectangle;
using parte::clouds::Engine;
using parte::clouds::uniform;
using Row = Eigen::Matrix<double, 1, parte::kFpfhSize>;

// --- the descriptor by its definition, slowly ------------------------------------------------------------------------

struct Neighbor {
  double squared_distance;
  Index index;
};

/// Within the radius, itself not included; the nearest max_neighbors - 1 that have normals.
std::vector<Neighbor> neighbors_of(const PointCloud& cloud, Index center, const FpfhOptions& options) {
  std::vector<Neighbor> found;
  for (Index j = 0; j < cloud.size(); ++j) {
    const double d2 = (cloud.at(j) - cloud.at(center)).squaredNorm();
    if (j != center && cloud.has_normal(j) && d2 <= options.radius * options.radius) found.push_back({d2, j});
  }
  std::sort(found.begin(), found.end(),
            [](const auto& a, const auto& b) { return a.squared_distance < b.squared_distance; });
  if (found.size() > static_cast<std::size_t>(options.max_neighbors - 1)) found.resize(options.max_neighbors - 1);
  return found;
}

int bin(double value, double low, double high) {
  return std::clamp(static_cast<int>(std::floor(kFpfhBins * (value - low) / (high - low))), 0, kFpfhBins - 1);
}

/// Angles of a pair in the Darboux frame at the end whose normal makes the smaller angle with the line between them.
void add_pair(const PointCloud& cloud, Index i, Index j, double increment, Row& histogram) {
  Vector3d line = (cloud.at(j) - cloud.at(i)).normalized(), u = cloud.normal(i), other = cloud.normal(j);
  if (std::abs(u.dot(line)) < std::abs(other.dot(line))) {
    std::swap(u, other);
    line = -line;
  }
  const Vector3d v = line.cross(u).normalized(), w = u.cross(v);
  const double theta = std::atan2(w.dot(other), u.dot(other)), alpha = v.dot(other), phi = u.dot(line);
  histogram[bin(theta, -std::numbers::pi, std::numbers::pi)] += increment;
  histogram[kFpfhBins + bin(alpha, -1.0, 1.0)] += increment;
  histogram[2 * kFpfhBins + bin(phi, -1.0, 1.0)] += increment;
}

Row simplified_histogram(const PointCloud& cloud, Index i, const FpfhOptions& options) {
  Row histogram = Row::Zero();
  const auto neighbors = neighbors_of(cloud, i, options);
  for (const auto& n : neighbors) add_pair(cloud, i, n.index, 1.0 / static_cast<double>(neighbors.size()), histogram);
  return histogram;
}

Row slow_fpfh(const PointCloud& cloud, Index i, const FpfhOptions& options) {
  Row row = Row::Zero();
  for (const auto& n : neighbors_of(cloud, i, options))
    row += simplified_histogram(cloud, n.index, options) / n.squared_distance;
  for (int k = 0; k < 3; ++k) {
    const double sum = row.segment(k * kFpfhBins, kFpfhBins).sum();
    if (sum > 0.0) row.segment(k * kFpfhBins, kFpfhBins) *= 100.0 / sum;
  }
  return row;
}

// --- clouds ----------------------------------------------------------------------------------------------------------

/// A random smooth height field with its exact normals, except for some points that have none.
PointCloud smooth_surface(unsigned seed, std::size_t count, double bare_fraction = 0.0) {
  Engine engine(seed);
  double frequency[3][2], phase[3], height[3];
  for (int k = 0; k < 3; ++k) {
    frequency[k][0] = uniform(engine, -1.5, 1.5), frequency[k][1] = uniform(engine, -1.5, 1.5);
    phase[k] = uniform(engine, 0.0, 6.0), height[k] = uniform(engine, 0.2, 0.8);
  }
  PointCloud cloud;
  for (std::size_t i = 0; i < count; ++i) {
    const double x = uniform(engine, -3.0, 3.0), y = uniform(engine, -3.0, 3.0);
    double z = 0.0, slope_x = 0.0, slope_y = 0.0;
    for (int k = 0; k < 3; ++k) {
      const double argument = frequency[k][0] * x + frequency[k][1] * y + phase[k];
      z += height[k] * std::sin(argument);
      slope_x += height[k] * frequency[k][0] * std::cos(argument);
      slope_y += height[k] * frequency[k][1] * std::cos(argument);
    }
    cloud.points.push_back(Vector3d(x, y, z).cast<float>());
    const bool bare = uniform(engine, 0.0, 1.0) < bare_fraction;
    cloud.normals.push_back(bare ? Eigen::Vector3f::Zero()
                                 : Vector3d(-slope_x, -slope_y, 1.0).normalized().cast<float>().eval());
  }
  return cloud;
}

std::vector<Index> some_centers(const PointCloud& cloud, Index step) {
  std::vector<Index> centers;
  for (Index i = 0; i < cloud.size(); i += step)
    if (cloud.has_normal(i)) centers.push_back(i);
  std::reverse(centers.begin(), centers.end());  // rows follow the centres, not the cloud
  return centers;
}

/// Relative l1 differences of rows: a pair on the border of two bins may fall in either.
void check_close(const FpfhMatrix& a, const FpfhMatrix& b) {
  REQUIRE(a.rows() == b.rows());
  REQUIRE(a.rows() > 100);
  double sum = 0.0;
  Eigen::Index large = 0;
  for (Eigen::Index i = 0; i < a.rows(); ++i) {
    const double difference = (a.row(i) - b.row(i)).cast<double>().lpNorm<1>() / 300.0;
    sum += difference;
    large += difference > 0.02;
  }
  REQUIRE(sum / static_cast<double>(a.rows()) < 1e-3);
  REQUIRE(100 * large <= a.rows());
}

void check_sums(const FpfhMatrix& rows) {
  for (Eigen::Index i = 0; i < rows.rows(); ++i)
    for (int k = 0; k < 3; ++k)
      REQUIRE(std::abs(rows.row(i).segment(k * kFpfhBins, kFpfhBins).cast<double>().sum() - 100.0) < 1e-3);
}

}  // namespace

TEST_CASE("descriptors follow the definition", "[fpfh][oracle]") {
  const FpfhOptions options{.radius = 0.7, .max_neighbors = GENERATE(200, 16)};
  const bool all_have_normals = options.max_neighbors == 16;  // among the nearest, that is
  const PointCloud cloud = smooth_surface(GENERATE(70, 71, 72), 1500, all_have_normals ? 0.0 : 0.1);
  const auto centers = some_centers(cloud, 4);
  FpfhMatrix expected(static_cast<Eigen::Index>(centers.size()), parte::kFpfhSize);
  for (std::size_t k = 0; k < centers.size(); ++k)
    expected.row(static_cast<Eigen::Index>(k)) = slow_fpfh(cloud, centers[k], options).cast<float>();
  const FpfhMatrix rows = compute_fpfh(cloud, centers, options);
  REQUIRE(rows.allFinite());
  check_close(rows, expected);
  check_sums(rows);
}

TEST_CASE("a plane has all its pairs in the middle bins", "[fpfh]") {
  Engine engine(73);
  PointCloud cloud;
  add_rectangle(cloud.points, {{0.0, 0.0, 0.0}, {3.0, 0.0, 0.0}, {0.0, 3.0, 0.0}, 0.15}, engine);
  cloud.normals.assign(cloud.size(), Eigen::Vector3f::UnitZ());
  const FpfhMatrix rows = compute_fpfh(cloud, std::vector<Index>{0, 77, 200}, {.radius = 0.6});
  for (Eigen::Index i = 0; i < rows.rows(); ++i)
    for (int k = 0; k < 3; ++k) REQUIRE(std::abs(rows(i, k * kFpfhBins + kFpfhBins / 2) - 100.0f) < 1e-3f);
}

TEST_CASE("descriptors do not change under motion", "[fpfh]") {
  const PointCloud cloud = smooth_surface(74, 3000, 0.05);
  const FpfhOptions options{.radius = 0.6, .max_neighbors = 200};
  const auto centers = some_centers(cloud, 3);
  Engine engine(GENERATE(75, 76, 77));
  const PointCloud other = parte::clouds::moved(cloud, parte::clouds::random_motion(engine, 20.0));
  check_close(compute_fpfh(cloud, centers, options), compute_fpfh(other, centers, options));
}

TEST_CASE("points that are no centres support the descriptors of those that are", "[fpfh]") {
  PointCloud cloud = smooth_surface(78, 1500);
  const FpfhOptions options{.radius = 0.6, .max_neighbors = 200};
  const std::vector<Index> centers{0};
  const FpfhMatrix before = compute_fpfh(cloud, centers, options);
  const auto neighbors = neighbors_of(cloud, 0, options);
  REQUIRE(neighbors.size() > 10);
  cloud.normals[neighbors.front().index] = Eigen::Vector3f::UnitX();
  REQUIRE((compute_fpfh(cloud, centers, options) - before).norm() > 1.0f);
}

TEST_CASE("a centre without neighbours has a zero row", "[fpfh]") {
  PointCloud cloud = smooth_surface(79, 500);
  cloud.points.emplace_back(100.0f, 0.0f, 0.0f);
  cloud.normals.push_back(Eigen::Vector3f::UnitZ());
  const Index alone = static_cast<Index>(cloud.size() - 1);
  const FpfhMatrix rows = compute_fpfh(cloud, std::vector<Index>{alone, 0}, {.radius = 0.8});
  REQUIRE(rows.row(0).isZero(0.0f));
  REQUIRE(rows.row(1).sum() > 299.0f);
  REQUIRE(compute_fpfh(cloud, {}, {.radius = 0.8}).rows() == 0);
}

TEST_CASE("coinciding points leave descriptors finite", "[fpfh]") {
  PointCloud cloud = smooth_surface(80, 800);
  for (Index i = 0; i < 200; ++i) {
    cloud.points.push_back(cloud.points[i]);
    cloud.normals.push_back(cloud.normals[i]);
  }
  const FpfhMatrix rows = compute_fpfh(cloud, some_centers(cloud, 1), {.radius = 0.8, .max_neighbors = 200});
  REQUIRE(rows.allFinite());
  check_sums(rows);
}

TEST_CASE("descriptors do not depend on the number of threads", "[fpfh]") {
  const PointCloud cloud = smooth_surface(81, 3000);
  const auto centers = some_centers(cloud, 2);
  const auto compute = [&] { return compute_fpfh(cloud, centers, {.radius = 0.5}); };
  const FpfhMatrix expected = tbb::task_arena(1).execute(compute);
  for (const int threads : {2, 7})
    REQUIRE((tbb::task_arena(threads).execute(compute).array() == expected.array()).all());
}

TEST_CASE("wrong FPFH options are refused", "[fpfh]") {
  REQUIRE_NOTHROW(FpfhOptions{}.validate());
  REQUIRE_THROWS_AS((FpfhOptions{.radius = 0.0}.validate()), std::invalid_argument);
  REQUIRE_THROWS_AS((FpfhOptions{.max_neighbors = 0}.validate()), std::invalid_argument);
}
