#include <parte/feature_cache.hpp>
#include <slam/graph_loops.hpp>
#include <slam/mapper.hpp>
#include <slam/metrics.hpp>
#include <slam/odometry_noise.hpp>
#include <slam/pose3.hpp>

#include "there_and_back.hpp"

#include <gtsam/slam/BetweenFactor.h>

#include <algorithm>

#include <catch2/catch_test_macros.hpp>

namespace {

using namespace parte;
using namespace parte::slam;

const OdometryNoise kDrift{.translation_m = 0.1, .rotation_deg = 0.4};

/// The drive with everything that was computed of it once.
struct Drive {
  ThereAndBack world;
  Registration registration;
  FeatureCache features{std::size_t{1} << 30, [this](std::size_t i) { return registration.extract(world.scan(i)); }};
  [[nodiscard]] LoopFinder::FeaturesOf of_frames() {
    return [this](std::size_t i) { return features.get(i); };
  }
  [[nodiscard]] Eigen::Isometry3d truth(const LoopAttempt& loop) const {
    return world.poses()[loop.from].inverse() * world.poses()[loop.to];
  }
  [[nodiscard]] bool right(const LoopAttempt& loop) const {
    return (truth(loop).inverse() * loop.T_from_to).translation().norm() < 0.3;
  }
};

Drive& drive() {
  static Drive one;
  return one;
}

MapperOptions options() {
  MapperOptions o;
  o.keyframe_m = 1.0;  // every frame
  o.loops.min_path_m = 30.0;
  return o;
}

std::size_t accepted(const std::vector<LoopAttempt>& attempts) {
  return static_cast<std::size_t>(
      std::count_if(attempts.begin(), attempts.end(), [](const LoopAttempt& a) { return a.accepted(); }));
}

}  // namespace

TEST_CASE("the way back along a street closes loops and takes the drift out of the trajectory", "[mapper]") {
  Drive& d = drive();
  Mapper mapper(d.registration, options(), d.of_frames());
  for (std::size_t i = 0; i < d.world.size(); ++i) {
    const Eigen::Isometry3d motion = d.world.drifting_motion(i);
    REQUIRE(mapper.add_frame(motion, step_covariance(motion, kDrift)));
    mapper.add_keyframe(make_place(i, *d.features.get(i), options().loops));
  }
  const double before = ate_rmse_first_pose_m(mapper.trajectory(), d.world.poses());
  mapper.finish();
  std::vector<Eigen::Isometry3d> odometry;
  for (std::size_t i = 0; i < mapper.frames(); ++i) odometry.push_back(to_isometry(mapper.odometry().pose(i)));
  const double drift = ate_rmse_first_pose_m(odometry, d.world.poses());
  const double after = ate_rmse_first_pose_m(mapper.trajectory(), d.world.poses());
  CAPTURE(drift, before, after);
  REQUIRE(drift > 2.0);
  CHECK(before < 0.5 * drift);  // the estimate while driving is corrected already
  CHECK(after < 0.5 * drift);
  CHECK(accepted(mapper.attempts()) >= 8);
  for (const LoopAttempt& a : mapper.attempts())
    if (a.accepted()) CHECK(d.right(a));
}

TEST_CASE("finish() refuses a wrong loop that was believed while driving, and returns the trajectory", "[mapper]") {
  Drive& d = drive();
  Mapper mapper(d.registration, options(), d.of_frames());
  const std::size_t last = d.world.size() - 1;
  for (std::size_t i = 0; i <= last; ++i) {
    const Eigen::Isometry3d motion = d.world.drifting_motion(i);
    REQUIRE(mapper.add_frame(motion, step_covariance(motion, kDrift)));
    const Place place = make_place(i, *d.features.get(i), options().loops);
    if (i < last) {
      mapper.add_keyframe(place);
      continue;
    }
    LoopAttempt wrong;
    wrong.from = 1;
    wrong.to = last;
    wrong.status = Status::success;
    wrong.verdict = LoopVerdict::accepted;
    wrong.evidence = 1.0;
    wrong.T_from_to = d.truth(wrong) * Eigen::Translation3d(6.0, 0.0, 0.0);  // along the street
    wrong.covariance.diagonal() << 1e-4, 1e-4, 1e-4, 1e-3, 1e-3, 1e-3;
    mapper.restore_keyframe(place, {wrong});
  }
  const std::size_t count = mapper.attempts().size();
  REQUIRE(mapper.attempts().back().accepted());
  const RebuildResult result = mapper.finish();
  REQUIRE(mapper.attempts().size() >= count);
  CHECK_FALSE(mapper.attempts()[count - 1].accepted());
  const std::vector<Eigen::Isometry3d> trajectory = mapper.trajectory();
  for (std::size_t i = 0; i <= last; ++i)
    REQUIRE(to_isometry(result.values.at<gtsam::Pose3>(i)).isApprox(trajectory[i], 1e-12));
  CHECK(ate_rmse_first_pose_m(trajectory, d.world.poses()) < 0.5);
}

TEST_CASE("keyframes are due by way and by turn, and frames between them move along", "[mapper]") {
  Drive& d = drive();
  MapperOptions o = options();
  o.keyframe_m = 2.5;
  o.keyframe_deg = 20.0;
  Mapper mapper(d.registration, o, d.of_frames());
  const auto forward = [](double metres, double degrees) {
    return Eigen::Isometry3d(Eigen::Translation3d(metres, 0, 0) *
                             Eigen::AngleAxisd(degrees * 0.017453292519943295, Eigen::Vector3d::UnitZ()));
  };
  const auto add = [&](const Eigen::Isometry3d& motion) {
    const bool due = mapper.add_frame(motion, step_covariance(motion, kDrift));
    if (due) mapper.add_keyframe(make_place(0, *d.features.get(0), o.loops));
    return due;
  };
  CHECK(add(forward(0, 0)));
  CHECK_FALSE(add(forward(1.0, 0)));
  CHECK_FALSE(add(forward(1.0, 0)));
  CHECK(add(forward(1.0, 0)));
  CHECK_FALSE(add(forward(0.1, 15)));
  CHECK(add(forward(0.1, 15)));
  mapper.finish();
  const auto trajectory = mapper.trajectory();
  REQUIRE(trajectory.size() == 6);
  CHECK((trajectory[2].translation() - Eigen::Vector3d(2, 0, 0)).norm() < 1e-6);
}

TEST_CASE("a registration that odometry rules out is refused, and the verdict says so", "[loops]") {
  Drive& d = drive();
  LoopFinderOptions o = options().loops;
  o.look_alikes = false;
  const std::size_t last = d.world.size() - 1;
  // Odometry is exact, but the first place shows what is seen 12 m farther on: as if the street looked alike all along.
  LoopFinder finder(d.registration, o, [&](std::size_t place) { return d.features.get(place == 0 ? 4 : last); });
  OdometryChain chain;
  for (std::size_t i = 0; i <= last; ++i) {
    const Eigen::Isometry3d motion =
        i == 0 ? d.world.poses()[0] : Eigen::Isometry3d(d.world.poses()[i - 1].inverse() * d.world.poses()[i]);
    chain.add(i, to_pose3(motion), step_covariance(motion, {.translation_m = 0.01, .rotation_deg = 0.01}));
  }
  for (const std::size_t i : {std::size_t{0}, last}) finder.add(make_place(i, *d.features.get(i), o));
  const auto attempts = finder.search(1, chain, {chain.pose(0), chain.pose(last)});
  REQUIRE(attempts.size() == 1);
  REQUIRE(attempts[0].status == Status::success);
  CHECK(attempts[0].verdict == LoopVerdict::contradicts_odometry);
  CHECK(attempts[0].reason() == "contradicts odometry");
}

TEST_CASE("a place far off under a bad estimate is found by its looks", "[loops]") {
  Drive& d = drive();
  LoopFinderOptions o = options().loops;
  o.max_unlikeness = 0.5;
  LoopFinder finder(d.registration, o, d.of_frames());
  OdometryChain chain;
  std::vector<gtsam::Pose3> estimates;
  for (std::size_t i = 0; i < d.world.size(); ++i) {
    Eigen::Isometry3d motion = d.world.drifting_motion(i);
    if (i == d.world.size() - 1) motion = Eigen::Translation3d(0, 0, 300) * motion;  // a great error, and honest
    Matrix6d covariance = step_covariance(motion, kDrift);
    if (i == d.world.size() - 1) covariance.diagonal().tail<3>().setConstant(1e5);
    chain.add(i, to_pose3(motion), covariance);
    estimates.push_back(chain.pose(i));
    finder.add(make_place(i, *d.features.get(i), o));
  }
  const auto attempts = finder.search(d.world.size() - 1, chain, estimates);
  REQUIRE_FALSE(attempts.empty());
  CHECK(attempts.back().look_alike);
  CHECK(attempts.back().accepted());
  CHECK(d.right(attempts.back()));
  o.look_alikes = false;
  LoopFinder blind(d.registration, o, d.of_frames());
  for (const Place& place : finder.places()) blind.add(place);
  CHECK(blind.search(d.world.size() - 1, chain, estimates).empty());
}

TEST_CASE("loops are added to somebody's graph, and what it had stays", "[graph]") {
  Drive& d = drive();
  gtsam::NonlinearFactorGraph graph;
  gtsam::Values values;
  std::map<gtsam::Key, ScanOf> scans;
  gtsam::Pose3 pose;
  for (std::size_t i = 0; i < d.world.size(); ++i) {
    const gtsam::Key key = 100 + 2 * i;
    const Eigen::Isometry3d motion = d.world.drifting_motion(i);
    pose = i == 0 ? to_pose3(motion) : pose * to_pose3(motion);
    values.insert(key, pose);
    if (i > 0)
      graph.emplace_shared<gtsam::BetweenFactor<gtsam::Pose3>>(
          key - 2, key, to_pose3(motion), gtsam::noiseModel::Gaussian::Covariance(step_covariance(motion, kDrift)));
    if (i % 2 == 0) scans[key] = [&d, i] { return d.world.scan(i); };
  }
  GraphLoopOptions o;
  o.loops = options().loops;
  const GraphLoops result = add_loop_closures(graph, values, scans, d.registration, o);
  REQUIRE(result.keys.size() == scans.size());
  const std::size_t loops = accepted(result.attempts);
  REQUIRE(loops >= 4);
  REQUIRE(result.graph.size() == graph.size() + loops);
  for (std::size_t i = 0; i < graph.size(); ++i) CHECK(result.graph.at(i) == graph.at(i));
  double worst_before = 0.0, worst_after = 0.0;
  for (std::size_t i = 0; i < d.world.size(); ++i) {
    const Eigen::Vector3d truth = d.world.poses()[i].translation();
    worst_before = std::max(worst_before, (values.at<gtsam::Pose3>(100 + 2 * i).translation() - truth).norm());
    worst_after = std::max(worst_after, (result.values.at<gtsam::Pose3>(100 + 2 * i).translation() - truth).norm());
  }
  CHECK(worst_after < 0.5 * worst_before);
  for (const LoopAttempt& a : result.attempts) {
    if (!a.accepted()) continue;
    const std::size_t from = (result.keys[a.from] - 100) / 2, to = (result.keys[a.to] - 100) / 2;
    const Eigen::Isometry3d truth = d.world.poses()[from].inverse() * d.world.poses()[to];
    CHECK((truth.inverse() * a.T_from_to).translation().norm() < 0.3);
  }
  // Where the loops are there already, there are none to add between the same poses.
  const GraphLoops again = add_loop_closures(result.graph, result.values, scans, d.registration, o);
  for (const LoopAttempt& a : again.attempts)
    for (const LoopAttempt& b : result.attempts) CHECK_FALSE((b.accepted() && a.from == b.from && a.to == b.to));
  // A factor to a pose without a scan joins no two places: the pair beside it is tried as before.
  const auto loop =
      *std::find_if(result.attempts.begin(), result.attempts.end(), [](const auto& a) { return a.accepted(); });
  gtsam::NonlinearFactorGraph beside = graph;
  beside.emplace_shared<gtsam::BetweenFactor<gtsam::Pose3>>(
      result.keys[loop.from], result.keys[loop.to] - 2, gtsam::Pose3(), gtsam::noiseModel::Isotropic::Sigma(6, 1e6));
  const GraphLoops same = add_loop_closures(beside, values, scans, d.registration, o);
  CHECK(std::any_of(same.attempts.begin(), same.attempts.end(),
                    [&](const LoopAttempt& a) { return a.from == loop.from && a.to == loop.to; }));
  scans[7] = [] { return std::vector<Eigen::Vector3f>(); };
  CHECK_THROWS_AS(add_loop_closures(graph, values, scans, d.registration, o), std::invalid_argument);
}

TEST_CASE("poses of a vehicle whose LiDAR is elsewhere find the same loops", "[graph]") {
  Drive& d = drive();
  const Eigen::Vector3d lever(0.9, 0.3, 1.8);  // of the LiDAR in the vehicle's frame
  const auto loops = [&](const Eigen::Vector3d& at, std::optional<Eigen::Vector3d> sensor) {
    gtsam::NonlinearFactorGraph graph;
    gtsam::Values values;
    std::map<gtsam::Key, ScanOf> scans;
    gtsam::Pose3 pose;
    for (std::size_t i = 0; i < d.world.size(); ++i) {
      const Eigen::Isometry3d motion = d.world.drifting_motion(i);
      pose = i == 0 ? to_pose3(motion) : pose * to_pose3(motion);
      values.insert(i, pose * gtsam::Pose3(gtsam::Rot3(), -at));
      if (i > 0)
        graph.emplace_shared<gtsam::BetweenFactor<gtsam::Pose3>>(
            i - 1, i, values.at<gtsam::Pose3>(i - 1).between(values.at<gtsam::Pose3>(i)),
            gtsam::noiseModel::Gaussian::Covariance(step_covariance(motion, kDrift)));
      if ((i < 3 || i > d.world.size() - 4))
        scans[i] = [&, i, at] {
          std::vector<Eigen::Vector3f> points = d.world.scan(i);
          for (Eigen::Vector3f& p : points) p += at.cast<float>();
          return points;
        };
    }
    GraphLoopOptions o;
    o.loops = options().loops;
    o.sensor = sensor;
    return add_loop_closures(graph, values, scans, d.registration, o);
  };
  const GraphLoops at_sensor = loops(Eigen::Vector3d::Zero(), {}), at_vehicle = loops(lever, lever);
  REQUIRE(accepted(at_sensor.attempts) >= 3);
  REQUIRE(at_vehicle.attempts.size() == at_sensor.attempts.size());
  const Eigen::Translation3d T_vehicle_lidar(lever);
  for (std::size_t k = 0; k < at_sensor.attempts.size(); ++k) {
    const LoopAttempt &a = at_sensor.attempts[k], &b = at_vehicle.attempts[k];
    CHECK(a.accepted() == b.accepted());
    CHECK(std::abs(a.unlikeness - b.unlikeness) < 0.01);
    CHECK(std::abs(a.overlap - b.overlap) < 0.03);
    const Eigen::Isometry3d same = T_vehicle_lidar * a.T_from_to * T_vehicle_lidar.inverse();
    if (a.accepted() && b.accepted()) CHECK((same.inverse() * b.T_from_to).translation().norm() < 0.1);
  }
}
