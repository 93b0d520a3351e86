#include <parte/feature_cache.hpp>
#include <slam/loop_evidence.hpp>
#include <slam/odometry_noise.hpp>
#include <slam/pose3.hpp>

#include "there_and_back.hpp"

#include <gtsam/slam/BetweenFactor.h>

#include <cmath>
#include <random>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

namespace {

using namespace parte;
using namespace parte::slam;

const OdometryNoise kDrift{.translation_m = 0.1, .rotation_deg = 0.4};

/// Places on a street on the way out (frames 3 to 5) and at the same spots on the way back, and odometry that drifts.
struct ShortRevisit {
  std::vector<std::size_t> frames = {3, 4, 5, 40, 41, 42};
  static constexpr std::size_t kFrom = 1, kTo = 4;  // frames 4 and 41 are side by side
  ThereAndBack world;
  Registration registration;
  FeatureCache features{std::size_t{1} << 30,
                        [this](std::size_t place) { return registration.extract(world.scan(frames[place])); }};
  LoopFinderOptions options;
  OdometryChain chain;
  std::vector<gtsam::Pose3> estimates;
  gtsam::NonlinearFactorGraph odometry;
  gtsam::Values initial;
  std::vector<gtsam::Key> keys;

  ShortRevisit() {
    options.look_alikes = false;
    for (std::size_t i = 0; i < world.size(); ++i) {
      const Eigen::Isometry3d motion = world.drifting_motion(i);
      chain.add(i, to_pose3(motion), step_covariance(motion, kDrift));
    }
    for (const std::size_t frame : frames) {
      estimates.push_back(chain.pose(frame));
      keys.push_back(frame);
      initial.insert(frame, chain.pose(frame));
      if (keys.size() > 1) {
        const ChainLoop step = chain.predicted(keys[keys.size() - 2], frame);
        odometry.emplace_shared<gtsam::BetweenFactor<gtsam::Pose3>>(
            keys[keys.size() - 2], frame, step.T_from_to, gtsam::noiseModel::Gaussian::Covariance(step.covariance));
      }
    }
  }
  /// `shown`: the place whose scan is shown at a place.
  [[nodiscard]] LoopFinder finder(const std::function<std::size_t(std::size_t)>& shown = {}) {
    LoopFinder finder(registration, options,
                      [this, shown](std::size_t place) { return features.get(shown ? shown(place) : place); });
    for (std::size_t k = 0; k < frames.size(); ++k) finder.add(make_place(frames[k], *features.get(k), options));
    return finder;
  }
  RebuildResult rebuild(std::vector<LoopAttempt>& attempts) {
    return rebuild_with(attempts, keys, odometry, initial, RebuildOptions{});
  }
};

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("agreement with odometry is worth the share of aliases along a street that would agree", "[loops][oracle]") {
  std::mt19937 random(1);
  for (const auto& [sigma_m, range_m] : {std::pair{0.2, 20.0}, {1.0, 20.0}, {2.5, 30.0}}) {
    std::uniform_real_distribution<double> alias(-range_m, range_m);
    int agree = 0;
    constexpr int kAliases = 200'000;
    for (int k = 0; k < kAliases; ++k) agree += std::pow(alias(random) / sigma_m, 2) <= 22.5;
    const double chance = static_cast<double>(agree) / kAliases;
    CHECK(std::pow(10.0, -odometry_evidence(sigma_m, 22.5, range_m)) == Catch::Approx(chance).epsilon(0.03));
  }
  CHECK(odometry_evidence(50.0, 22.5, 20.0) == 0.0);
}

TEST_CASE("registrations have the evidence that their confidence is worth", "[loops]") {
  LoopAttempt loop;
  for (const auto& [confidence, decades] : {std::pair{0.0, 0.0}, {0.9, 1.0}, {0.99, 2.0}, {0.9999, 2.0}, {1.0, 2.0}}) {
    loop.confidence = confidence;
    CHECK(registration_evidence(loop) == Catch::Approx(decades).margin(1e-9));
  }
}

TEST_CASE("expected alignments have the evidence that overlap, agreement and sharpness are worth", "[loops]") {
  LoopAttempt wrong;
  wrong.from_estimate = true;
  wrong.overlap = 0.1, wrong.agreement = 0.9, wrong.sharpness = 0.6;
  CHECK(registration_evidence(wrong) < 1.0);
  for (double LoopAttempt::*field : {&LoopAttempt::overlap, &LoopAttempt::agreement}) {
    LoopAttempt better = wrong;
    better.*field += 0.01;
    CHECK(registration_evidence(better) > registration_evidence(wrong));
  }
  LoopAttempt sure = wrong;
  sure.overlap = sure.agreement = sure.sharpness = 1.0;
  CHECK(registration_evidence(sure) == 2.0);
}

TEST_CASE("a lone loop asks its neighbours, and they make it believed", "[loops]") {
  ShortRevisit drive;
  std::vector<LoopAttempt> attempts = {drive.finder().try_pair(drive.kFrom, drive.kTo, drive.chain, drive.estimates)};
  REQUIRE(attempts[0].accepted());
  REQUIRE(attempts[0].evidence < 3.0);
  std::vector<LoopAttempt> alone = attempts;
  drive.rebuild(alone);
  CHECK(alone[0].verdict == LoopVerdict::too_little_evidence);
  CHECK(has(alone[0].detail, "< 3 (--min-evidence): no neighbour was asked (--max-neighbors)"));

  ask_neighbors(attempts, drive.finder(), drive.chain, drive.estimates, {});
  CHECK(attempts[0].asked >= 1);
  CHECK(attempts[0].asked <= 4);
  REQUIRE(attempts.size() == 1 + static_cast<std::size_t>(attempts[0].asked));
  CHECK(attempts[0].confirmed >= 1);
  CHECK(attempts[0].contradicted == 0);
  const RebuildResult result = drive.rebuild(attempts);
  CHECK(attempts[0].accepted());
  const Eigen::Vector3d truth = (drive.world.poses()[3].inverse() * drive.world.poses()[42]).translation();
  const auto end = result.values.at<gtsam::Pose3>(3).between(result.values.at<gtsam::Pose3>(42)).translation();
  CHECK((end - truth).norm() < 0.3);
  CHECK((drive.chain.motion(3, 42).translation() - truth).norm() > 2.0);
}

TEST_CASE("neighbours that see another place contradict a lone loop", "[loops]") {
  ShortRevisit drive;
  const LoopFinder honest = drive.finder();
  std::vector<LoopAttempt> attempts = {honest.try_pair(drive.kFrom, drive.kTo, drive.chain, drive.estimates)};
  REQUIRE(attempts[0].accepted());
  // The neighbours on the way out show what is seen 6 m away: their registrations succeed and are off by as much.
  const LoopFinder confused = drive.finder([](std::size_t place) {
    return place == 0 ? std::size_t{2} : place == 2 ? 0 : place;
  });
  ask_neighbors(attempts, confused, drive.chain, drive.estimates, {.max_pair_chi2 = 22.5});
  CHECK(attempts[0].contradicted == 2);
  CHECK(attempts[0].contradiction > 0.0);
  CHECK(attempts[0].net_evidence() < attempts[0].evidence);
  ask_neighbors(attempts, confused, drive.chain, drive.estimates, {});
  LoopFinder::Pairs pairs;
  for (const LoopAttempt& a : attempts) CHECK(pairs.insert({a.from, a.to}).second);  // none is asked twice
}

TEST_CASE("places are candidates as far as registration reaches, the nearest first", "[loops]") {
  ShortRevisit drive;
  drive.options.min_path_m = 100.0;
  drive.options.sigmas = 0.0;
  const LoopFinder finder = drive.finder();
  std::vector<gtsam::Pose3> estimates = drive.estimates;
  const gtsam::Pose3 there = estimates[5];
  for (const double metres : {9.0, 20.0}) {
    estimates[5] = gtsam::Pose3(gtsam::Rot3(), gtsam::Point3(0.0, metres, 0.0)) * estimates[1];
    const auto attempts = finder.search(5, drive.chain, estimates);
    REQUIRE_FALSE(attempts.empty());
    for (std::size_t k = 1; k < attempts.size(); ++k)
      CHECK(attempts[k - 1].expected_distance_m <= attempts[k].expected_distance_m);
  }
  estimates[5] = gtsam::Pose3(gtsam::Rot3(), gtsam::Point3(0.0, 90.0, 0.0)) * there;
  CHECK(finder.search(5, drive.chain, estimates).empty());
}

TEST_CASE("refusals say in numbers what was missing, and which option it was measured against", "[loops]") {
  LoopAttempt a;
  a.status = Status::not_verified;
  a.confidence = 0.43, a.members = 4, a.rival = 0.91;
  a.overlap = 0.05, a.agreement = 0.93, a.sharpness = 0.7;
  const LoopLimits limits{VerificationOptions{}, 22.5};
  CHECK(explain(a, limits) ==
        "confidence 0.430 < 0.99 (--min-confidence): 4 separate members in the clique, overlap 0.050, agreement 0.930, "
        "sharpness 0.70, best rival 0.91");
  LoopAttempt expected = a;
  expected.from_estimate = true;
  expected.agreement = 0.85;
  CHECK(explain(expected, limits) == "overlap 0.050 < 0.08; agreement 0.850 < 0.9");
  a.confidence = 0.995;
  CHECK(has(explain(a, limits), "grounds"));
  a.status = Status::degenerate;
  a.free_direction << 0, 0, 0, 0.98, 0.17, 0;
  CHECK(explain(a, limits) == "leaves a direction open: along x (0.98, 0.17, 0.00)");
  a.free_direction << 0, 0, 1, 0.2, 0, 0;
  CHECK(explain(a, limits) == "leaves a direction open: about z (0.00, 0.00, 1.00)");
  a.status = Status::success;
  a.verdict = LoopVerdict::contradicts_odometry;
  a.odometry_chi2 = 57, a.odometry_gap_m = 12.3, a.odometry_gap_deg = 4, a.odometry_sigma_m = 1.4;
  CHECK(explain(a, limits) ==
        "chi2 57.0 against odometry > 22.5 (--max-odometry-chi2): 12.3 m and 4.0 deg apart where 3 sigma are 4.2 m");
  a.asked = 4, a.confirmed = 1;
  LoopJudgement judgement{LoopOutcome::too_little_evidence, 1.4, 0.0, 3.0};
  CHECK(explain(a, judgement) ==
        "evidence 1.4 < 3 (--min-evidence): of 4 neighbours 1 confirm it, 0 contradict it, 3 did not register");
  judgement = {LoopOutcome::off_the_trajectory, 5.0, 30.0, 22.5};
  CHECK(explain(a, judgement) == "chi2 30.0 against the trajectory > 22.5 (--max-loop-chi2)");
  judgement.outcome = LoopOutcome::kept;
  CHECK(explain(a, judgement).empty());
}
