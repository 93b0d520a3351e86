#include <parte/transform.hpp>

#include <tests/parte/graphs.hpp>

#include <Eigen/Dense>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

namespace {

using namespace parte;
using namespace parte::testing;
using Eigen::Isometry3d;
using Eigen::Vector3d;

struct Problem {
  std::vector<PointPair> points;
  std::vector<PlanePair> planes;
  Isometry3d T = Isometry3d::Identity();
  Vector3d source_center = Vector3d::Zero(), target_center = Vector3d::Zero();  ///< of the matched points

  void add_point(const Vector3d& p, const Vector3d& error = Vector3d::Zero()) {
    points.push_back({p, T * p + error});
    const double n = static_cast<double>(points.size());
    source_center += (points.back().source - source_center) / n;
    target_center += (points.back().target - target_center) / n;
  }
  void add_plane(const Vector3d& mu, const Vector3d& u, double weight, const Vector3d& tilt = Vector3d::Zero(),
                 double shift = 0.0) {
    const Vector3d v = (T.linear() * u + tilt).normalized();
    planes.push_back({mu, u, T * mu + shift * v, v, weight});
  }
};

Problem random_problem(std::uint64_t seed, int points, int planes, double noise, const Vector3d& offset) {
  Draw draw(seed);
  Problem problem;
  problem.T = draw.motion(30.0);
  for (int i = 0; i < points; ++i) {
    const Vector3d p = offset + draw.in_cube(20.0);
    problem.add_point(p, draw.in_ball(noise));
  }
  for (int j = 0; j < planes; ++j) {
    const Vector3d mu = offset + draw.in_cube(20.0), u = draw.direction(), tilt = draw.in_ball(0.3 * noise);
    const double weight = draw.uniform(0.1, 1.0);
    problem.add_plane(mu, u, weight, tilt, draw.uniform(-noise, noise));
  }
  return problem;
}

/// Eq. (transformation-estimation) with coordinates counted from the centres of the matched points.
double objective(const Problem& problem, const Isometry3d& T) {
  const Vector3d t = T * problem.source_center - problem.target_center;
  double sum = 0.0;
  for (const PointPair& pair : problem.points) {
    const Vector3d p = pair.source - problem.source_center, q = pair.target - problem.target_center;
    sum += (T.linear() * p + t - q).squaredNorm();
  }
  for (const PlanePair& pair : problem.planes) {
    const double d_source = pair.source_normal.dot(pair.source_centroid - problem.source_center);
    const double d_target = pair.target_normal.dot(pair.target_centroid - problem.target_center);
    sum += pair.weight * (T.linear() * pair.source_normal - pair.target_normal).squaredNorm();
    sum += pair.weight * std::pow(d_target - d_source - pair.target_normal.dot(t), 2);
  }
  return sum;
}

/// T exp(xi), by its series: exp of the 4x4 twist matrix.
Isometry3d moved(const Isometry3d& T, const Vector6d& xi) {
  Eigen::Matrix4d twist = Eigen::Matrix4d::Zero(), term = Eigen::Matrix4d::Identity(), sum = term;
  twist.topLeftCorner<3, 3>() << 0, -xi[2], xi[1], xi[2], 0, -xi[0], -xi[1], xi[0], 0;
  twist.topRightCorner<3, 1>() = xi.tail<3>();
  for (int k = 1; k < 20; ++k) sum += term = term * twist / k;
  Isometry3d result;
  result.matrix() = T.matrix() * sum;
  return result;
}

/// Moves both clouds to their centres: tangents there have well-scaled translations.
Problem centred(const Problem& problem) {
  Problem result = problem;
  for (PointPair& p : result.points) p.source -= problem.source_center, p.target -= problem.target_center;
  for (PlanePair& p : result.planes)
    p.source_centroid -= problem.source_center, p.target_centroid -= problem.target_center;
  result.T.translation() = problem.T * problem.source_center - problem.target_center;
  result.source_center = result.target_center = Vector3d::Zero();
  return result;
}

double worst_point_error(const Problem& problem, const Isometry3d& T) {
  double worst = 0.0;
  for (const PointPair& p : problem.points) worst = std::max(worst, (T * p.source - problem.T * p.source).norm());
  for (const PlanePair& p : problem.planes)
    worst = std::max(worst, (T * p.source_centroid - problem.T * p.source_centroid).norm());
  return worst;
}

Eigen::MatrixXd projector(const Eigen::MatrixXd& columns) {
  return columns * (columns.transpose() * columns).inverse() * columns.transpose();
}

Vector6d tangent(const Vector3d& rotation, const Vector3d& translation) {
  return (Vector6d() << rotation, translation).finished();
}
/// Turns about the axis through `p` along `w`.
Vector6d turn(const Vector3d& w, const Vector3d& p) { return tangent(w, p.cross(w)); }

/// The estimate fits what there is, and leaves open exactly the span of these tangents at the source.
void require_open(const Problem& problem, const std::vector<Vector6d>& expected) {
  TransformOptions options;
  options.noise = 0.01, options.angular_noise = 0.001;
  const TransformEstimate estimate = estimate_transform(problem.points, problem.planes, options);
  REQUIRE(estimate.degenerate == !expected.empty());
  REQUIRE(estimate.free_directions.size() == expected.size());
  Eigen::MatrixXd found(6, expected.size()), truth(6, expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) {
    REQUIRE(std::abs(estimate.free_directions[k].norm() - 1.0) < 1e-9);
    found.col(static_cast<Eigen::Index>(k)) = estimate.free_directions[k];
    truth.col(static_cast<Eigen::Index>(k)) = expected[k];
  }
  if (!expected.empty()) REQUIRE((projector(found) - projector(truth)).norm() < 1e-6);
  REQUIRE(objective(problem, estimate.T_target_source) < 1e-16);
}

}  // namespace

TEST_CASE("motions are recovered exactly from what is exact", "[transform]") {
  const auto seed = GENERATE(range(0u, 20u));
  const Vector3d offset = GENERATE(Vector3d(0, 0, 0), Vector3d(1e5, -1e5, 2e4));
  const auto [points, planes] = GENERATE(std::pair{3, 0}, std::pair{50, 0}, std::pair{30, 10}, std::pair{1, 2},
                                         std::pair{2, 1}, std::pair{0, 3}, std::pair{0, 12});
  const Problem problem = random_problem(seed, points, planes, 0.0, offset);
  const TransformEstimate estimate = estimate_transform(problem.points, problem.planes);
  CAPTURE(seed, offset.transpose(), points, planes);
  // Three random planes may meet at small angles, which multiplies rounding.
  REQUIRE(worst_point_error(problem, estimate.T_target_source) < (offset.isZero() ? 1e-8 : 1e-6));
  REQUIRE((estimate.T_target_source.linear().transpose() * estimate.T_target_source.linear()).isIdentity(1e-12));
  REQUIRE(estimate.T_target_source.linear().determinant() > 0.0);
  REQUIRE(estimate.point_rms_m < 1e-7);
}

TEST_CASE("the end is a minimum of the joint objective", "[transform][oracle]") {
  const auto seed = GENERATE(range(0u, 20u));
  const Vector3d offset = GENERATE(Vector3d(0, 0, 0), Vector3d(500, -300, 20));
  const auto [points, planes] = GENERATE(std::pair{30, 0}, std::pair{20, 8}, std::pair{4, 20});
  const Problem problem = random_problem(seed, points, planes, 0.3, offset);
  const TransformEstimate estimate = estimate_transform(problem.points, problem.planes);
  const double best = objective(problem, estimate.T_target_source);
  CAPTURE(seed, offset.transpose(), points, planes, best);
  REQUIRE(std::abs(estimate.objective - best) < 1e-8 * (1.0 + best));
  REQUIRE(best <= objective(problem, problem.T));

  const Problem local = centred(problem);
  Isometry3d T = estimate.T_target_source;
  T.translation() = estimate.T_target_source * problem.source_center - problem.target_center;
  for (int k = 0; k < 6; ++k) {
    constexpr double kStep = 1e-5;
    const Vector6d step = kStep * Vector6d::Unit(k);
    const double slope = (objective(local, moved(T, step)) - objective(local, moved(T, -step))) / (2.0 * kStep);
    const double curvature =
        (objective(local, moved(T, step)) + objective(local, moved(T, -step)) - 2.0 * best) / (kStep * kStep);
    REQUIRE(std::abs(slope) < 1e-6 * curvature);  // a Newton step would be a micrometre, a microradian
  }
  Draw draw(seed + 100);
  for (int trial = 0; trial < 300; ++trial) {
    const double size = std::pow(10.0, draw.uniform(-4.0, 0.5));
    const Vector3d w = draw.in_ball(size), v = draw.in_ball(size);
    REQUIRE(objective(local, moved(T, tangent(w, v))) >= best);
  }
}

TEST_CASE("the objective never rises", "[transform]") {
  const auto seed = GENERATE(range(0u, 40u));
  const Problem problem = random_problem(seed, 3 + static_cast<int>(seed % 5), 12, 0.5, Vector3d(100, 200, 0));
  const TransformEstimate estimate = estimate_transform(problem.points, problem.planes);
  REQUIRE_FALSE(estimate.objective_history.empty());
  for (std::size_t k = 1; k < estimate.objective_history.size(); ++k)
    REQUIRE(estimate.objective_history[k] <= (1.0 + 1e-13) * estimate.objective_history[k - 1]);  // but for rounding
  REQUIRE(estimate.objective == estimate.objective_history.back());
}

TEST_CASE("the information is the Hessian of half the objective", "[transform][oracle]") {
  const auto seed = GENERATE(range(0u, 10u));
  const Vector3d offset = GENERATE(Vector3d(0, 0, 0), Vector3d(300, -200, 50));
  const auto [points, planes] = GENERATE(std::pair{10, 0}, std::pair{10, 5}, std::pair{3, 30});
  const Problem problem = random_problem(seed, points, planes, 0.0, offset);
  const TransformEstimate estimate = estimate_transform(problem.points, problem.planes);
  const auto half_at = [&](const Vector6d& xi) { return 0.5 * objective(problem, moved(problem.T, xi)); };
  const double lever = 20.0 + offset.norm(), size = 1e-4;
  const Vector6d steps = tangent(Vector3d::Constant(size / lever), Vector3d::Constant(size));
  for (int a = 0; a < 6; ++a)
    for (int b = 0; b < 6; ++b) {
      const Vector6d da = steps[a] * Vector6d::Unit(a), db = steps[b] * Vector6d::Unit(b);
      const double numeric = (half_at(da + db) - half_at(da - db) - half_at(db - da) + half_at(-da - db)) / 4.0;
      const double analytic = estimate.information(a, b) * steps[a] * steps[b];
      CAPTURE(seed, offset.transpose(), points, planes, a, b);
      REQUIRE(std::abs(numeric - analytic) < 1e-5 * size * size * (points + planes));
    }
  REQUIRE(estimate.information.isApprox(estimate.information.transpose(), 1e-12));
}

TEST_CASE("what nothing fixes is named", "[transform]") {
  Draw draw(GENERATE(range(0u, 10u)));
  Problem problem;
  problem.T = draw.motion(30.0);
  const Vector3d p = draw.in_cube(10.0), q = p + 8.0 * draw.direction(), n = draw.direction();
  const Vector3d along = (q - p).normalized(), e1 = n.unitOrthogonal(), e2 = n.cross(e1);
  const Vector3d zero = Vector3d::Zero();
  SECTION("no correspondences: everything") {
    const TransformEstimate estimate = estimate_transform({}, {});
    REQUIRE(estimate.degenerate);
    REQUIRE(estimate.free_directions.size() == 6);
  }
  SECTION("one point: turns about it") {
    problem.add_point(p);
    require_open(problem, {turn(n, p), turn(e1, p), turn(e2, p)});
  }
  SECTION("collinear points: the turn about their line") {
    for (int k = GENERATE(2, 3, 20); k > 0; --k) problem.add_point(p + k * (q - p));
    require_open(problem, {turn(along, p)});
  }
  SECTION("one plane, or parallel ones: shifts in it and the turn about its normal") {
    const int count = GENERATE(1, 2, 5);
    for (int k = 0; k < count; ++k) problem.add_plane(p + draw.in_cube(5.0), k == 2 ? Vector3d(-n) : n, 1.0);
    require_open(problem, {tangent(zero, e1), tangent(zero, e2), turn(n, p)});
  }
  SECTION("two planes: the shift along their edge") {
    problem.add_plane(p, n, 1.0);
    problem.add_plane(q, (n + e1).normalized(), 1.0);
    require_open(problem, {tangent(zero, e2)});
  }
  SECTION("points on a plane's normal: the turn about it") {
    const int count = GENERATE(1, 3);
    for (int k = 0; k < count; ++k) problem.add_point(p + k * 4.0 * n);
    problem.add_plane(q, n, 1.0);
    require_open(problem, {turn(n, p)});
  }
  SECTION("three planes, or a line of points and a plane beside it: nothing is open") {
    problem.add_plane(p, n, 1.0);
    problem.add_plane(q, e1, 1.0);
    if (GENERATE(false, true)) {
      problem.add_plane(p, e2, 1.0);
    } else {
      for (int k = 0; k < 3; ++k) problem.add_point(p + k * 4.0 * e2);
    }
    require_open(problem, {});
  }
}
