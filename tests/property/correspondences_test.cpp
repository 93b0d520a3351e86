#include <parte/clique.hpp>
#include <parte/transform.hpp>

#include <tests/parte/graphs.hpp>

#include <Eigen/Dense>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

// From correspondences to a transform, by the stages alone: graph, clique, Algorithm 2.

namespace {

using namespace parte;
using namespace parte::testing;
using Eigen::Isometry3d;
using Eigen::Vector3d;

constexpr double kNoise = 0.3, kHalf = 30.0;  // [m]

struct Solution {
  Clique clique;
  TransformEstimate estimate;
};

Solution solve(const std::vector<PointPair>& points, const std::vector<PlanePair>& planes) {
  CliqueOptions limits;
  limits.time_limit_s = 1e6;
  std::vector<int> weights(points.size(), 1);
  for (const PlanePair& p : planes) weights.push_back(std::max(1, static_cast<int>(std::ceil(10.0 * p.weight))));
  const BitMatrix graph = compatibility_graph(points, planes, {kNoise, 5.0});
  Solution solution{max_weight_clique(graph, weights, limits), {}};
  std::vector<PointPair> chosen_points;
  std::vector<PlanePair> chosen_planes;
  for (const Index v : solution.clique.vertices)
    if (v < points.size())
      chosen_points.push_back(points[v]);
    else
      chosen_planes.push_back(planes[v - points.size()]);
  solution.estimate = estimate_transform(chosen_points, chosen_planes);
  return solution;
}

/// RMS distance [m] between where two transforms put the inliers.
double apart(const Isometry3d& a, const Isometry3d& b, const PointProblem& problem) {
  double sum = 0.0;
  for (const Index i : problem.inliers)
    sum += (a * problem.pairs[i].source - b * problem.pairs[i].source).squaredNorm();
  return std::sqrt(sum / static_cast<double>(problem.inliers.size()));
}

/// Least squares over the inliers, by somebody who knows them.
Isometry3d oracle(const PointProblem& problem) {
  Eigen::Matrix3Xd source(3, problem.inliers.size()), target(3, problem.inliers.size());
  for (std::size_t k = 0; k < problem.inliers.size(); ++k) {
    source.col(static_cast<Eigen::Index>(k)) = problem.pairs[problem.inliers[k]].source;
    target.col(static_cast<Eigen::Index>(k)) = problem.pairs[problem.inliers[k]].target;
  }
  return Isometry3d(Eigen::umeyama(source, target, false));
}

}  // namespace

TEST_CASE("the motion is found among 0 to 99 % outliers", "[property]") {
  const double outliers = GENERATE(0.0, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99);
  for (unsigned seed = 0; seed < 20; ++seed) {
    Draw draw(seed);
    const PointProblem problem = point_problem(draw, 1200, outliers, kNoise, kHalf);
    const auto [clique, estimate] = solve(problem.pairs, {});
    CAPTURE(outliers, seed, clique.vertices.size(), problem.inliers.size());
    REQUIRE(clique.proven_optimal);
    REQUIRE(std::ranges::includes(clique.vertices, problem.inliers));
    REQUIRE_FALSE(estimate.degenerate);
    // A stray outlier that is consistent with all inliers can pull the estimate, but by no more than the tolerance.
    REQUIRE(apart(estimate.T_target_source, oracle(problem), problem) < kNoise);
    if (clique.vertices == problem.inliers) REQUIRE(apart(estimate.T_target_source, oracle(problem), problem) < 1e-6);
    REQUIRE(apart(estimate.T_target_source, problem.T_target_source, problem) < kNoise);
  }
}

TEST_CASE("planes carry what four points in two hundred cannot", "[property]") {
  int with_planes = 0, without = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    Draw draw(1000 + seed);
    const PointProblem problem = point_problem(draw, 200, 0.98, kNoise, kHalf);
    std::vector<PlanePair> planes;
    for (int j = 0; j < 12; ++j) {
      const bool right = j < 6;
      const Vector3d mu = draw.in_cube(kHalf), u = draw.direction(), tilt = draw.in_ball(0.02),
                     slip = draw.in_ball(3.0);
      const Vector3d v = right ? (u + tilt).normalized() : draw.direction();
      const Vector3d center = right ? mu + slip - slip.dot(v) * v : draw.in_cube(kHalf);  // another part of the plane
      planes.push_back({mu, u, problem.T_target_source * center, problem.T_target_source.linear() * v,
                        right ? draw.uniform(0.5, 1.0) : draw.uniform(0.0, 0.5)});
    }
    const auto near = [&](const TransformEstimate& estimate) {
      return !estimate.degenerate && apart(estimate.T_target_source, problem.T_target_source, problem) < 1.0;
    };
    with_planes += near(solve(problem.pairs, planes).estimate);
    without += near(solve(problem.pairs, {}).estimate);
  }
  CAPTURE(with_planes, without);
  REQUIRE(with_planes >= 57);
  REQUIRE(without < with_planes);
}

TEST_CASE("the order of the correspondences does not matter", "[property]") {
  Draw draw(GENERATE(range(0u, 10u)));
  PointProblem problem = point_problem(draw, 500, 0.9, kNoise, kHalf);
  const Solution first = solve(problem.pairs, {});
  draw.shuffle(problem.pairs);
  const Solution second = solve(problem.pairs, {});
  REQUIRE(first.clique.weight == second.clique.weight);
  REQUIRE(first.estimate.T_target_source.isApprox(second.estimate.T_target_source, 1e-3));
}

TEST_CASE("moving either cloud moves the transform along", "[property]") {
  Draw draw(GENERATE(range(0u, 20u)));
  PointProblem problem = point_problem(draw, 500, 0.9, kNoise, kHalf);
  const Isometry3d X = draw.motion(100.0), Y = draw.motion(100.0);
  const Solution before = solve(problem.pairs, {});
  PointProblem moved = problem;
  for (PointPair& p : moved.pairs) p = {X * p.source, Y * p.target};
  const Solution after = solve(moved.pairs, {});
  REQUIRE(after.clique.weight == before.clique.weight);
  const Isometry3d back = Y.inverse() * after.estimate.T_target_source * X;
  REQUIRE(apart(back, before.estimate.T_target_source, problem) < 1e-3);
}
