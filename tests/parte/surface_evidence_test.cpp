#include <parte/normals.hpp>
#include <parte/surface_evidence.hpp>
#include <parte/surface_residuals.hpp>

#include <tests/parte/clouds.hpp>

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <utility>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

namespace {

using namespace parte;
using namespace parte::clouds;
using Eigen::Isometry3d;
using Eigen::Vector3d;

constexpr double kRadius = 0.6;

/// A cloud with what verification knows of it.
struct Seen {
  PointCloud cloud;
  SurfaceModel model;

  explicit Seen(std::vector<Eigen::Vector3f> points, const Vector3d& sensor = Vector3d(0, 0, 1)) {
    cloud.points = std::move(points);
    estimate_normals(cloud, sensor, {kRadius, 30, 5});
    model = SurfaceModel(cloud, std::vector<bool>(cloud.size(), false), sensor, 2.0 * kRadius);
  }
  [[nodiscard]] Surfaces surfaces() const { return {cloud, model}; }
};

/// Points of a wall with an error along its normal, the same for all points of a square metre if `shared_m` > 0.
void add_wall(std::vector<Eigen::Vector3f>& points, const Vector3d& corner, const Vector3d& u, const Vector3d& v,
              double noise_m, double shared_m, Engine& engine) {
  const Vector3d normal = u.cross(v).normalized();
  const auto count = static_cast<int>(6.0 * u.norm() * v.norm());
  std::vector<double> shared(static_cast<std::size_t>(u.norm() + 1.0));
  for (double& s : shared) s = shared_m * gaussian(engine);
  for (int k = 0; k < count; ++k) {
    const double a = uniform(engine, 0.0, 1.0), b = uniform(engine, 0.0, 1.0);
    const double error = noise_m * gaussian(engine) + shared[static_cast<std::size_t>(a * u.norm())];
    points.emplace_back((corner + a * u + b * v + error * normal).cast<float>());
  }
}

/// Standard deviations of what is seen [m].
struct Noise {
  double walls = 0.0, floor = 0.0, shared = 0.0;
};

/// A room of a few blocks: floor and three walls.
std::vector<Eigen::Vector3f> small_room(const Noise& noise, Engine& engine) {
  std::vector<Eigen::Vector3f> points;
  add_wall(points, {-5, -4, 0}, {10, 0, 0}, {0, 8, 0}, noise.floor, noise.shared, engine);
  add_wall(points, {-5, -4, 0}, {10, 0, 0}, {0, 0, 3}, noise.walls, noise.shared, engine);
  add_wall(points, {-5, 4, 0}, {10, 0, 0}, {0, 0, 3}, noise.walls, noise.shared, engine);
  add_wall(points, {5, -4, 0}, {0, 8, 0}, {0, 0, 3}, noise.walls, noise.shared, engine);
  return points;
}

/// Floor and two side walls of a corridor along x; with an end wall a room that is open at one side.
std::vector<Eigen::Vector3f> corridor(bool end_wall, const Noise& noise, Engine& engine) {
  std::vector<Eigen::Vector3f> points;
  add_wall(points, {-30, -10, 0}, {60, 0, 0}, {0, 20, 0}, noise.floor, noise.shared, engine);
  add_wall(points, {-30, -10, 0}, {60, 0, 0}, {0, 0, 8}, noise.walls, noise.shared, engine);
  add_wall(points, {-30, 10, 0}, {60, 0, 0}, {0, 0, 8}, noise.walls, noise.shared, engine);
  if (end_wall) add_wall(points, {27, -10, 0}, {0, 20, 0}, {0, 0, 8}, noise.walls, noise.shared, engine);
  return points;
}

/// The error of the refinement between two views of a room, in units of what the evidence says: one value for the
/// whole (6 if it is exact), and one for what the floor fixes (roll, pitch, height: 3).
struct Score {
  double all = 0.0, floor = 0.0;
};

template <typename Scan>
Score mean_score(const Scan& scan, int trials) {
  Score mean;
  for (int trial = 0; trial < trials; ++trial) {
    Engine engine(static_cast<unsigned>(100 + trial));
    const Seen source(scan(engine)), target(scan(engine));
    const Refinement found =
        refine(source.surfaces(), target.surfaces(), Isometry3d::Identity(), Matrix6d::Zero(), kRadius);
    const SurfaceEvidence evidence =
        measure_evidence(source.surfaces(), target.surfaces(), found.T_target_source, kRadius);
    REQUIRE(evidence.open.isZero(1e-9));
    const Isometry3d error = found.T_target_source.inverse();
    const Eigen::AngleAxisd turn(error.linear());
    Vector6d xi;
    xi << turn.angle() * turn.axis(), error.translation();
    mean.all += xi.dot(evidence.information * xi) / trials;
    const Matrix6d covariance = evidence.information.inverse();
    const Eigen::Array3i axes(0, 1, 5);
    const Eigen::Vector3d part = xi(axes);
    mean.floor += part.dot(Eigen::Matrix3d(covariance(axes, axes)).ldlt().solve(part)) / trials;
  }
  return mean;
}

}  // namespace

TEST_CASE("the evidence of surfaces is the spread of what refinement finds", "[evidence][oracle]") {
  const Score score = mean_score([](Engine& e) { return corridor(true, {.walls = 0.03, .floor = 0.03}, e); }, 60);
  REQUIRE(score.all > 3.5);  // 6 if the evidence is exact; the mean of 60 draws strays by 0.45
  REQUIRE(score.all < 8.5);
}

TEST_CASE("a rough floor makes roll, pitch and height uncertain, and not the rest", "[evidence][oracle]") {
  const Score score = mean_score([](Engine& e) { return corridor(true, {.walls = 0.01, .floor = 0.06}, e); }, 60);
  REQUIRE(score.all > 3.5);
  REQUIRE(score.all < 8.5);
  REQUIRE(score.floor > 1.5);  // 3 if it is exact; the mean of 60 draws strays by 0.32
  REQUIRE(score.floor < 4.5);
  REQUIRE(score.all - score.floor > 1.5);
  REQUIRE(score.all - score.floor < 4.5);
}

TEST_CASE("in a room of few blocks the evidence knows that it is itself uncertain", "[evidence][oracle]") {
  const Noise noise{.walls = 0.02, .floor = 0.02, .shared = 0.02};
  const Score score = mean_score([&](Engine& e) { return small_room(noise, e); }, 120);
  CAPTURE(score.all);
  REQUIRE(score.all > 3.0);
  REQUIRE(score.all < 8.0);
}

TEST_CASE("surfaces count by their roughness and by how far their planes part", "[evidence]") {
  const Doubt typical{.roughness = 4e-4, .lever = 1e-4};
  const auto weighed = [&](double roughness, double lever) {
    SurfaceResidual r{Vector6d::Ones(), 0.1, {roughness, lever}, {}};
    r.weigh(typical);
    REQUIRE((r.J - Vector6d::Constant(r.distance / 0.1)).norm() < 1e-12);
    return r.distance;
  };
  REQUIRE(weighed(4e-4, 1e-4) == Catch::Approx(0.1));                  // a typical one stays as it is
  REQUIRE(weighed(28e-4, 1e-4) == Catch::Approx(0.05));                // variances 1 and 7 beside 1: a quarter
  REQUIRE(weighed(4e-4, 7e-4) == Catch::Approx(0.05));                 // of the weight, by either
  REQUIRE(weighed(0.0, 1e-4) == Catch::Approx(0.1 * std::sqrt(2.0)));  // twice the weight at most
  REQUIRE(weighed(4e-4, 0.0) == Catch::Approx(0.1 * std::sqrt(2.0)));
  std::vector<SurfaceResidual> residuals(5);
  for (std::size_t k = 0; k < 5; ++k)
    residuals[k].doubt = {std::array{9e-4, 1e-4, 4e-4, 2e-4, 8e-4}[k], std::array{3e-4, 2e-5, 1e-4, 4e-4, 1e-5}[k]};
  REQUIRE(typical_doubt(residuals, kRadius).roughness == 4e-4);
  REQUIRE(typical_doubt(residuals, kRadius).lever == 1e-4);
  REQUIRE(typical_doubt({}, kRadius).roughness == Catch::Approx(9e-6));
  REQUIRE(typical_doubt({}, kRadius).lever == Catch::Approx(9e-6));
}

TEST_CASE("two planes part by their angle times the distance between the points", "[evidence][oracle]") {
  Engine engine(3);
  const Seen target(corridor(true, {}, engine));  // exact planes
  const Index on_floor = target.model.surfels.others[5];
  const Vector3d point = target.cloud.at(on_floor), normal = target.model.surfels.normals[on_floor].cast<double>();
  const Vector3d along = normal.unitOrthogonal();
  for (const double angle : {0.0, 0.1, 0.3, 0.7})
    for (const double offset : {0.0, 0.01, 0.02}) {
      const Surfel surfel{point + offset * along, Eigen::AngleAxisd(angle, normal.cross(along)) * normal};
      const auto residual = surface_residual(target.surfaces(), Isometry3d::Identity(), surfel, kRadius);
      REQUIRE(residual);
      // The line between the points leans by half the angle against the mean of both planes.
      const double distance = offset * std::cos(0.5 * angle), turn = 2.0 * std::sin(0.5 * angle);
      REQUIRE(std::sqrt(residual->doubt.lever) == Catch::Approx(distance * turn).margin(1e-5));
    }
}

TEST_CASE("a rough surface counts for less, but fixes its direction as well as a smooth one", "[evidence]") {
  // The part of a corridor that faces along y, its sides, by weight and by number.
  const auto sides = [](double roughness_m) {
    Engine engine(3);
    const Noise noise{.walls = roughness_m, .floor = 0.005};
    const Seen source(corridor(true, noise, engine)), target(corridor(true, noise, engine));
    const Refinement found =
        refine(source.surfaces(), target.surfaces(), Isometry3d::Identity(), Matrix6d::Zero(), kRadius);
    return std::pair(found.information(4, 4) / found.weight, found.facing(4, 4) / found.weight);
  };
  const auto [smooth_weight, smooth_part] = sides(0.005);
  const auto [rough_weight, rough_part] = sides(0.02);
  CAPTURE(smooth_weight, smooth_part, rough_weight, rough_part);
  REQUIRE(rough_weight < 0.8 * smooth_weight);
  REQUIRE(rough_part > 0.9 * smooth_part);
}

TEST_CASE("weight and curvature are derivatives of the loss", "[evidence][oracle]") {
  const Cauchy kernel(0.2);
  constexpr double kStep = 1e-4;
  for (const double r : {-0.5, -0.1, 0.01, 0.2, 0.7}) {
    const double before = kernel.loss(r - kStep), after = kernel.loss(r + kStep);
    REQUIRE(kernel.weight(r) * r == Catch::Approx((after - before) / (2.0 * kStep)).epsilon(1e-5));
    REQUIRE(kernel.curvature(r) ==
            Catch::Approx((after - 2.0 * kernel.loss(r) + before) / (kStep * kStep)).margin(1e-5));
  }
}

TEST_CASE("the kernel is as wide as the residuals", "[evidence]") {
  Engine engine(7);
  std::vector<SurfaceResidual> residuals(20000);
  for (SurfaceResidual& r : residuals) r.distance = 0.05 * gaussian(engine);
  const double distance = 2.385 * 0.05;  // at the scale the weight is one half
  REQUIRE(kernel_of(residuals, kRadius).weight(distance) == Catch::Approx(0.5).margin(0.01));
  REQUIRE(kernel_of({}, kRadius).weight(0.5 * kRadius) == Catch::Approx(0.5));
}

TEST_CASE("surfaces leave the direction of a corridor open, and only that", "[evidence]") {
  Engine engine(5);
  const Seen source(corridor(false, {.walls = 0.02, .floor = 0.02}, engine)),
      target(corridor(false, {.walls = 0.02, .floor = 0.02}, engine));
  const SurfaceEvidence evidence =
      measure_evidence(source.surfaces(), target.surfaces(), Isometry3d::Identity(), kRadius);
  const Vector6d along = Vector6d::Unit(3), across = Vector6d::Unit(4), up = Vector6d::Unit(5);
  REQUIRE(along.dot(evidence.information * along) < 1e-3 * across.dot(evidence.information * across));
  REQUIRE((evidence.open * along - along).norm() < 0.1);
  REQUIRE((evidence.open * across).norm() < 0.1);
  REQUIRE((evidence.open * up).norm() < 0.1);
  REQUIRE(evidence.open.trace() == Catch::Approx(1.0).margin(1e-6));
  REQUIRE((evidence.open * evidence.open - evidence.open).norm() < 1e-6);
}

TEST_CASE("errors that neighbours share count once", "[evidence]") {
  const auto correlation = [](const Noise& noise) {
    double sum = 0.0;
    for (unsigned seed = 1; seed <= 10; ++seed) {
      Engine engine(seed);
      const Seen source(corridor(true, noise, engine)), target(corridor(true, noise, engine));
      sum += measure_evidence(source.surfaces(), target.surfaces(), Isometry3d::Identity(), kRadius).correlation / 10.0;
    }
    return sum;
  };
  REQUIRE(correlation({.walls = 0.05, .floor = 0.05}) < 2.0);
  REQUIRE(correlation({.shared = 0.05}) > 1.5 * correlation({.walls = 0.05, .floor = 0.05}));
}

TEST_CASE("too few matches are no evidence", "[evidence]") {
  Engine engine(3);
  const Seen source(corridor(true, {.walls = 0.02, .floor = 0.02}, engine)),
      target(corridor(true, {.walls = 0.02, .floor = 0.02}, engine));
  const Isometry3d far(Eigen::Translation3d(500.0, 0.0, 0.0));
  const SurfaceEvidence evidence = measure_evidence(source.surfaces(), target.surfaces(), far, kRadius);
  REQUIRE(evidence.information.isZero(0.0));
  REQUIRE(evidence.open.isIdentity(0.0));
}
