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

// --- Rusu, Blodow and Beetz, ICRA 2009, word by word -----------------------------------------------------------------

/// The k neighbours of p: those with normals within the radius, the nearest max_neighbors - 1 of them.
std::vector<Index> neighbors_of(const PointCloud& cloud, Index p, const FpfhOptions& options) {
  const auto distance = [&](Index j) { return (cloud.at(j) - cloud.at(p)).norm(); };
  std::vector<Index> found;
  for (Index j = 0; j < cloud.size(); ++j)
    if (j != p && cloud.has_normal(j) && distance(j) <= options.radius) found.push_back(j);
  std::sort(found.begin(), found.end(), [&](Index a, Index b) { return distance(a) < distance(b); });
  if (found.size() >= static_cast<std::size_t>(options.max_neighbors)) found.resize(options.max_neighbors - 1);
  return found;
}

/// 1 in the one of 11 equal parts of [low, high] that holds the value.
void count(double value, double low, double high, Eigen::Ref<Row> row, int histogram) {
  int part = 0;
  while (part < kFpfhBins - 1 && value >= low + (part + 1) * (high - low) / kFpfhBins) ++part;
  row[histogram * kFpfhBins + part] += 1.0;
}

/// SPFH(p): how the normals of the neighbours lie in the Darboux frame u = n_p, v = (p_k - p) x u, w = u x v.
Row spfh(const PointCloud& cloud, Index p, const FpfhOptions& options) {
  Row histograms = Row::Zero();
  const auto neighbors = neighbors_of(cloud, p, options);
  for (const Index k : neighbors) {
    const Vector3d line = cloud.at(k) - cloud.at(p);
    Eigen::Matrix3d frame;
    frame.col(0) = cloud.normal(p);
    frame.col(1) = line.cross(frame.col(0)).normalized();
    frame.col(2) = frame.col(0).cross(frame.col(1));
    const Vector3d normal = frame.transpose() * cloud.normal(k);  // its coordinates in the frame
    count(std::atan2(normal[2], normal[0]), -std::numbers::pi, std::numbers::pi, histograms, 0);  // theta
    count(normal[1], -1.0, 1.0, histograms, 1);                                                   // alpha
    count(frame.col(0).dot(line) / line.norm(), -1.0, 1.0, histograms, 2);                        // phi
  }
  return histograms / std::max<double>(1.0, static_cast<double>(neighbors.size()));
}

/// FPFH(p) = SPFH(p) + 1/k sum_k SPFH(p_k) / w_k, w_k the distance in fifths of the radius; then in per cent.
Row fpfh(const PointCloud& cloud, Index p, const FpfhOptions& options) {
  Row row = spfh(cloud, p, options);
  const auto neighbors = neighbors_of(cloud, p, options);
  for (const Index k : neighbors) {
    const double w = (cloud.at(k) - cloud.at(p)).norm() / (options.radius / 5.0);
    row += 1.0 / static_cast<double>(neighbors.size()) * (1.0 / w) * spfh(cloud, k, options);
  }
  Eigen::Map<Eigen::Matrix<double, 3, kFpfhBins, Eigen::RowMajor>> parts(row.data());
  for (auto part : parts.rowwise()) part *= 100.0 / part.sum();
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
  // 16: the cap counts points that have normals, however many of the nearest have none.
  const FpfhOptions options{.radius = 0.7, .max_neighbors = GENERATE(200, 16)};
  const PointCloud cloud = smooth_surface(GENERATE(70, 71, 72), 1500, 0.1);
  const auto centers = some_centers(cloud, 4);
  FpfhMatrix expected(static_cast<Eigen::Index>(centers.size()), parte::kFpfhSize);
  for (std::size_t k = 0; k < centers.size(); ++k)
    expected.row(static_cast<Eigen::Index>(k)) = fpfh(cloud, centers[k], options).cast<float>();
  const FpfhMatrix rows = compute_fpfh(cloud, centers, options);
  REQUIRE(rows.allFinite());
  check_close(rows, expected);
  check_sums(rows);
}

TEST_CASE("a descriptor of two points by hand", "[fpfh]") {
  // The second normal leans along the line by 30 degrees. phi is 0 seen from the first point, -sin 30 from the second,
  // whose histogram counts half: it is two fifths of the radius away. theta is 30 degrees from both, alpha is 0.
  PointCloud cloud;
  cloud.points = {{0.0f, 0.0f, 0.0f}, {0.4f, 0.0f, 0.0f}};
  cloud.normals = {{0.0f, 0.0f, 1.0f}, {0.5f, 0.0f, std::sqrt(0.75f)}};
  const FpfhMatrix row = compute_fpfh(cloud, std::vector<Index>{0}, {.radius = 1.0});
  Row expected = Row::Zero();
  expected[6] = 100.0;                                                                   // theta
  expected[kFpfhBins + 5] = 100.0;                                                       // alpha
  expected[2 * kFpfhBins + 5] = 200.0 / 3.0, expected[2 * kFpfhBins + 2] = 100.0 / 3.0;  // phi
  REQUIRE((row.row(0).cast<double>() - expected).norm() < 1e-4);
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
  cloud.normals[neighbors.front()] = Eigen::Vector3f::UnitX();
  REQUIRE((compute_fpfh(cloud, centers, options) - before).norm() > 1.0f);
}

TEST_CASE("a centre without neighbours or without a normal has a zero row", "[fpfh]") {
  PointCloud cloud = smooth_surface(79, 500);
  cloud.points.emplace_back(100.0f, 0.0f, 0.0f);
  cloud.normals.push_back(Eigen::Vector3f::UnitZ());
  cloud.normals[1].setZero();
  const Index alone = static_cast<Index>(cloud.size() - 1);
  const FpfhMatrix rows = compute_fpfh(cloud, std::vector<Index>{alone, 1, 0}, {.radius = 0.8});
  REQUIRE(rows.row(0).isZero(0.0f));
  REQUIRE(rows.row(1).isZero(0.0f));
  REQUIRE(rows.row(2).sum() > 299.0f);
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

TEST_CASE("excluded points are no support", "[fpfh]") {
  const PointCloud cloud = smooth_surface(82, 1500);
  std::vector<bool> excluded(cloud.size());
  PointCloud rest = cloud;  // where they have no normals
  for (Index i = 0; i < cloud.size(); i += 3) excluded[i] = true, rest.normals[i].setZero();
  const auto centers = some_centers(cloud, 5);
  const FpfhMatrix rows = compute_fpfh(cloud, centers, {.radius = 0.6}, excluded);
  REQUIRE((rows.array() == compute_fpfh(rest, centers, {.radius = 0.6}).array()).all());
  for (std::size_t k = 0; k < centers.size(); ++k)
    REQUIRE(rows.row(static_cast<Eigen::Index>(k)).isZero(0.0f) == excluded[centers[k]]);
}
