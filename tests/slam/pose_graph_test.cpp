#include <slam/metrics.hpp>
#include <slam/pose_graph.hpp>

#include "kitti_loops.hpp"

#include <gtsam/nonlinear/LevenbergMarquardtOptimizer.h>

#include <chrono>
#include <cstdio>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

using namespace parte::slam;

namespace {

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

}  // namespace

TEST_CASE("table of KITTI 00 under wrong loops", "[.][bench]") {
  if (!have_kitti_loops()) SKIP("no real data in " << test_data());
  const KittiNoise noise =
      GENERATE(KittiNoise{}, KittiNoise{0.0005, 0.02, 0.01, 0.1}, KittiNoise{0.002, 0.1, 0.02, 0.3});
  std::printf("step %.4f rad %.2f m, loop %.3f rad %.2f m\n", noise.step_rad, noise.step_m, noise.loop_rad,
              noise.loop_m);
  for (const Wrong kind : {Wrong::random, Wrong::shifted, Wrong::streets})
    for (const double part : {0.0, 0.1, 0.5, 0.8})
      for (const std::uint64_t seed : {1u, 2u}) {
        if (part == 0.0 && (kind != Wrong::random || seed > 1)) continue;
        KittiLoops k = kitti_loops(noise);
        const auto wrong = replace_loops(k, part, kind, seed);
        const Outcome o = outcome(k, wrong);
        std::printf(
            "kind %d part %.1f seed %d: ATE %.3f m, %.2f s, right kept %zu/%zu (%.1f %%), wrong kept %zu/%zu, clusters "
            "%zu/%zu, rounds %d\n",
            static_cast<int>(kind), part, static_cast<int>(seed), o.ate_m, o.seconds, o.right_kept, o.right,
            100.0 * static_cast<double>(o.right_kept) / static_cast<double>(o.right), o.wrong_kept, o.wrong,
            o.result.used_clusters, o.result.clusters, o.result.rounds);
        std::fflush(stdout);
      }
}
