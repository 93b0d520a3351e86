#include <parte/compatibility.hpp>

#include <tests/parte/graphs.hpp>

#include <bit>
#include <limits>
#include <numbers>
#include <stdexcept>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_exception.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

namespace {

using namespace parte;
using namespace parte::testing;
using Eigen::Vector3d;

constexpr double kMargin = 1e-4;  // [m, rad] nearer to a threshold, rounding may decide

double angle(const Vector3d& a, const Vector3d& b) { return std::atan2(a.cross(b).norm(), a.dot(b)); }

/// By how much the pair is inside (positive) or outside its tolerance, by the letter of the paper's equations.
double slack(const PointPair& a, const PointPair& b, const CompatibilityOptions& o) {
  return 2.0 * o.spatial_tolerance - std::abs((a.source - b.source).norm() - (a.target - b.target).norm());
}
double slack(const PlanePair& a, const PlanePair& b, const CompatibilityOptions& o) {
  const double change = angle(a.source_normal, b.source_normal) - angle(a.target_normal, b.target_normal);
  return 2.0 * o.angular_tolerance_deg * std::numbers::pi / 180.0 - std::abs(change);
}
double slack(const PlanePair& plane, const PointPair& point, const CompatibilityOptions& o) {
  const double above_source = plane.source_normal.dot(point.source) - plane.source_normal.dot(plane.source_centroid);
  const double above_target = plane.target_normal.dot(point.target) - plane.target_normal.dot(plane.target_centroid);
  const double away =
      std::min((point.source - plane.source_centroid).norm(), (point.target - plane.target_centroid).norm());
  return o.spatial_tolerance + o.angular_tolerance_deg * std::numbers::pi / 180.0 * away -
         std::abs(above_source - above_target);
}

struct Problem {
  std::vector<PointPair> points;
  std::vector<PlanePair> planes;
  [[nodiscard]] std::size_t size() const { return points.size() + planes.size(); }
  [[nodiscard]] double slack_of(std::size_t i, std::size_t j, const CompatibilityOptions& o) const {
    const std::size_t n = points.size();
    if (i > j) std::swap(i, j);
    if (j < n) return slack(points[i], points[j], o);
    return i < n ? slack(planes[j - n], points[i], o) : slack(planes[i - n], planes[j - n], o);
  }
};

/// Errors about as large as the tolerances, so that every test has many pairs on both sides.
Problem random_problem(std::uint64_t seed, std::size_t points, std::size_t planes, const CompatibilityOptions& o) {
  Draw draw(seed);
  const Eigen::Isometry3d T = draw.motion(20.0);
  const double half = draw.uniform(2.0, 40.0), tilt = 2.0 * o.angular_tolerance_deg * std::numbers::pi / 180.0;
  Problem problem;
  const auto moved = [&](const Vector3d& p) {
    const bool wild = draw.chance(0.2);
    return Vector3d(T * (wild ? draw.in_cube(half) : p + draw.in_ball(3.0 * o.spatial_tolerance)));
  };
  for (std::size_t i = 0; i < points; ++i) {
    const Vector3d p = draw.in_cube(half);
    problem.points.push_back({p, moved(p)});
  }
  for (std::size_t j = 0; j < planes; ++j) {
    const Vector3d mu = draw.in_cube(half), u = draw.direction(), v = (u + draw.in_ball(tilt)).normalized();
    problem.planes.push_back({mu, u, moved(mu), T.linear() * v, draw.uniform()});
  }
  return problem;
}

void require_as_written(const Problem& problem, const CompatibilityOptions& options) {
  const BitMatrix graph = compatibility_graph(problem.points, problem.planes, options);
  REQUIRE(graph.size() == problem.size());
  std::size_t wrong = 0, joined = 0, apart = 0, asymmetric = 0, loops = 0;
  for (std::size_t i = 0; i < problem.size(); ++i) {
    loops += graph.test(i, i);
    for (std::size_t j = 0; j < i; ++j) {
      asymmetric += graph.test(i, j) != graph.test(j, i);
      const double slack = problem.slack_of(i, j, options);
      if (std::abs(slack) < kMargin) continue;
      wrong += graph.test(i, j) != (slack > 0.0);
      (slack > 0.0 ? joined : apart) += 1;
    }
  }
  REQUIRE(wrong == 0);
  REQUIRE(asymmetric == 0);
  REQUIRE(loops == 0);
  REQUIRE(joined > 0);
  REQUIRE(apart > 0);
}

}  // namespace

TEST_CASE("every pair is joined as the three equations say", "[compatibility][oracle]") {
  const auto seed = GENERATE(range(0u, 30u));
  const CompatibilityOptions options = GENERATE(CompatibilityOptions{0.3, 5.0}, CompatibilityOptions{0.05, 2.0});
  CAPTURE(seed, options.spatial_tolerance);
  SECTION("points and planes") { require_as_written(random_problem(seed, 200, 60, options), options); }
  SECTION("points alone") { require_as_written(random_problem(seed, 129, 0, options), options); }
  SECTION("planes alone") { require_as_written(random_problem(seed, 0, 65, options), options); }
}

TEST_CASE("the graph is the same far from the origin", "[compatibility]") {
  const CompatibilityOptions options;
  Problem problem = random_problem(5, 150, 40, options);
  const Vector3d far_source(3e5, -5e6, 100.0), far_target(-4e5, 5e6, 0.0);
  for (PointPair& p : problem.points) p.source += far_source, p.target += far_target;
  for (PlanePair& p : problem.planes) p.source_centroid += far_source, p.target_centroid += far_target;
  require_as_written(problem, options);
}

TEST_CASE("bits behind the last column stay clear", "[compatibility]") {
  const std::size_t size = GENERATE(1u, 63u, 65u, 100u);
  const CompatibilityOptions options{GENERATE(1e6, 1e300), 90.0};  // everything is consistent
  const Problem problem = random_problem(size, size - size / 3, size / 3, {});
  const BitMatrix graph = compatibility_graph(problem.points, problem.planes, options);
  for (std::size_t i = 0; i < size; ++i) {
    std::size_t degree = 0;
    for (const std::uint64_t word : graph.row(i)) degree += static_cast<std::size_t>(std::popcount(word));
    REQUIRE(degree == size - 1);
  }
}

TEST_CASE("no correspondences give an empty graph", "[compatibility]") {
  REQUIRE(compatibility_graph({}, {}, {}).size() == 0);
}

TEST_CASE("a rigid motion joins everything", "[compatibility]") {
  Draw draw(GENERATE(range(0u, 5u)));
  const Eigen::Isometry3d T = draw.motion(100.0);
  Problem problem;
  for (int i = 0; i < 80; ++i) {
    const Vector3d p = draw.in_cube(60.0), mu = draw.in_cube(60.0), u = draw.direction();
    problem.points.push_back({p, T * p});
    problem.planes.push_back({mu, u, T * mu, T.linear() * u, 1.0});
  }
  const BitMatrix graph = compatibility_graph(problem.points, problem.planes, {0.001, 0.05});
  for (std::size_t i = 0; i < graph.size(); ++i)
    for (std::size_t j = 0; j < graph.size(); ++j) REQUIRE(graph.test(i, j) == (i != j));
}

TEST_CASE("the plane-point bound grows with the lesser distance from the centroids", "[compatibility]") {
  const CompatibilityOptions options{0.3, 5.0};
  const double radians = 5.0 * std::numbers::pi / 180.0;
  const PlanePair plane{Vector3d::Zero(), Vector3d::UnitZ(), Vector3d::Zero(), Vector3d::UnitZ(), 1.0};
  const auto joined = [&](const Vector3d& source, const Vector3d& target) {
    const std::vector<PointPair> points{{source, target}};
    const std::vector<PlanePair> planes{plane};
    return compatibility_graph(points, planes, options).test(0, 1);
  };
  const double away = GENERATE(0.0, 1.0, 10.0, 80.0);
  const double bound = 0.3 + radians * away;
  // In the plane on one side; off it on the other, where the distance from the centroid is the greater one.
  REQUIRE(joined({away, 0, 0}, {away, 0, bound - 0.001}));
  REQUIRE_FALSE(joined({away, 0, 0}, {away, 0, bound + 0.001}));
  REQUIRE(joined({away, 0, -bound + 0.001}, {0, away, 0}));
  REQUIRE_FALSE(joined({away, 0, -bound - 0.001}, {0, away, 0}));
  // The far side of a pair does not widen the bound.
  REQUIRE_FALSE(joined({away, 0, 0}, {away + 50.0, 0, bound + 0.001}));
  REQUIRE_FALSE(joined({away + 50.0, 0, bound + 0.001}, {away, 0, 0}));
  // Distances have signs: a point below the plane is not one above it.
  REQUIRE_FALSE(joined({away, 0, 0.75 * bound}, {away, 0, -0.75 * bound}));
}

TEST_CASE("a flipped normal is another angle", "[compatibility]") {
  const Vector3d x = Vector3d::UnitX(), o = Vector3d::Zero();
  const Vector3d tilted = Vector3d(1.0, 0.3, 0.0).normalized();
  const std::vector<PlanePair> same{{o, x, o, x, 1.0}, {o, tilted, o, tilted, 1.0}};
  const std::vector<PlanePair> flipped{{o, x, o, x, 1.0}, {o, tilted, o, -tilted, 1.0}};
  REQUIRE(compatibility_graph({}, same, {}).test(0, 1));
  REQUIRE_FALSE(compatibility_graph({}, flipped, {}).test(0, 1));
}

TEST_CASE("wrong tolerances are refused by name", "[compatibility]") {
  using Catch::Matchers::ContainsSubstring;
  using Catch::Matchers::MessageMatches;
  const double wrong = GENERATE(-1.0, std::numeric_limits<double>::quiet_NaN());
  REQUIRE_THROWS_MATCHES((CompatibilityOptions{wrong, 5.0}.validate()), std::invalid_argument,
                         MessageMatches(ContainsSubstring("spatial_tolerance")));
  REQUIRE_THROWS_MATCHES((CompatibilityOptions{0.3, wrong}.validate()), std::invalid_argument,
                         MessageMatches(ContainsSubstring("angular_tolerance_deg")));
}
