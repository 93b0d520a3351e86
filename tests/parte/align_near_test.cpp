#include <parte/align_near.hpp>

#include <parte/covariance.hpp>
#include <tests/parte/scenes.hpp>

#include <Eigen/Dense>

#include <catch2/catch_test_macros.hpp>

namespace {

using namespace parte;
using namespace parte::testing;
using Eigen::Isometry3d;
using Eigen::Vector3d;

constexpr double kNoise = 0.02;  // [m]
constexpr double kPeriod = 4.0;  // [m] between posts
constexpr double kHeight = 1.8;  // [m] of the sensor

/// Twelve uniform draws: nearly normal.
double normal(Draw& draw) {
  double total = -6.0;
  for (int i = 0; i < 12; ++i) total += draw.uniform(0.0, 1.0);
  return total;
}

struct Street {
  std::vector<double> walls = {-4.0, 5.0};  ///< their y
  double post_side = 0.4;                   ///< half of it [m]; 0: no posts
};

/// A scan from `at` along a street that has no end: level ground, walls, and equal posts before them.
Points scan(Draw& draw, const Street& street, const Isometry3d& at) {
  constexpr double kReach = 25.0;
  Points points;
  const auto add = [&](double x, double y, double z, const Vector3d& n) {
    const Vector3d noisy = Vector3d(x, y, z) + kNoise * normal(draw) * n;
    points.push_back((at.inverse() * noisy).cast<float>());
  };
  const double middle = at.translation().x();
  const auto along = [&] { return draw.uniform(middle - kReach, middle + kReach); };
  for (int i = 0; i < 20'000; ++i)
    add(along(), draw.uniform(street.walls.front(), street.walls.back()), -kHeight, Vector3d::UnitZ());
  for (const double y : street.walls) {
    for (int i = 0; i < 12'000; ++i) add(along(), y, draw.uniform(-kHeight, 2.0), Vector3d::UnitY());
    const double inward = y > 0.0 ? -1.0 : 1.0, side = street.post_side;
    for (double x = kPeriod * std::ceil((middle - kReach) / kPeriod); side > 0.0 && x < middle + kReach; x += kPeriod)
      for (int i = 0; i < 400; ++i) {
        const double z = draw.uniform(-kHeight, 2.0), u = draw.uniform(-side, side);
        add(x + u, y + 2.0 * inward * side, z, Vector3d::UnitY());
        add(x + (middle > x ? side : -side), y + inward * (side + u), z, Vector3d::UnitX());
      }
  }
  return points;
}

Isometry3d pose(double x, double y, double yaw) {
  return shift({x, y, 0.0}) * Isometry3d(Eigen::AngleAxisd(yaw, Vector3d::UnitZ()));
}

struct Pair {
  Features source, target;
  Isometry3d T_target_source;
  Vector3d axis;  ///< of the street, in the frame of the source
};

Pair pair_of(std::uint64_t seed, const Street& street) {
  static const Registration registration;
  Draw draw(seed);
  const Isometry3d T_world_source = pose(draw.uniform(0.0, kPeriod), draw.uniform(-1.0, 1.0), draw.uniform(-0.2, 0.2));
  const Isometry3d T_world_target =
      T_world_source * pose(draw.uniform(-3.0, 3.0), draw.uniform(-0.5, 0.5), draw.uniform(-0.2, 0.2));
  return {registration.extract(scan(draw, street, T_world_source), Vector3d::Zero()),
          registration.extract(scan(draw, street, T_world_target), Vector3d::Zero()),
          T_world_target.inverse() * T_world_source, T_world_source.linear().transpose() * Vector3d::UnitX()};
}

/// Standard deviations of the expectation: rotation, along, across.
Expectation around(const Isometry3d& T, double turn, double along, double across) {
  Vector6d sigma;
  sigma << 0.002, 0.002, turn, along, across, 0.05;
  return {T, sigma.cwiseAbs2().asDiagonal()};
}

Vector6d error_of(const Result& result, const Isometry3d& truth) {
  const Isometry3d error = result.T_target_source.inverse() * truth;
  const Eigen::AngleAxisd turn(error.linear());
  Vector6d xi;
  xi << turn.angle() * turn.axis(), error.translation();
  return xi;
}

}  // namespace

TEST_CASE("along a bare corridor the errors of partial results are as their covariance says", "[near]") {
  constexpr unsigned kTrials = 60;
  const Street bare{.post_side = 0.0};
  double nees = 0.0;
  for (unsigned trial = 0; trial < kTrials; ++trial) {
    const Pair p = pair_of(100 + trial, bare);
    Draw draw(trial);
    const Isometry3d start = p.T_target_source * pose(normal(draw), 0.3 * normal(draw), 0.005 * normal(draw));
    const Result r = align_near(p.source, p.target, around(start, 0.005, 1.0, 0.3), Options::lidar());
    REQUIRE(r.partial);
    REQUIRE(r.status == Status::degenerate);
    const Matrix6d covariance = registration_covariance(r);
    const Vector6d e = error_of(r, p.T_target_source), along = r.free_directions.front();
    // The corridor's direction, as the source has it, is free; nothing else is.
    CHECK(std::abs(along.tail<3>().normalized().dot(p.axis)) > 0.9999);
    const double open_m = std::sqrt(along.dot(covariance * along));  // bounded: by the surfaces' word and the result's
    CHECK(open_m > 95.0);
    CHECK(open_m < 145.0);
    const Vector6d with = covariance * along / open_m;
    const Matrix6d rest = covariance - with * with.transpose();  // if the shift were known
    CHECK(rest.topLeftCorner<3, 3>().trace() < 0.01 * 0.01);
    CHECK(rest.bottomRightCorner<3, 3>().trace() < 0.05 * 0.05);
    CHECK(e.head<3>().norm() < 0.005);
    nees += e.dot(covariance.ldlt().solve(e)) / kTrials;
  }
  CAPTURE(nees);
  // Five directions are fixed. Independent noise of few blocks is the cautious end: docs/ALGORITHM.md, "Covariance".
  CHECK(nees > 1.0);
  CHECK(nees < 8.0);
}

TEST_CASE("an alias along a street of equal posts is never a full fix", "[near]") {
  const Street posts;
  int partial = 0, far_out = 0;
  double nees = 0.0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Pair p = pair_of(seed, posts);
    // The trajectory has slipped by one period and is sure of it.
    const Isometry3d slipped = p.T_target_source * shift((seed % 2 ? kPeriod : -kPeriod) * p.axis);
    const Result r = align_near(p.source, p.target, around(slipped, 0.005, 0.5, 0.5), Options::lidar());
    REQUIRE_FALSE(r.success());
    if (!r.partial) continue;
    ++partial;
    const Matrix6d covariance = registration_covariance(r);
    const Vector6d e = error_of(r, p.T_target_source);
    CAPTURE(seed, e.transpose());
    CHECK(e.tail<3>().norm() > 0.5 * kPeriod);  // it is the alias,
    CHECK(std::sqrt(covariance.bottomRightCorner<3, 3>().trace()) > 90.0);
    const double own = e.dot(covariance.ldlt().solve(e));  // and its covariance has room for the truth.
    nees += own;
    far_out += own > 22.5 ? 1 : 0;
  }
  CHECK(partial >= 30);
  CHECK(nees / partial < 8.0);
  CHECK(far_out <= 1);  // of 40 draws of chi-square with 6 degrees of freedom, two are in 0.08 % of the cases
}

TEST_CASE("two alignments that exclude each other within the expectation are none", "[near]") {
  const Street aisles{.walls = {-6.0, -2.0, 2.0, 6.0}, .post_side = 0.0};
  const Pair p = pair_of(7, aisles);
  CHECK(align_near(p.source, p.target, around(p.T_target_source, 0.005, 0.5, 0.3), Options::lidar()).partial);
  CHECK_FALSE(align_near(p.source, p.target, around(p.T_target_source, 0.005, 0.5, 2.2), Options::lidar()).partial);
}

TEST_CASE("an expectation that says next to nothing is not searched, and one that is no number refused", "[near]") {
  const Pair p = pair_of(3, {});
  const Result vague = align_near(p.source, p.target, around(p.T_target_source, 1.0, 100.0, 100.0), Options::lidar());
  CHECK(vague.status == Status::not_verified);
  CHECK(vague.free_directions.empty());
  Expectation bad = around(p.T_target_source, 0.01, 1.0, 1.0);
  bad.covariance(2, 2) = std::numeric_limits<double>::quiet_NaN();
  CHECK_THROWS_AS(align_near(p.source, p.target, bad, Options::lidar()), std::invalid_argument);
}

TEST_CASE("an expected alignment is the same on one thread and on many, and wherever the clouds are", "[near]") {
  const Pair p = pair_of(5, {});
  const Expectation expected = around(p.T_target_source * pose(1.0, 0.4, 0.01), 0.01, 1.0, 0.5);
  Options one = Options::lidar(), many = one;
  one.threads = 1;
  many.threads = 4;
  CHECK(identical(align_near(p.source, p.target, expected, one), align_near(p.source, p.target, expected, many)));
}
