#include <slam/pose_graph.hpp>

#include <datasets/g2o.hpp>

#include "square.hpp"

#include <gtsam/navigation/GPSFactor.h>
#include <gtsam/nonlinear/LevenbergMarquardtOptimizer.h>

#include <algorithm>
#include <cmath>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

using namespace parte::slam;

namespace {

using Between = gtsam::BetweenFactor<gtsam::Pose3>;

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

TEST_CASE("far coordinates and an unknown step cost the chain no digits", "[pose_graph][oracle]") {
  OdometryChain chain;
  const gtsam::Pose3 step = planar(1.0, 0.0, 0.02);
  chain.add(0, gtsam::Pose3(gtsam::Rot3::Yaw(0.3), {5e5, 5.4e6, 100.0}), {});  // UTM
  gtsam::Matrix6 covariance = gtsam::Matrix6::Zero();
  for (std::size_t i = 1; i <= 170; ++i) {
    const gtsam::Matrix6 of_step = covariance_of(pose_noise(0.001, 0.02));
    chain.add(i, step, i == 10 ? unknown_step() : of_step);
    const gtsam::Matrix6 Ad = step.inverse().AdjointMap();
    if (i > 100) covariance = Ad * covariance * Ad.transpose() + of_step;
  }
  REQUIRE(chain.covariance(100, 170).isApprox(covariance, 1e-6));
}

TEST_CASE("unknown steps that lead far off cost the chain no digits, and are part of the way across them",
          "[pose_graph][oracle]") {
  constexpr std::size_t kFar = 50, kBack = 120;
  OdometryChain chain;
  std::vector<gtsam::Matrix6> of_step(171, covariance_of(pose_noise(0.001, 0.02)));
  of_step[kFar] = of_step[kBack] = unknown_step();
  for (std::size_t i = 0; i <= 170; ++i) {
    const gtsam::Pose3 far(gtsam::Rot3::Yaw(0.3), {5e5, 5.4e6, 100.0});  // from a local frame to UTM
    chain.add(i, i == kFar ? far : i == kBack ? far.inverse() : planar(1.0, 0.0, 0.02), of_step[i]);
  }
  const auto [from, to, precision] = GENERATE(table<std::size_t, std::size_t, double>({{10, 49, 1e-9},
                                                                                       {50, 110, 1e-9},
                                                                                       {60, 119, 1e-9},
                                                                                       {130, 170, 1e-9},
                                                                                       {45, 60, 1e-6},
                                                                                       {110, 130, 1e-6},
                                                                                       {20, 150, 1e-6}}));
  CAPTURE(from, to);
  gtsam::Matrix6 covariance = gtsam::Matrix6::Zero();
  for (std::size_t i = from + 1; i <= to; ++i) {
    const gtsam::Matrix6 Ad = chain.motion(i, i - 1).AdjointMap();
    covariance = Ad * covariance * Ad.transpose() + of_step[i];
  }
  REQUIRE(chain.covariance(from, to).isApprox(covariance, precision));
  REQUIRE(chain.scaled(3.0, 1.0).covariance(130, 170)(0, 0) == Catch::Approx(9.0 * chain.covariance(130, 170)(0, 0)));
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

TEST_CASE("a prior on a landmark does not hold the trajectory, one on a pose does", "[pose_graph]") {
  Square s = square();
  const gtsam::Key landmark = 10000;
  s.initial.insert(landmark, gtsam::Point3(1.0, 2.0, 3.0));
  s.steps.addPrior(landmark, gtsam::Point3(1.0, 2.0, 3.0), gtsam::noiseModel::Isotropic::Sigma(3, 0.1));
  const auto free = rebuild(s.steps, s.initial, s.loops);
  REQUIRE(free.values.at<gtsam::Pose3>(0).equals(s.initial.at<gtsam::Pose3>(0), 1e-6));

  const gtsam::Pose3 there = planar(5.0, 1.0, 0.2);
  s.steps.addPrior(0, there, pose_noise(1e-3, 1e-3));
  const auto held = rebuild(s.steps, s.initial, s.loops);
  REQUIRE(held.values.at<gtsam::Pose3>(0).equals(there, 1e-4));
}

TEST_CASE("positions of three poses hold the trajectory, that of one does not", "[pose_graph]") {
  Square s = square();
  const gtsam::Point3 shift(7.0, -3.0, 0.5);
  const auto position_of = [&](std::size_t i) {
    s.steps.emplace_shared<gtsam::GPSFactor>(i, gtsam::Point3(s.truth[i].translation() + shift),
                                             gtsam::noiseModel::Isotropic::Sigma(3, 1e-3));
  };
  for (const std::size_t i : {0, 20, 60}) position_of(i);
  const auto held = rebuild(s.steps, s.initial, s.loops);
  REQUIRE((held.values.at<gtsam::Pose3>(0).translation() - shift).norm() < 0.02);  // no anchor pulls it back

  s = square();
  position_of(0);
  const auto turned = rebuild(s.steps, s.initial, s.loops);  // the anchor keeps the heading
  REQUIRE(turned.values.at<gtsam::Pose3>(0).rotation().equals(s.initial.at<gtsam::Pose3>(0).rotation(), 1e-2));
}
