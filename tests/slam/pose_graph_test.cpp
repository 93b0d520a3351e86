#include <slam/metrics.hpp>
#include <slam/pose_graph.hpp>

#include <datasets/g2o.hpp>

#include "kitti_loops.hpp"

#include <gtsam/nonlinear/LevenbergMarquardtOptimizer.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

using namespace parte::slam;

namespace {

using Between = gtsam::BetweenFactor<gtsam::Pose3>;

std::vector<Eigen::Isometry3d> trajectory(const gtsam::Values& values) {
  std::vector<Eigen::Isometry3d> poses;
  for (std::size_t i = 0; i < values.size(); ++i) poses.push_back(to_isometry(values.at<gtsam::Pose3>(i)));
  return poses;
}

struct Outcome {
  double ate_m = 0.0, seconds = 0.0;
  std::size_t wrong = 0, wrong_kept = 0, right = 0, right_kept = 0;
  RebuildResult result;
};

Outcome outcome(const KittiLoops& k, const std::vector<bool>& wrong, const RebuildOptions& options = {}) {
  Outcome o;
  const auto start = std::chrono::steady_clock::now();
  o.result = rebuild(k.steps, k.initial, k.loops, options);
  o.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  o.ate_m = ate_rmse_m(trajectory(o.result.values), k.truth);
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    ++(wrong[i] ? o.wrong : o.right);
    if (o.result.kept[i]) ++(wrong[i] ? o.wrong_kept : o.right_kept);
  }
  return o;
}

/// Plain Levenberg-Marquardt on the loops that are right, which a rebuild can hope for.
double best_possible_ate(const KittiLoops& k, const std::vector<bool>& wrong) {
  gtsam::NonlinearFactorGraph graph = k.steps;
  graph.addPrior(0, k.initial.at<gtsam::Pose3>(0), pose_noise(1e-3, 1e-3));
  for (std::size_t i = 0; i < wrong.size(); ++i)
    if (!wrong[i])
      graph.emplace_shared<Between>(k.loops[i].from, k.loops[i].to, k.loops[i].T_from_to, k.loops[i].noise);
  return ate_rmse_m(trajectory(gtsam::LevenbergMarquardtOptimizer(graph, k.initial).optimize()), k.truth);
}

/// Four rounds of a square of 40 m, odometry that drifts, and loops from each round to the first.
struct Square {
  std::vector<gtsam::Pose3> truth;
  gtsam::NonlinearFactorGraph steps;
  gtsam::Values initial;
  std::vector<LoopEdge> loops;
};

Square square() {
  Square s;
  parte::datasets::Random random(5);
  gtsam::Pose3 estimate;
  s.truth.push_back(estimate);
  s.initial.insert(0, estimate);
  for (std::size_t i = 1; i < 640; ++i) {
    const gtsam::Pose3 step = planar(1.0, 0.0, i % 40 == 0 ? std::numbers::pi / 2 : 0.0);
    const gtsam::Pose3 measured =
        step * planar(0.01 * random.normal(), 0.01 * random.normal(), 0.001 * random.normal());
    s.truth.push_back(s.truth.back() * step);
    s.steps.emplace_shared<Between>(i - 1, i, measured, pose_noise(0.001, 0.02));
    estimate = estimate * measured;
    s.initial.insert(i, estimate);
  }
  for (std::size_t i = 160; i < 640; i += 4)
    s.loops.push_back({i % 160, i,
                       s.truth[i % 160].between(s.truth[i]) *
                           planar(0.05 * random.normal(), 0.05 * random.normal(), 0.003 * random.normal()),
                       pose_noise(0.005, 0.08)});
  return s;
}

double largest_error_m(const Square& s, const gtsam::Values& values) {
  double worst = 0.0;
  for (std::size_t i = 0; i < s.truth.size(); ++i)
    worst = std::max(worst, (values.at<gtsam::Pose3>(i).translation() - s.truth[i].translation()).norm());
  return worst;
}

/// Every edge of a file trusted, as GTSAM orders it: rotation first.
gtsam::NonlinearFactorGraph trusted_graph(const parte::datasets::PoseGraph& file, gtsam::Values& initial) {
  gtsam::NonlinearFactorGraph graph;
  for (const auto& v : file.vertices)
    initial.insert(static_cast<gtsam::Key>(v.id), to_pose3(v.T_world_vertex.isometry()));
  for (const auto& e : file.edges) {
    gtsam::Matrix6 information;
    information << e.information.bottomRightCorner<3, 3>(), e.information.bottomLeftCorner<3, 3>(),
        e.information.topRightCorner<3, 3>(), e.information.topLeftCorner<3, 3>();
    graph.emplace_shared<Between>(static_cast<gtsam::Key>(e.from), static_cast<gtsam::Key>(e.to),
                                  to_pose3(e.T_from_to.isometry()),
                                  gtsam::noiseModel::Gaussian::Information(information));
  }
  return graph;
}

}  // namespace

TEST_CASE("right loops are all kept and take the drift away", "[pose_graph]") {
  const Square s = square();
  const auto result = rebuild(s.steps, s.initial, s.loops);
  REQUIRE(largest_error_m(s, s.initial) > 0.6);
  REQUIRE(largest_error_m(s, result.values) < 0.3);
  REQUIRE(std::count(result.kept.begin(), result.kept.end(), true) == static_cast<long>(s.loops.size()));
  REQUIRE(result.cost < result.initial_cost);
}

TEST_CASE("loops with a wrong transform are refused and the others kept", "[pose_graph]") {
  Square s = square();
  parte::datasets::Random random(9);
  std::vector<bool> right(s.loops.size());
  for (std::size_t i = 0; i < right.size(); ++i) {
    right[i] = i % 2 == 0;
    if (!right[i])
      s.loops[i].T_from_to = planar(random.uniform(-20, 20), random.uniform(-20, 20), random.uniform(-3, 3));
  }
  const auto result = rebuild(s.steps, s.initial, s.loops);
  REQUIRE(result.kept == right);
  REQUIRE(largest_error_m(s, result.values) < 0.3);
}

TEST_CASE("a wrong side that all its loops agree on is refused", "[pose_graph]") {
  Square s = square();
  const std::size_t right = s.loops.size();
  for (std::size_t i = 0; i < 30; ++i)  // the first side taken for the second one
    s.loops.push_back({i, 200 + i, planar(1.0, 0.5, 0.1), pose_noise(0.005, 0.08)});
  const auto result = rebuild(s.steps, s.initial, s.loops);
  REQUIRE(std::count(result.kept.begin(), result.kept.begin() + static_cast<long>(right), true) ==
          static_cast<long>(right));
  REQUIRE(std::count(result.kept.begin() + static_cast<long>(right), result.kept.end(), true) == 0);
}

TEST_CASE("nothing but wrong loops leaves odometry as it was", "[pose_graph]") {
  Square s = square();
  parte::datasets::Random random(3);
  for (auto& loop : s.loops)
    loop.T_from_to = planar(random.uniform(-20, 20), random.uniform(-20, 20), random.uniform(-3, 3));
  const auto result = rebuild(s.steps, s.initial, s.loops);
  REQUIRE(std::count(result.kept.begin(), result.kept.end(), true) == 0);
  for (std::size_t i = 0; i < s.truth.size(); ++i)
    REQUIRE(result.values.at<gtsam::Pose3>(i).equals(s.initial.at<gtsam::Pose3>(i), 1e-6));
}

TEST_CASE("a loop given backwards is the same loop", "[pose_graph]") {
  Square s = square();
  const auto forwards = rebuild(s.steps, s.initial, s.loops);
  for (auto& loop : s.loops) {
    loop.noise = gtsam::noiseModel::Gaussian::Covariance(loop.T_from_to.AdjointMap() * covariance_of(loop.noise) *
                                                         loop.T_from_to.AdjointMap().transpose());
    loop = {loop.to, loop.from, loop.T_from_to.inverse(), loop.noise};
  }
  const auto backwards = rebuild(s.steps, s.initial, s.loops);
  REQUIRE(forwards.kept == backwards.kept);
  REQUIRE(forwards.cost == Catch::Approx(backwards.cost).epsilon(1e-3));
}

TEST_CASE("the way between two poses is as uncertain as its steps compounded", "[pose_graph][oracle]") {
  const Square s = square();
  const OdometryChain chain(s.steps, s.initial);
  gtsam::Matrix6 covariance = gtsam::Matrix6::Zero();
  for (std::size_t i = 101; i <= 170; ++i) {
    const gtsam::Matrix6 Ad = chain.motion(i, i - 1).AdjointMap();
    covariance = Ad * covariance * Ad.transpose() + covariance_of(pose_noise(0.001, 0.02));
  }
  REQUIRE(chain.covariance(100, 170).isApprox(covariance, 1e-8));
}

TEST_CASE("the rebuild is the same on one thread and on two", "[pose_graph]") {
  Square s = square();
  for (std::size_t i = 0; i < s.loops.size(); i += 3) s.loops[i].T_from_to = planar(5.0, static_cast<double>(i), 1.0);
  RebuildOptions one, two;
  one.threads = 1;
  two.threads = 2;
  const auto a = rebuild(s.steps, s.initial, s.loops, one), b = rebuild(s.steps, s.initial, s.loops, two);
  REQUIRE(a.kept == b.kept);
  REQUIRE(a.cost == b.cost);
  REQUIRE(a.values.equals(b.values, 0.0));
}

TEST_CASE("loops that make no sense are refused by name", "[pose_graph]") {
  Square s = square();
  const auto with = [&](const LoopEdge& loop) {
    const std::vector<LoopEdge> loops = {loop};
    return rebuild(s.steps, s.initial, loops);
  };
  REQUIRE_THROWS_AS(with({0, 10000, {}, pose_noise(1, 1)}), std::invalid_argument);
  REQUIRE_THROWS_AS(with({3, 3, {}, pose_noise(1, 1)}), std::invalid_argument);
  REQUIRE_THROWS_AS(with({0, 3, {}, nullptr}), std::invalid_argument);
  REQUIRE_THROWS_AS(with({0, 3, planar(NAN, 0, 0), pose_noise(1, 1)}), std::invalid_argument);
  RebuildOptions options;
  options.consistency.min_evidence = 0.0;
  REQUIRE_THROWS_AS(rebuild(s.steps, s.initial, s.loops, options), std::invalid_argument);
}

TEST_CASE("a graph without doubtful loops ends at the cost of GTSAM's own optimiser", "[pose_graph][real]") {
  const auto path = test_data() / "g2o" / GENERATE("sphere2500.g2o", "parking-garage.g2o");
  if (!exists(path)) SKIP("no real data in " << test_data());
  gtsam::Values initial;
  const auto graph = trusted_graph(parte::datasets::read_g2o(path), initial);
  const auto result = rebuild(graph, initial, {});
  gtsam::NonlinearFactorGraph fixed = graph;
  fixed.addPrior(initial.keys().front(), initial.at<gtsam::Pose3>(initial.keys().front()), pose_noise(1e-2, 1e-2));
  const auto expected = gtsam::LevenbergMarquardtOptimizer(fixed, initial).optimize();
  CAPTURE(path, result.initial_cost);
  REQUIRE(result.cost == Catch::Approx(fixed.error(expected)).epsilon(1e-4));
}

TEST_CASE("wrong loops on KITTI 00 are refused and the right ones kept", "[pose_graph][real]") {
  if (!have_kitti_loops()) SKIP("no real data in " << test_data());
  const auto [kind, part, seed] = GENERATE(table<Wrong, double, std::uint64_t>({{Wrong::random, 0.0, 1},
                                                                                {Wrong::random, 0.5, 1},
                                                                                {Wrong::shifted, 0.5, 2},
                                                                                {Wrong::streets, 0.1, 1},
                                                                                {Wrong::streets, 0.5, 3},
                                                                                {Wrong::slipped, 0.5, 1},
                                                                                {Wrong::streets, 0.8, 1}}));
  KittiLoops k = kitti_loops();
  const auto wrong = replace_loops(k, part, kind, seed);
  const Outcome o = outcome(k, wrong);
  CAPTURE(static_cast<int>(kind), part, seed, o.seconds);
  CHECK(o.wrong_kept == 0);
  CHECK(static_cast<double>(o.right_kept) >= 0.95 * static_cast<double>(o.right));
  // How good the right loops alone are depends on which of them are left, so they are the measure.
  CHECK(o.ate_m <= best_possible_ate(k, wrong) + 0.02);
  if (part <= 0.5) CHECK(o.ate_m <= 0.90);
  if (kind != Wrong::slipped) return;
  RebuildOptions one_thread;
  one_thread.threads = 1;
  const auto again = rebuild(k.steps, k.initial, k.loops, one_thread);
  CHECK(again.kept == o.result.kept);
  CHECK(again.values.equals(o.result.values, 0.0));
}

TEST_CASE("table of KITTI 00 under wrong loops", "[.][bench]") {
  if (!have_kitti_loops()) SKIP("no real data in " << test_data());
  const KittiNoise noise =
      GENERATE(KittiNoise{}, KittiNoise{0.001, 0.03, 0.01, 0.15}, KittiNoise{0.002, 0.1, 0.02, 0.3});
  std::printf("step %g rad %g m, loop %g rad %g m\n", noise.step_rad, noise.step_m, noise.loop_rad, noise.loop_m);
  for (const Wrong kind : {Wrong::random, Wrong::shifted, Wrong::slipped, Wrong::streets})
    for (const double part : {0.0, 0.1, 0.5, 0.8})
      for (const std::uint64_t seed : {1u, 2u, 3u}) {
        if (part == 0.0 && (kind != Wrong::random || seed > 1)) continue;
        KittiLoops k = kitti_loops(noise);
        const auto wrong = replace_loops(k, part, kind, seed);
        const Outcome o = outcome(k, wrong);
        std::printf(
            "kind %d, %2.0f %% wrong, seed %d: ATE %.3f m (right loops alone %.3f), %.2f s, right %zu/%zu, wrong "
            "%zu/%zu\n",
            static_cast<int>(kind), 100.0 * part, static_cast<int>(seed), o.ate_m, best_possible_ate(k, wrong),
            o.seconds, o.right_kept, o.right, o.wrong_kept, o.wrong);
      }
}
