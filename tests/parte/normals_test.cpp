#include <parte/downsample.hpp>
#include <parte/normals.hpp>

#include <tests/parte/clouds.hpp>

#include <cmath>
#include <limits>
#include <stdexcept>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

namespace {

using parte::drop_weak_normals;
using parte::estimate_normals;
using parte::NormalOptions;
using parte::PointCloud;
using parte::clouds::add_rectangle;
using parte::clouds::Engine;
using parte::clouds::random_direction;

/// Two unit vectors that make a right-handed frame with `normal`.
std::pair<Eigen::Vector3d, Eigen::Vector3d> plane_axes(const Eigen::Vector3d& normal) {
  const Eigen::Vector3d u = normal.unitOrthogonal();
  return {u, normal.cross(u)};
}

PointCloud plane_through(const Eigen::Vector3d& middle, const Eigen::Vector3d& normal, double noise, Engine& engine) {
  const auto [u, v] = plane_axes(normal);
  PointCloud cloud;
  add_rectangle(cloud.points, {middle - 2.0 * u - 2.0 * v, 4.0 * u, 4.0 * v, 0.2, noise}, engine);
  return cloud;
}

double sine(const Eigen::Vector3d& a, const Eigen::Vector3d& b) { return a.cross(b).norm(); }

/// The smallest principal axis of the points, by power iteration on the adjugate: no eigen solver involved.
Eigen::Vector3d flattest_direction(const PointCloud& cloud, std::span<const parte::Index> indices) {
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();
  for (const auto i : indices) mean += cloud.at(i) / static_cast<double>(indices.size());
  Eigen::Matrix3d c = Eigen::Matrix3d::Zero();
  for (const auto i : indices) c += (cloud.at(i) - mean) * (cloud.at(i) - mean).transpose();
  Eigen::Matrix3d power;
  power << c.col(1).cross(c.col(2)), c.col(2).cross(c.col(0)), c.col(0).cross(c.col(1));
  for (int k = 0; k < 12; ++k) power = (power * power / power.squaredNorm()).eval();
  Eigen::Index column = 0;
  power.colwise().norm().maxCoeff(&column);
  return power.col(column).normalized();
}

}  // namespace

TEST_CASE("a wall along the voxels is where its points are, not where their voxels are", "[normals]") {
  constexpr double kNoise = 0.02, kVoxel = 0.3;
  // The voxels' face cuts off the part of the noise that is beyond it.
  const double beyond = GENERATE(0.0, 0.01, 0.02, 0.03);
  const double wall = 30.0 * kVoxel - beyond;
  Engine engine(21);
  std::vector<Eigen::Vector3d> points;
  for (int k = 0; k < 60'000; ++k)
    points.emplace_back(parte::clouds::uniform(engine, -10.0, 10.0), wall + kNoise * parte::clouds::gaussian(engine),
                        parte::clouds::uniform(engine, -2.0, 3.0));
  PointCloud cloud = parte::voxel_downsample(points, kVoxel);
  estimate_normals(cloud, -cloud.origin, {.radius = 2.0 * kVoxel});
  double mean = 0.0;
  for (std::size_t i = 0; i < cloud.size(); ++i)
    mean += (cloud.origin + cloud.at(i) + cloud.heights[i] * cloud.normal(i)).y() / static_cast<double>(cloud.size());
  REQUIRE(std::abs(mean - wall) < 5e-4);  // of 60,000 points it strays by 1e-4; of voxels that count alike by 5e-3
}

TEST_CASE("a plane's normal is found, and points at the sensor", "[normals]") {
  Engine engine(GENERATE(range(100, 120)));
  const Eigen::Vector3d normal = random_direction(engine), middle = parte::clouds::uniform_vector(engine, 40.0);
  PointCloud cloud = plane_through(middle, normal, 0.0, engine);
  const double side = engine() % 2 == 0 ? 1.0 : -1.0;
  const Eigen::Vector3d sensor = middle + side * 6.0 * normal + 3.0 * normal.unitOrthogonal();
  estimate_normals(cloud, sensor, {.radius = 0.6});
  REQUIRE(cloud.normals.size() == cloud.size());
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    REQUIRE(std::abs(cloud.normal(i).norm() - 1.0) < 1e-5);
    REQUIRE(cloud.normal(i).dot(side * normal) > 0.99999);
  }
}

TEST_CASE("a sphere's normals are its radii", "[normals]") {
  Engine engine(121);
  const Eigen::Vector3d middle(3.0, -20.0, 7.0);
  constexpr double kRadius = 2.0;
  PointCloud cloud;
  for (int k = 0; k < 8000; ++k) cloud.points.push_back((middle + kRadius * random_direction(engine)).cast<float>());
  const bool inside = GENERATE(true, false);
  const Eigen::Vector3d sensor = inside ? middle : Eigen::Vector3d(middle + Eigen::Vector3d(100.0, 0.0, 0.0));
  estimate_normals(cloud, sensor, {.radius = 0.3, .max_neighbors = 100});
  std::size_t rough = 0, turned_away = 0;
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    const Eigen::Vector3d radial = (cloud.at(i) - middle).normalized();
    rough += sine(cloud.normal(i), radial) > std::sin(4.0 / 57.3);
    turned_away += cloud.normal(i).dot(sensor - cloud.at(i)) < 0.0;
  }
  REQUIRE(rough < cloud.size() / 100);
  REQUIRE(turned_away == 0);
}

TEST_CASE("normals are the flattest directions of the neighbourhoods", "[normals][oracle]") {
  Engine engine(122);
  PointCloud cloud = plane_through({0.0, 0.0, 5.0}, Eigen::Vector3d(0.2, 0.1, -1.0).normalized(), 0.03, engine);
  const auto neighbors = estimate_normals(cloud, Eigen::Vector3d::Zero(), {.radius = 0.7, .max_neighbors = 20});
  REQUIRE(neighbors.size() == cloud.size());
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    REQUIRE(cloud.has_normal(i));
    REQUIRE(neighbors[i].size() <= 20);
    const Eigen::Vector3d flattest = flattest_direction(cloud, neighbors[i]);
    REQUIRE(sine(cloud.normal(i), flattest) < 1e-3);
    double sum = 0.0, squares = 0.0;
    for (const auto k : neighbors[i]) {
      const double height = flattest.dot(cloud.at(k) - cloud.at(i));
      sum += height, squares += height * height;
    }
    const auto count = static_cast<double>(neighbors[i].size());
    REQUIRE(cloud.roughness[i] == Catch::Approx(squares / count - std::pow(sum / count, 2)).epsilon(1e-3));
  }
}

TEST_CASE("points in a line have no normal", "[normals]") {
  Engine engine(GENERATE(range(130, 140)));
  const Eigen::Vector3d direction =
      engine() % 2 == 0 ? random_direction(engine) : Eigen::Vector3d(Eigen::Vector3d::Unit(engine() % 3));
  const Eigen::Vector3d start = parte::clouds::uniform_vector(engine, 50.0);
  PointCloud cloud;
  for (int k = 0; k < 40; ++k) cloud.points.push_back((start + 0.1 * k * direction).cast<float>());
  estimate_normals(cloud, Eigen::Vector3d::Zero(), {.radius = 0.6});
  for (const auto& n : cloud.normals) REQUIRE(n == Eigen::Vector3f::Zero());
}

TEST_CASE("points without company have no normal", "[normals]") {
  Engine engine(140);
  PointCloud cloud = plane_through({0.0, 0.0, 5.0}, Eigen::Vector3d::UnitZ(), 0.0, engine);
  const std::size_t crowd = cloud.size();
  cloud.points.emplace_back(30.0f, 0.0f, 0.0f);                                         // alone
  for (int k = 0; k < 8; ++k) cloud.points.emplace_back(-30.0f, 0.0f, 0.0f);            // all in one place
  for (const float y : {0.0f, 0.1f, 0.2f}) cloud.points.emplace_back(y * y, y, 40.0f);  // three, five asked
  estimate_normals(cloud, Eigen::Vector3d::Zero(), {.radius = 0.6, .min_neighbors = 5});
  for (std::size_t i = 0; i < crowd; ++i) REQUIRE(cloud.has_normal(i));
  for (std::size_t i = crowd; i < cloud.size(); ++i) REQUIRE(cloud.normals[i] == Eigen::Vector3f::Zero());
}

TEST_CASE("three neighbours give a normal, but no surface", "[normals]") {
  Engine engine(141);
  PointCloud cloud = plane_through({0.0, 0.0, 5.0}, Eigen::Vector3d::UnitZ(), 0.01, engine);
  const std::size_t crowd = cloud.size();
  for (const auto& [x, y] : {std::pair(0.0f, 0.0f), {0.2f, 0.0f}, {0.0f, 0.2f}}) cloud.points.emplace_back(x, y, 40.0f);
  const auto neighbors = estimate_normals(cloud, Eigen::Vector3d::Zero(), {.radius = 0.6});
  for (std::size_t i = crowd; i < cloud.size(); ++i) REQUIRE(cloud.normal(i).z() < -0.99999);
  const PointCloud before = cloud;
  drop_weak_normals(cloud, neighbors);
  for (std::size_t i = 0; i < crowd; ++i) {
    REQUIRE(neighbors[i].size() >= 5);
    REQUIRE(cloud.normals[i] == before.normals[i]);
    REQUIRE(cloud.heights[i] == before.heights[i]);
  }
  for (std::size_t i = crowd; i < cloud.size(); ++i) {
    REQUIRE(cloud.normals[i] == Eigen::Vector3f::Zero());
    REQUIRE(cloud.is_on_line(i));
    REQUIRE(cloud.roughness[i] == 0.0f);
  }
}

TEST_CASE("normals turn with the cloud", "[normals]") {
  Engine engine(GENERATE(range(150, 156)));
  PointCloud cloud;
  for (int k = 0; k < 4000; ++k) {
    const double x = parte::clouds::uniform(engine, -4.0, 4.0), y = parte::clouds::uniform(engine, -4.0, 4.0);
    const Eigen::Vector3d p(x, y, std::sin(x) * std::cos(0.7 * y));
    cloud.points.push_back(p.cast<float>());
  }
  const Eigen::Vector3d sensor(1.0, 2.0, 20.0);
  const NormalOptions options{.radius = 0.5, .max_neighbors = 200};
  const Eigen::Isometry3d T = parte::clouds::random_motion(engine, 30.0);
  PointCloud other = parte::clouds::moved(cloud, T);
  estimate_normals(cloud, sensor, options);
  estimate_normals(other, T * sensor, options);
  std::size_t different = 0;
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    REQUIRE(cloud.has_normal(i) == other.has_normal(i));
    different += (T.linear() * cloud.normal(i) - other.normal(i)).norm() > 2e-3;
  }
  REQUIRE(different < 20);  // a neighbour at the very edge of the radius may be in on one side only
}

TEST_CASE("an empty cloud has no normals", "[normals]") {
  PointCloud cloud;
  REQUIRE(estimate_normals(cloud, Eigen::Vector3d::Zero(), {}).size() == 0);
  REQUIRE(cloud.normals.empty());
}

TEST_CASE("wrong normal options are refused", "[normals]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  REQUIRE_NOTHROW(NormalOptions{}.validate());
  REQUIRE_THROWS_AS((NormalOptions{.radius = 0.0}.validate()), std::invalid_argument);
  REQUIRE_THROWS_AS((NormalOptions{.radius = nan}.validate()), std::invalid_argument);
  REQUIRE_THROWS_AS((NormalOptions{.max_neighbors = 0}.validate()), std::invalid_argument);
}
