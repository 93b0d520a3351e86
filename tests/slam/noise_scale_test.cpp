#include <slam/noise_scale.hpp>

#include "square.hpp"

#include <cmath>
#include <numbers>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

using namespace parte::slam;
using Catch::Approx;

namespace {

/// Two passes of a street of 400 m, a loop at every second metre, with noise on all six axes.
struct Street {
  OdometryChain chain;
  std::vector<ChainLoop> loops;
};

struct Deviations {
  double step_rad, step_m, loop_rad, loop_m;
};

Street street(const Deviations& real, const Deviations& given) {
  parte::datasets::Random random(7);
  const auto noise = [&](double rad, double m) {
    gtsam::Vector6 xi;
    for (int i = 0; i < 6; ++i) xi[i] = (i < 3 ? rad : m) * random.normal();
    return gtsam::Pose3::Expmap(xi);
  };
  Street s;
  std::vector<gtsam::Pose3> truth = {{}};
  s.chain.add(0, truth[0], gtsam::Matrix6::Zero());
  for (std::size_t i = 1; i < 800; ++i) {
    const gtsam::Pose3 step = planar(1.0, 0.0, i == 400 ? std::numbers::pi : 0.0);
    truth.push_back(truth.back() * step);
    s.chain.add(i, step * noise(real.step_rad, real.step_m), covariance_of(pose_noise(given.step_rad, given.step_m)));
  }
  for (std::size_t i = 0; i < 380; i += 2)
    s.loops.push_back(s.chain.loop(i, 799 - i, truth[i].between(truth[799 - i]) * noise(real.loop_rad, real.loop_m),
                                   pose_noise(given.loop_rad, given.loop_m)));
  return s;
}

}  // namespace

TEST_CASE("where one source makes all the error, its noise is found", "[noise_scale][oracle]") {
  const double wrong = GENERATE(1.0 / 3.0, 1.0, 3.0);
  const NoiseScaleOptions options{.prior_loops = 0.0};
  CAPTURE(wrong);
  const Street loops = street({1e-7, 1e-6, 0.004, 0.05}, {wrong * 1e-4, wrong * 1e-3, wrong * 0.004, wrong * 0.05});
  const NoiseScale of_loops = estimate_noise_scale(loops.chain, loops.loops, 30.0, options);
  CHECK(of_loops.loop_rotation * wrong == Approx(1.0).epsilon(0.15));
  // The lever of the loops' rotation, up to 30 m, adds to the error in translation.
  CHECK(of_loops.loop_translation * wrong > 0.85);
  const Street steps = street({1e-3, 0.02, 1e-7, 1e-6}, {wrong * 1e-3, wrong * 0.02, wrong * 0.01, wrong * 0.1});
  const NoiseScale of_steps = estimate_noise_scale(steps.chain, steps.loops, 30.0, options);
  CHECK(of_steps.odometry_rotation * wrong == Approx(1.0).epsilon(0.15));
  CHECK(of_steps.odometry_translation * wrong > 0.85);
  CHECK(of_steps.odometry_translation * wrong < 1.6);
}

TEST_CASE("where both sources err, each is overestimated but no further than the sum", "[noise_scale]") {
  const Deviations real{5e-4, 0.01, 0.003, 0.04};
  const Street s = street(real, real);
  const NoiseScale scale = estimate_noise_scale(s.chain, s.loops, 30.0, {.prior_loops = 0.0});
  for (const double factor : {scale.odometry_rotation, scale.loop_rotation}) {
    CHECK(factor > 1.0);
    CHECK(factor < 2.0);
  }
}

TEST_CASE("most loops may be wrong", "[noise_scale]") {
  const Deviations real{5e-4, 0.01, 0.003, 0.04};
  Street s = street(real, {1e-3, 0.03, 0.009, 0.12});
  const NoiseScale before = estimate_noise_scale(s.chain, s.loops, 30.0, {});
  parte::datasets::Random random(3);
  for (std::size_t i = 0; i < s.loops.size(); ++i)
    if (i % 4 != 0)
      s.loops[i].T_from_to = planar(random.uniform(-30, 30), random.uniform(-30, 30), random.uniform(-3, 3));
  const NoiseScale after = estimate_noise_scale(s.chain, s.loops, 30.0, {});
  CHECK(after.loop_rotation == Approx(before.loop_rotation).epsilon(0.25));
  CHECK(after.odometry_translation == Approx(before.odometry_translation).epsilon(0.25));
}

TEST_CASE("few loops leave the noise as it was given", "[noise_scale]") {
  const Deviations real{5e-4, 0.01, 0.003, 0.04};
  Street s = street(real, {5e-3, 0.1, 0.03, 0.4});
  const double all = estimate_noise_scale(s.chain, s.loops, 30.0, {}).loop_rotation;
  s.loops.erase(s.loops.begin(), s.loops.end() - 20);
  s.loops.erase(s.loops.begin() + 1, s.loops.begin() + 18);  // three, about 35 m apart and next to each other
  const double few = estimate_noise_scale(s.chain, s.loops, 60.0, {}).loop_rotation;
  s.loops.resize(1);
  const NoiseScale one = estimate_noise_scale(s.chain, s.loops, 60.0, {});
  CHECK(all < 0.25);
  CHECK(few > 0.5);
  CHECK(one.loop_rotation == 1.0);
  CHECK(one.odometry_translation == 1.0);
}

TEST_CASE("only odometry is scaled, and no unknown step", "[noise_scale]") {
  const Square s = square();
  gtsam::NonlinearFactorGraph graph;
  using Between = gtsam::BetweenFactor<gtsam::Pose3>;
  graph.emplace_shared<Between>(0, 1, planar(1, 0, 0), pose_noise(0.001, 0.02));
  graph.emplace_shared<Between>(1, 2, planar(1, 0, 0), gtsam::noiseModel::Gaussian::Covariance(unknown_step()));
  graph.emplace_shared<Between>(0, 160, planar(0, 0, 0), pose_noise(0.001, 0.02));
  graph.addPrior(0, gtsam::Pose3(), pose_noise(0.001, 0.02));
  const auto result = scaled_odometry(graph, s.initial, {.odometry_rotation = 2.0, .odometry_translation = 0.5});
  const auto covariance = [&](std::size_t i) {
    return covariance_of(dynamic_cast<const gtsam::NoiseModelFactor&>(*result[i]).noiseModel());
  };
  CHECK(covariance(0).isApprox(covariance_of(pose_noise(0.002, 0.01)), 1e-9));
  CHECK(covariance(1).isApprox(unknown_step(), 1e-9));
  for (const std::size_t i : {2u, 3u}) CHECK(covariance(i).isApprox(covariance_of(pose_noise(0.001, 0.02)), 1e-9));
}

TEST_CASE("the noise stays as given where it is not to be estimated", "[noise_scale]") {
  const Square s = square();
  RebuildOptions options;
  options.noise.estimate = false;
  const auto result = rebuild(s.steps, s.initial, s.loops, options);
  CHECK(result.noise_scale.odometry_rotation == 1.0);
  CHECK(result.noise_scale.loop_translation == 1.0);
  CHECK(result.loop_noise.front() == s.loops.front().noise);
  options.noise.prior_loops = -1.0;
  REQUIRE_THROWS_AS(rebuild(s.steps, s.initial, s.loops, options), std::invalid_argument);
}

TEST_CASE("loops carry the noise that was found", "[noise_scale]") {
  Square s = square();
  for (auto& loop : s.loops) loop.noise = pose_noise(0.05, 0.8);  // ten times too large
  const auto result = rebuild(s.steps, s.initial, s.loops);
  const NoiseScale& scale = result.noise_scale;
  CHECK(scale.loop_rotation < 0.3);
  const gtsam::Matrix6 expected = covariance_of(pose_noise(0.05 * scale.loop_rotation, 0.8 * scale.loop_translation));
  CHECK(covariance_of(result.loop_noise.front()).isApprox(expected, 1e-9));
}
