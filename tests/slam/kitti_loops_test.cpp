#include <slam/metrics.hpp>
#include <slam/pose_graph.hpp>

#include "kitti_loops.hpp"

#include <gtsam/nonlinear/GncOptimizer.h>
#include <gtsam/nonlinear/LevenbergMarquardtOptimizer.h>

#include <algorithm>
#include <chrono>
#include <cstdio>

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

/// Noise as measured, with the standard deviations of either source times a factor.
KittiNoise given(double odometry, double loops) {
  const KittiNoise noise;
  return {odometry * noise.step_rad, odometry * noise.step_m, loops * noise.loop_rad, loops * noise.loop_m};
}

}  // namespace

TEST_CASE("with the noise as given, wrong loops on KITTI 00 are refused and the right ones kept",
          "[pose_graph][real]") {
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
  RebuildOptions as_given;
  as_given.noise.estimate = false;
  const Outcome o = outcome(k, wrong, as_given);
  CAPTURE(static_cast<int>(kind), part, seed, o.seconds);
  CHECK(o.wrong_kept == 0);
  CHECK(static_cast<double>(o.right_kept) >= 0.95 * static_cast<double>(o.right));
  // How good the right loops alone are depends on which of them are left, so they are the measure.
  CHECK(o.ate_m <= best_possible_ate(k, wrong) + 0.02);
  if (part <= 0.5) CHECK(o.ate_m <= 0.90);
  if (kind != Wrong::slipped) return;
  RebuildOptions one_thread = as_given;
  one_thread.threads = 1;
  const auto again = rebuild(k.steps, k.initial, k.loops, one_thread);
  CHECK(again.kept == o.result.kept);
  CHECK(again.values.equals(o.result.values, 0.0));
}

TEST_CASE("with the noise estimated, wrong loops on KITTI 00 do little harm", "[pose_graph][real]") {
  if (!have_kitti_loops()) SKIP("no real data in " << test_data());
  const auto [kind, part, limit_m] = GENERATE(table<Wrong, double, double>({{Wrong::random, 0.0, 0.90},
                                                                            {Wrong::streets, 0.1, 0.90},
                                                                            {Wrong::random, 0.5, 0.95},
                                                                            {Wrong::shifted, 0.5, 0.95},
                                                                            {Wrong::streets, 0.5, 0.95},
                                                                            {Wrong::slipped, 0.5, 0.95},
                                                                            {Wrong::slipped, 0.8, 3.52}}));
  KittiLoops k = kitti_loops();
  const auto wrong = replace_loops(k, part, kind, 1);
  const Outcome o = outcome(k, wrong);
  CAPTURE(static_cast<int>(kind), part, o.seconds);
  CHECK(o.wrong_kept == 0);
  CHECK(static_cast<double>(o.right_kept) >= 0.95 * static_cast<double>(o.right));
  CHECK(o.ate_m <= limit_m);
}

TEST_CASE("noise given wrong by a factor of three lets no slipped street through", "[pose_graph][real]") {
  if (!have_kitti_loops()) SKIP("no real data in " << test_data());
  const auto [odometry, loops] = GENERATE(table<double, double>({{3.0, 3.0}, {1.0 / 3.0, 1.0}, {1.0, 1.0 / 3.0}}));
  const KittiNoise noise = given(odometry, loops);
  KittiLoops k = kitti_loops(noise);
  const auto wrong = replace_loops(k, 0.5, Wrong::slipped, 3);
  const Outcome o = outcome(k, wrong);
  const NoiseScale& scale = o.result.noise_scale;
  CAPTURE(odometry, loops, o.ate_m, o.right_kept);
  CHECK(o.wrong_kept == 0);
  CHECK(o.ate_m <= 0.95);
  // What is found hardly depends on what was given: within a factor of two of the noise against the truth.
  CHECK(std::abs(std::log2(scale.odometry_rotation * odometry)) < 1.0);
  CHECK(std::abs(std::log2(scale.odometry_translation * odometry)) < 1.0);
  CHECK(std::abs(std::log2(scale.loop_rotation * loops)) < 1.0);
  CHECK(std::abs(std::log2(scale.loop_translation * loops)) < 1.0);
}

namespace {

constexpr std::pair<Wrong, const char*> kKinds[] = {
    {Wrong::random, "random"}, {Wrong::shifted, "shifted"}, {Wrong::slipped, "slipped"}, {Wrong::streets, "streets"}};

/// The bars of docs/BENCHMARK.md; at 80 % the error of odometry.
double bar_m(double part) { return part <= 0.1 ? 0.90 : part <= 0.5 ? 0.95 : 3.52; }

/// One row: ten draws.
void print_row(const char* kind, Wrong wrong_kind, double part, double odometry, double loops) {
  int within = 0;
  double least = 1e9, most = 0.0, slowest = 0.0;
  std::size_t wrong_kept = 0;
  for (std::uint64_t seed = 101; seed <= 110; ++seed) {
    KittiLoops k = kitti_loops(given(odometry, loops));
    const Outcome o = outcome(k, replace_loops(k, part, wrong_kind, seed));
    within += o.ate_m <= bar_m(part);
    least = std::min(least, o.ate_m);
    most = std::max(most, o.ate_m);
    slowest = std::max(slowest, o.seconds);
    wrong_kept = std::max(wrong_kept, o.wrong_kept);
  }
  std::printf(
      "%s %2.0f %%, noise x %.2f odometry %.2f loops: %d of 10 within %.2f m, ATE %.3f-%.3f m, wrong kept %zu, "
      "%.2f s\n",
      kind, 100.0 * part, odometry, loops, within, bar_m(part), least, most, wrong_kept, slowest);
}

}  // namespace

TEST_CASE("table of KITTI 00 under wrong loops", "[.][bench]") {
  if (!have_kitti_loops()) SKIP("no real data in " << test_data());
  const double t = 1.0 / 3.0;
  for (const auto& [odometry, loops] :
       {std::pair{1.0, 1.0}, {3.0, 1.0}, {t, 1.0}, {1.0, 3.0}, {1.0, t}, {3.0, 3.0}, {t, t}})
    for (const auto& [kind, name] : kKinds)
      for (const double part : {0.1, 0.5, 0.8}) print_row(name, kind, part, odometry, loops);
}

TEST_CASE("GTSAM's own optimisers on KITTI 00 under wrong loops", "[.][bench]") {
  if (!have_kitti_loops()) SKIP("no real data in " << test_data());
  using Clock = std::chrono::steady_clock;
  for (const auto& [kind, name] : kKinds)
    for (const double part : {0.1, 0.5, 0.8}) {
      KittiLoops k = kitti_loops();
      const auto wrong = replace_loops(k, part, kind, 101);
      gtsam::NonlinearFactorGraph graph = k.steps;
      graph.addPrior(0, k.initial.at<gtsam::Pose3>(0), pose_noise(1e-3, 1e-3));
      gtsam::GncParams<gtsam::LevenbergMarquardtParams> params;  // graduated non-convexity, truncated least squares
      for (std::size_t i = 0; i < graph.size(); ++i) params.knownInliers.push_back(i);
      for (const auto& loop : k.loops) graph.emplace_shared<Between>(loop.from, loop.to, loop.T_from_to, loop.noise);
      const auto start = Clock::now();
      const auto plain = gtsam::LevenbergMarquardtOptimizer(graph, k.initial).optimize();
      const auto middle = Clock::now();
      gtsam::GncOptimizer<decltype(params)> gnc(graph, k.initial, params);
      gnc.setInlierCostThresholdsAtProbability(0.999);
      const auto robust = gnc.optimize();
      const auto seconds = [](auto duration) { return std::chrono::duration<double>(duration).count(); };
      std::size_t wrong_kept = 0;
      for (std::size_t i = 0; i < wrong.size(); ++i)
        wrong_kept += wrong[i] && gnc.getWeights()[static_cast<Eigen::Index>(params.knownInliers.size() + i)] > 0.5;
      std::printf("%s %2.0f %%: LM %.3f m, %.1f s; GNC-TLS %.3f m, wrong kept %zu, %.1f s\n", name, 100.0 * part,
                  ate_rmse_m(trajectory(plain), k.truth), seconds(middle - start),
                  ate_rmse_m(trajectory(robust), k.truth), wrong_kept, seconds(Clock::now() - middle));
    }
}
