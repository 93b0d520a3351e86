#include <slam/partial_loops.hpp>

#include <parte/feature_cache.hpp>
#include <slam/mapper.hpp>
#include <slam/metrics.hpp>
#include <slam/odometry_noise.hpp>
#include <slam/pose3.hpp>

#include "kitti_loops.hpp"
#include "there_and_back.hpp"

#include <gtsam/slam/BetweenFactor.h>
#include <gtsam/slam/PriorFactor.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

namespace {

using namespace parte;
using namespace parte::slam;
using Between = gtsam::BetweenFactor<gtsam::Pose3>;

/// A road out and back beside itself, with odometry that drifts; partial loops all along, wide along the road.
struct Road {
  std::vector<gtsam::Pose3> truth;
  gtsam::NonlinearFactorGraph steps;
  gtsam::Values initial;
  std::vector<LoopEdge> loops;
};

gtsam::SharedNoiseModel wide_along_x() {
  gtsam::Vector6 sigmas;
  sigmas << 0.002, 0.002, 0.002, 100.0, 0.03, 0.03;
  return gtsam::noiseModel::Diagonal::Sigmas(sigmas);
}

Road road(std::uint64_t seed) {
  constexpr std::size_t kSide = 100;
  Road r;
  datasets::Random random(seed);
  for (std::size_t i = 0; i < 2 * kSide; ++i) {
    const bool back = i >= kSide;
    r.truth.push_back(planar(2.0 * static_cast<double>(back ? 2 * kSide - 1 - i : i), back ? 9.0 : 0.0,
                             back ? std::numbers::pi : 0.0));
    if (i == 0) {
      r.initial.insert(i, r.truth[0]);
      continue;
    }
    const gtsam::Pose3 measured = r.truth[i - 1].between(r.truth[i]) *
                                  planar(0.03 * random.normal(), 0.03 * random.normal(), 0.003 * random.normal());
    r.steps.emplace_shared<Between>(i - 1, i, measured, pose_noise(0.003, 0.03));
    r.initial.insert(i, r.initial.at<gtsam::Pose3>(i - 1) * measured);
  }
  for (std::size_t i = kSide + 10; i < 2 * kSide; i += 2) {
    const std::size_t from = 2 * kSide - 1 - i;
    const gtsam::Pose3 slip = planar(3.0 * random.normal(), 0.02 * random.normal(), 0.001 * random.normal());
    r.loops.push_back({from, i, r.truth[from].between(r.truth[i]) * slip, wide_along_x(), 2.0});
  }
  return r;
}

double lateral_m(const gtsam::Values& values, const Road& r) {
  double worst = 0.0;
  for (const LoopEdge& loop : r.loops) {
    const gtsam::Pose3 T = values.at<gtsam::Pose3>(loop.from).between(values.at<gtsam::Pose3>(loop.to));
    const gtsam::Pose3 true_T = r.truth[loop.from].between(r.truth[loop.to]);
    worst = std::max(worst, std::abs(true_T.between(T).y()));
  }
  return worst;
}

struct Drive {
  ThereAndBack world;
  Registration registration;
  FeatureCache features{std::size_t{1} << 30, [this](std::size_t i) { return registration.extract(world.scan(i)); }};
};

Drive& drive() {
  static Drive one;
  return one;
}

struct Mapped {
  std::vector<LoopAttempt> before, after;  ///< finish()
  std::vector<Eigen::Isometry3d> trajectory;
};

/// `min_confidence`: of registrations while driving.
Mapped mapped(bool partial_loops, double min_confidence) {
  Drive& d = drive();
  MapperOptions options;
  options.keyframe_m = 1.0;  // every frame
  options.loops.min_path_m = 30.0;
  options.loops.max_neighbors = 0;
  options.loops.partial_loops = partial_loops;
  Options strict = Options::lidar();
  strict.verification.min_confidence = min_confidence;
  Mapper mapper(Registration(strict), options, [&](std::size_t i) { return d.features.get(i); });
  for (std::size_t i = 0; i < d.world.size(); ++i) {
    const Eigen::Isometry3d motion = d.world.drifting_motion(i);
    REQUIRE(mapper.add_frame(motion, step_covariance(motion, {.translation_m = 0.1, .rotation_deg = 0.4})));
    mapper.add_keyframe(make_place(i, *d.features.get(i), options.loops));
  }
  Mapped result{mapper.attempts(), {}, {}};
  mapper.finish();
  result.after = mapper.attempts();
  result.trajectory = mapper.trajectory();
  return result;
}

}  // namespace

TEST_CASE("partial loops hold what they fix, whatever they say along the road", "[partial]") {
  const std::uint64_t seed = GENERATE(1u, 2u, 3u);
  const Road r = road(seed);
  const RebuildResult result = rebuild(r.steps, r.initial, r.loops);
  CAPTURE(seed, lateral_m(r.initial, r), lateral_m(result.values, r));
  CHECK(std::count(result.kept.begin(), result.kept.end(), true) == std::ssize(r.loops));
  CHECK(lateral_m(result.values, r) < 0.15);
}

TEST_CASE("partial loops do not vouch for a complete one that has slipped along the road", "[partial]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Road r = road(seed);
    const LoopEdge& beside = r.loops[20];
    const gtsam::Pose3 alias = r.truth[beside.from].between(r.truth[beside.to]) * planar(4.0, 0.0, 0.0);
    r.loops.push_back({beside.from, beside.to, alias, pose_noise(0.002, 0.05), 1.5});
    const RebuildResult result = rebuild(r.steps, r.initial, r.loops);
    CAPTURE(seed);
    CHECK_FALSE(result.kept.back());
    CHECK(result.judgements.back().outcome == LoopOutcome::too_little_evidence);
    CHECK(std::count(result.kept.begin(), result.kept.end(), true) == std::ssize(r.loops) - 1);
  }
}

TEST_CASE("the uncertainty between two poses of a chain is that of the odometry between them", "[partial]") {
  const Road r = road(4);
  gtsam::NonlinearFactorGraph graph = r.steps;
  graph.emplace_shared<gtsam::PriorFactor<gtsam::Pose3>>(0, r.initial.at<gtsam::Pose3>(0), pose_noise(0.5, 0.5));
  const gtsam::Marginals marginals(graph, r.initial);
  const OdometryChain chain(r.steps, r.initial);
  for (const auto& [from, to] : {std::pair{std::size_t{3}, std::size_t{4}}, {10, 90}, {40, 160}}) {
    const gtsam::Matrix6 expected = chain.covariance(from, to);
    CHECK((relative_covariance(marginals, r.initial, from, to) - expected).norm() < 1e-6 * expected.norm());
  }
}

TEST_CASE("places without a loop are held by partial ones at the end, and not if that is off", "[partial]") {
  // While driving, few registrations pass so strict a bar: gaps are left between complete loops.
  const Mapped off = mapped(false, 0.9995), on = mapped(true, 0.9995);
  REQUIRE(off.before.size() == on.before.size());  // the drive itself is the same
  for (std::size_t i = 0; i < off.before.size(); ++i)
    CHECK(off.before[i].T_from_to.matrix() == on.before[i].T_from_to.matrix());
  CHECK(off.after.size() == off.before.size());
  CHECK(std::none_of(off.after.begin(), off.after.end(), [](const LoopAttempt& a) { return a.partial; }));
  std::size_t partial = 0;
  for (const LoopAttempt& a : on.after) {
    if (!a.accepted() || !a.partial) continue;
    ++partial;
    CHECK(a.from_estimate);
    CHECK(a.evidence <= 2.0);
    const auto& truth = drive().world.poses();
    const Vector6d error = tangent(a.T_from_to.inverse() * truth[a.from].inverse() * truth[a.to]);
    CHECK(error.dot(a.covariance.ldlt().solve(error)) < 30.0);
  }
  CAPTURE(partial, on.after.size(), off.after.size());
  CHECK(partial > 0);
  const auto& truth = drive().world.poses();
  CHECK(lateral_error(on.trajectory, truth).lateral_rmse_m < 1.1 * lateral_error(off.trajectory, truth).lateral_rmse_m);
}
