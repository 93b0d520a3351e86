#include <slam/pose_graph.hpp>

#include "square.hpp"

#include <algorithm>

#include <catch2/catch_test_macros.hpp>

using namespace parte::slam;

namespace {

const gtsam::SharedNoiseModel kLoopNoise = pose_noise(0.005, 0.08);

/// The loops of the last round only, and one at the start that has no neighbours.
Square with_lone_loop(double evidence) {
  Square s = square();
  std::erase_if(s.loops, [](const LoopEdge& loop) { return loop.to < 520; });
  s.loops.push_back({20, 180, s.truth[20].between(s.truth[180]), kLoopNoise, evidence});
  return s;
}

}  // namespace

TEST_CASE("a lone loop needs evidence of its own", "[pose_graph]") {
  const Square doubtful = with_lone_loop(1.0), sure = with_lone_loop(3.0);
  const auto refused = rebuild(doubtful.steps, doubtful.initial, doubtful.loops);
  const auto kept = rebuild(sure.steps, sure.initial, sure.loops);
  REQUIRE_FALSE(refused.kept.back());
  REQUIRE(refused.judgements.back().outcome == LoopOutcome::too_little_evidence);
  REQUIRE(refused.judgements.back().evidence == 1.0);
  REQUIRE(refused.judgements.back().limit == 3.0);
  REQUIRE(kept.kept.back());
  REQUIRE(kept.judgements.back().outcome == LoopOutcome::kept);
  REQUIRE(kept.judgements.back().evidence == 3.0);
}

TEST_CASE("evidence adds up over loops that agree", "[pose_graph]") {
  const auto used_clusters = [](double evidence, std::size_t count) {
    Square s = square();
    s.loops.resize(count);  // 4 m apart
    for (auto& loop : s.loops) loop.evidence = evidence;
    return rebuild(s.steps, s.initial, s.loops).used_clusters;
  };
  CHECK(used_clusters(1.0, 2) == 0);
  CHECK(used_clusters(1.0, 3) == 1);
  CHECK(used_clusters(1.5, 2) == 1);
  CHECK(used_clusters(0.5, 5) == 0);
  CHECK(used_clusters(0.5, 6) == 1);
}

TEST_CASE("a sure loop still has to agree with odometry", "[pose_graph]") {
  Square s = with_lone_loop(3.0);
  s.loops.back().T_from_to = s.loops.back().T_from_to * planar(15.0, 0.0, 0.0);
  const auto result = rebuild(s.steps, s.initial, s.loops);
  const LoopJudgement& judgement = result.judgements.back();
  REQUIRE_FALSE(result.kept.back());
  REQUIRE(judgement.outcome == LoopOutcome::contradicts_odometry);
  REQUIRE(judgement.chi2 > judgement.limit);
  REQUIRE(judgement.limit == ConsistencyOptions{}.max_cluster_chi2);
}

TEST_CASE("a cluster that odometry allows and other loops do not is refused for that", "[pose_graph]") {
  Square s = square();
  RebuildOptions options;
  options.noise.estimate = false;
  const std::size_t right = s.loops.size();
  for (std::size_t i = 40; i < 60; i += 4)  // 1 m beside, between places of correct loops
    s.loops.push_back({i + 2, 322 + i, s.truth[i + 2].between(s.truth[322 + i]) * planar(0.0, 1.0, 0.0), kLoopNoise});
  const auto result = rebuild(s.steps, s.initial, s.loops, options);
  REQUIRE(std::count(result.kept.begin(), result.kept.begin() + static_cast<long>(right), true) ==
          static_cast<long>(right));
  for (std::size_t i = right; i < s.loops.size(); ++i) {
    REQUIRE_FALSE(result.kept[i]);
    REQUIRE(result.judgements[i].outcome == LoopOutcome::contradicts_other_loops);
    REQUIRE(result.judgements[i].evidence == 5.0);
    REQUIRE(result.judgements[i].chi2 > result.judgements[i].limit);
  }
}

TEST_CASE("a single wrong loop among correct ones is off the trajectory", "[pose_graph]") {
  Square s = square();
  s.loops[50].T_from_to = s.loops[50].T_from_to * planar(0.0, 3.0, 0.0);
  const auto result = rebuild(s.steps, s.initial, s.loops);
  REQUIRE_FALSE(result.kept[50]);
  REQUIRE(result.judgements[50].outcome == LoopOutcome::off_the_trajectory);
  REQUIRE(result.judgements[50].chi2 > result.judgements[50].limit);
  REQUIRE(result.judgements[50].limit == RebuildOptions{}.max_loop_chi2);
  for (std::size_t i = 0; i < s.loops.size(); ++i)
    REQUIRE(result.kept[i] == (result.judgements[i].outcome == LoopOutcome::kept));
}

TEST_CASE("evidence that makes no sense is refused", "[pose_graph]") {
  Square s = square();
  s.loops[0].evidence = -1.0;
  REQUIRE_THROWS_AS(rebuild(s.steps, s.initial, s.loops), std::invalid_argument);
}
