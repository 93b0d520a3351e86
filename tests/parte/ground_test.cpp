#include <parte/ground.hpp>
#include <parte/normals.hpp>

#include <tests/parte/clouds.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <stdexcept>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

namespace {

using Eigen::Vector3d;
using parte::GroundOptions;
using parte::PointCloud;
using parte::segment_ground;
using parte::clouds::add_rectangle;
using parte::clouds::Engine;
using Surface = std::function<double(double x, double y)>;

constexpr double kSensorHeight = 1.7;  // the sensor is the origin, the ground below it

/// Points whose kind is known: the first `ground` of them are ground.
struct Scene {
  PointCloud cloud;
  std::size_t ground = 0;
  Surface height;
};

/// Ground up to `half_range` around the sensor, thinner in the distance as LiDAR scans are, but not under `hidden`.
Scene terrain(const Surface& height, double half_range, Engine& engine, const Eigen::AlignedBox2d& hidden = {}) {
  Scene scene;
  scene.height = height;
  const int steps = static_cast<int>(half_range / 0.3);
  for (int i = -steps; i < steps; ++i)
    for (int j = -steps; j < steps; ++j) {
      const double x = 0.3 * (i + parte::clouds::uniform(engine, 0.1, 0.9));
      const double y = 0.3 * (j + parte::clouds::uniform(engine, 0.1, 0.9));
      const double range = std::hypot(x, y);
      if (range < 2.0 || hidden.contains(Eigen::Vector2d(x, y))) continue;
      if (range > 15.0 && parte::clouds::uniform(engine, 0.0, 1.0) > 15.0 / range) continue;
      const double z = height(x, y) + 0.02 * parte::clouds::gaussian(engine);
      scene.cloud.points.push_back(Vector3d(x, y, z).cast<float>());
    }
  scene.ground = scene.cloud.size();
  return scene;
}

void add_box(Scene& scene, const Vector3d& corner, const Vector3d& size, Engine& engine) {
  const Vector3d x = size.x() * Vector3d::UnitX(), y = size.y() * Vector3d::UnitY(), z = size.z() * Vector3d::UnitZ();
  auto& points = scene.cloud.points;
  add_rectangle(points, {corner, x, z, 0.25, 0.01}, engine);
  add_rectangle(points, {corner, y, z, 0.25, 0.01}, engine);
  add_rectangle(points, {corner + x, y, z, 0.25, 0.01}, engine);
  add_rectangle(points, {corner + y, x, z, 0.25, 0.01}, engine);
  add_rectangle(points, {corner + z, x, y, 0.25, 0.01}, engine);
}

struct Score {
  double recall = 0.0;
  double precision = 0.0;           ///< of the labelled points
  std::size_t far_from_ground = 0;  ///< labelled although more than half a metre above or below the ground
};

Score judge(Scene& scene, const GroundOptions& options = {}) {
  parte::estimate_normals(scene.cloud, Vector3d::Zero(), {.radius = 0.6});
  const std::vector<bool> labels = segment_ground(scene.cloud, options);
  REQUIRE(labels.size() == scene.cloud.size());
  double hits = 0, labelled = 0;
  Score score;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (!labels[i]) continue;
    ++labelled;
    hits += i < scene.ground;
    const Vector3d p = scene.cloud.at(i);
    score.far_from_ground += std::abs(p.z() - scene.height(p.x(), p.y())) > 0.5;
  }
  score.recall = hits / static_cast<double>(scene.ground);
  score.precision = labelled == 0 ? 1.0 : hits / labelled;
  return score;
}

double flat(double, double) { return -kSensorHeight; }

}  // namespace

TEST_CASE("a bare plain is ground throughout", "[ground]") {
  Engine engine(31);
  Scene scene = terrain(flat, 40.0, engine);
  REQUIRE(judge(scene).recall > 0.99);
}

TEST_CASE("slopes and hills are ground", "[ground]") {
  Engine engine(32);
  const double grade = GENERATE(0.05, 0.15, 0.3);
  Scene scene =
      terrain([grade](double x, double y) { return -kSensorHeight + grade * (0.8 * x - 0.6 * y); }, 30.0, engine);
  REQUIRE(judge(scene).recall > 0.99);

  Scene hills = terrain(
      [](double x, double y) { return -kSensorHeight + 1.0 * std::sin(x / 12.0) * std::cos(y / 15.0); }, 30.0, engine);
  REQUIRE(judge(hills).recall > 0.99);
}

TEST_CASE("the pavement beyond a kerb is ground", "[ground]") {
  Engine engine(33);
  const auto street = [](double, double y) { return -kSensorHeight + (y > 4.0 ? 0.15 : 0.0); };
  Scene scene = terrain(street, 30.0, engine);
  REQUIRE(judge(scene).recall > 0.99);
}

TEST_CASE("walls and cars are no ground", "[ground]") {
  Engine engine(34);
  const Eigen::AlignedBox2d under_car(Eigen::Vector2d(5.0, 2.0), Eigen::Vector2d(9.0, 3.8));
  Scene scene = terrain(flat, 30.0, engine, under_car);
  const Vector3d up(0.0, 0.0, 6.0);
  add_rectangle(scene.cloud.points, {{-25.0, 12.0, -kSensorHeight}, {50.0, 0.0, 0.0}, up, 0.25, 0.02}, engine);
  add_rectangle(scene.cloud.points, {{-15.0, -20.0, -kSensorHeight}, {0.0, 30.0, 0.0}, up, 0.25, 0.02}, engine);
  add_box(scene, {5.0, 2.0, -kSensorHeight + 0.2}, {4.0, 1.8, 1.4}, engine);
  const Score score = judge(scene);
  REQUIRE(score.recall > 0.99);
  REQUIRE(score.precision > 0.99);
  REQUIRE(score.far_from_ground < scene.cloud.size() / 1000);
}

TEST_CASE("a bridge deck overhead is no ground, the street below it is", "[ground]") {
  Engine engine(35);
  Scene scene = terrain(flat, 30.0, engine);
  const double clearance = GENERATE(3.0, 5.0, 8.0);
  const Vector3d deck(5.0, -20.0, clearance - kSensorHeight);
  add_rectangle(scene.cloud.points, {deck, {10.0, 0.0, 0.0}, {0.0, 40.0, 0.0}, 0.25, 0.02}, engine);
  const Score score = judge(scene);
  REQUIRE(score.recall > 0.99);
  REQUIRE(score.far_from_ground == 0);
}

TEST_CASE("a platform that one cannot drive onto is no ground", "[ground]") {
  Engine engine(39);
  const Eigen::AlignedBox2d under(Eigen::Vector2d(6.0, -10.0), Eigen::Vector2d(22.0, 10.0));
  Scene scene = terrain(flat, 30.0, engine, under);
  add_box(scene, {6.0, -10.0, -kSensorHeight}, {16.0, 20.0, 1.2}, engine);
  const Score score = judge(scene);
  REQUIRE(score.recall > 0.99);
  REQUIRE(score.far_from_ground < scene.cloud.size() / 1000);
}

TEST_CASE("a bank that is too steep is no ground", "[ground]") {
  Engine engine(40);
  Scene scene = terrain(flat, 20.0, engine);
  add_rectangle(scene.cloud.points, {{20.0, -20.0, -kSensorHeight}, {10.0, 0.0, 10.0}, {0.0, 40.0, 0.0}, 0.3, 0.02},
                engine);
  const Score score = judge(scene);
  REQUIRE(score.recall > 0.99);
  REQUIRE(score.far_from_ground < scene.cloud.size() / 1000);
}

TEST_CASE("reflections below the ground are no ground", "[ground]") {
  Engine engine(36);
  Scene scene = terrain(flat, 30.0, engine);
  const std::size_t count = scene.ground / 30;
  for (std::size_t k = 0; k < count; ++k) {
    const Vector3d p = parte::clouds::uniform_vector(engine, 25.0);
    scene.cloud.points.push_back(Vector3d(p.x(), p.y(), -kSensorHeight - 1.0 - 0.2 * std::abs(p.z())).cast<float>());
  }
  const Score score = judge(scene);
  REQUIRE(score.recall > 0.99);
  REQUIRE(score.far_from_ground == 0);
}

TEST_CASE("everything at once", "[ground]") {
  Engine engine(37);
  const auto street = [](double x, double y) { return -kSensorHeight + 0.04 * x + (y < -5.0 ? 0.12 : 0.0); };
  Scene scene = terrain(street, 35.0, engine);
  auto& points = scene.cloud.points;
  add_rectangle(points, {{-30.0, 10.0, -3.0}, {60.0, 0.0, 2.4}, {0.0, 0.0, 8.0}, 0.25, 0.02}, engine);
  add_rectangle(points, {{12.0, -30.0, 4.5}, {8.0, 0.0, 0.0}, {0.0, 60.0, 0.0}, 0.25, 0.02}, engine);
  add_box(scene, {-9.0, 2.0, -1.8}, {4.2, 1.8, 1.5}, engine);
  add_box(scene, {6.0, -4.0, -1.2}, {4.2, 1.8, 1.5}, engine);
  for (int k = 0; k < 200; ++k) {
    const Vector3d p = parte::clouds::uniform_vector(engine, 30.0);
    points.push_back(Vector3d(p.x(), p.y(), -6.0 + 0.05 * p.z()).cast<float>());
  }
  // The wall's foot is buried: what lies near the ground there belongs to neither kind.
  const Score score = judge(scene);
  REQUIRE(score.recall > 0.99);
  REQUIRE(score.precision > 0.99);
  REQUIRE(score.far_from_ground < scene.cloud.size() / 1000);
}

TEST_CASE("a wall alone has no ground", "[ground]") {
  Engine engine(38);
  Scene scene;
  scene.height = flat;
  const Vector3d along = GENERATE(Vector3d(40.0, 0.0, 0.0), Vector3d(25.0, 25.0, 0.0));
  const Vector3d corner = -0.5 * along + Vector3d(-6.0, 8.0, -1.7);
  add_rectangle(scene.cloud.points, {corner, along, {0.0, 0.0, 10.0}, 0.25, 0.02}, engine);
  parte::estimate_normals(scene.cloud, Vector3d::Zero(), {.radius = 0.6});
  const auto labels = segment_ground(scene.cloud, {});
  const auto labelled = static_cast<std::size_t>(std::count(labels.begin(), labels.end(), true));
  REQUIRE(labelled < scene.cloud.size() / 100);
}

TEST_CASE("clouds of no and of one point have no ground", "[ground]") {
  PointCloud cloud;
  REQUIRE(segment_ground(cloud, {}).empty());
  cloud.points.emplace_back(5.0f, 0.0f, -1.7f);
  cloud.normals.emplace_back(0.0f, 0.0f, 0.0f);
  REQUIRE(segment_ground(cloud, {}) == std::vector<bool>{false});
}

TEST_CASE("ground is found beside points that are absurdly far away", "[ground]") {
  Engine engine(12);
  Scene scene = terrain([](double, double) { return -kSensorHeight; }, 20.0, engine);
  for (const float far : {-3e38f, 3e38f}) scene.cloud.points.emplace_back(far, far, 0.0f);
  scene.cloud.normals.assign(scene.cloud.size(), Eigen::Vector3f::UnitZ());
  const auto labels = segment_ground(scene.cloud, {});
  const auto found = static_cast<std::size_t>(std::count(labels.begin(), labels.end(), true));
  REQUIRE(found == scene.ground);
}

TEST_CASE("wrong ground options are refused", "[ground]") {
  REQUIRE_NOTHROW(GroundOptions{}.validate());
  REQUIRE_THROWS_AS((GroundOptions{.cell = 0.0}.validate()), std::invalid_argument);
  REQUIRE_THROWS_AS((GroundOptions{.tolerance = -1.0}.validate()), std::invalid_argument);
  REQUIRE_THROWS_AS((GroundOptions{.max_slope_deg = std::numeric_limits<double>::quiet_NaN()}.validate()),
                    std::invalid_argument);
  REQUIRE_THROWS_AS((GroundOptions{.min_points = -1}.validate()), std::invalid_argument);
}
