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

TEST_CASE("how far KISS-ICP and the loops are from the truth", "[.][calib]") {
  const KittiLoops k = kitti_loops();
  for (const std::size_t frames : {1u, 10u, 30u, 100u, 300u, 1000u}) {
    const auto e = relative_pose_error(k.odometry, k.truth, frames);
    std::printf("frames %zu: %.4f m %.4f deg (%.5f rad)\n", frames, e.translation_rmse_m, e.rotation_rmse_deg,
                e.rotation_rmse_deg * std::numbers::pi / 180);
  }
  double t = 0, r = 0;
  for (const auto& l : k.loops) {
    const gtsam::Vector6 e =
        gtsam::Pose3::Logmap(l.T_from_to.between(to_pose3(k.truth[l.from].inverse() * k.truth[l.to])));
    r += e.head<3>().squaredNorm() / 3;
    t += e.tail<3>().squaredNorm() / 3;
  }
  std::printf("loops per axis %.4f rad %.4f m\n", std::sqrt(r / double(k.loops.size())),
              std::sqrt(t / double(k.loops.size())));
}

TEST_CASE("experiment", "[.][exp]") {
  for (const KittiNoise& noise :
       {KittiNoise{}, KittiNoise{0.002, 0.1, 0.02, 0.3}, KittiNoise{0.00085, 0.014, 0.0045, 0.06}})
    for (const double part : {0.5, 0.8})
      for (const std::uint64_t seed : {1u, 2u, 3u, 4u, 5u, 6u}) {
        KittiLoops k = kitti_loops(noise);
        const auto wrong = replace_loops(k, part, Wrong::slipped, seed);
        RebuildOptions o1;
        if (getenv("PG_CHI")) o1.consistency.max_cluster_chi2 = atof(getenv("PG_CHI"));
        const Outcome o = outcome(k, wrong, o1);
        KittiLoops only = k;
        only.loops.clear();
        gtsam::NonlinearFactorGraph g = k.steps;
        g.addPrior(0, k.initial.at<gtsam::Pose3>(0), pose_noise(1e-3, 1e-3));
        for (std::size_t i = 0; i < wrong.size(); ++i)
          if (!wrong[i])
            g.emplace_shared<gtsam::BetweenFactor<gtsam::Pose3>>(k.loops[i].from, k.loops[i].to, k.loops[i].T_from_to,
                                                                 k.loops[i].noise);
        const double oracle =
            seed == 1 ? ate_rmse_m(trajectory(gtsam::LevenbergMarquardtOptimizer(g, k.initial).optimize()), k.truth)
                      : 0;
        std::printf(
            "exp noise %.4f part %.1f seed %d: oracle %.3f ATE %.3f m, %.2f s, right %.1f %%, wrong kept %zu, clusters "
            "%zu/%zu, rounds %d\n",
            noise.step_rad, part, int(seed), oracle, o.ate_m, o.seconds, 100.0 * double(o.right_kept) / double(o.right),
            o.wrong_kept, o.result.used_clusters, o.result.clusters, o.result.rounds);
      }
}

TEST_CASE("table of KITTI 00 under wrong loops", "[.][bench]") {
  if (!have_kitti_loops()) SKIP("no real data in " << test_data());
  const KittiNoise noise =
      GENERATE(KittiNoise{}, KittiNoise{0.0005, 0.02, 0.01, 0.1}, KittiNoise{0.002, 0.1, 0.02, 0.3});
  std::printf("step %.4f rad %.2f m, loop %.3f rad %.2f m\n", noise.step_rad, noise.step_m, noise.loop_rad,
              noise.loop_m);
  for (const Wrong kind : {Wrong::random, Wrong::slipped, Wrong::streets})
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
