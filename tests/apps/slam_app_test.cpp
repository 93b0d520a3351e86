#include <apps/slam_journal.hpp>
#include <apps/slam_output.hpp>
#include <datasets/file.hpp>
#include <datasets/g2o.hpp>
#include <datasets/scan_io.hpp>
#include <datasets/trajectory.hpp>

#include "program.hpp"
#include "slam_world.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

namespace {

using namespace parte;
using Catch::Matchers::ContainsSubstring;

apps::SlamConfig config() {
  apps::SlamConfig c;
  c.degrade = true;
  c.mapper.keyframe_m = 2.0;
  c.mapper.loops.min_path_m = 30.0;
  return c;
}

apps::SlamInput input() {
  apps::SlamInput in;
  in.sequence = slam_world().sequence();
  return in;
}

/// What a run has done, but for the time it took.
std::string fingerprint(const apps::SlamReplay& run) {
  std::string text;
  for (const Eigen::Isometry3d& pose : run.mapper().trajectory())
    text.append(reinterpret_cast<const char*>(pose.matrix().data()), 16 * sizeof(double));
  for (const slam::LoopAttempt& a : run.mapper().attempts()) {
    text += std::to_string(a.from) + " " + std::to_string(a.to) + " " + std::string(a.reason()) + "\n";
    text.append(reinterpret_cast<const char*>(a.T_from_to.matrix().data()), 16 * sizeof(double));
  }
  for (const apps::KeyframeRecord& k : run.keyframes)
    for (const Eigen::Vector3f& p : k.map_points) text.append(reinterpret_cast<const char*>(p.data()), 12);
  return text;
}

}  // namespace

TEST_CASE("a run that is interrupted and resumed ends as if it had never been", "[slam_app]") {
  const apps::SlamConfig c = config();
  const apps::SlamInput in = input();
  apps::SlamReplay whole(c, in);
  while (whole.step()) {
  }
  whole.finish();
  REQUIRE(whole.mapper().attempts().size() > 5);

  const TemporaryFolder folder;
  const std::size_t third = in.sequence.size() / 3;
  {
    apps::SlamReplay begun(c, in);
    apps::SlamJournal journal(folder / "state");
    while (begun.frames.size() < third) begun.step();
    journal.checkpoint(begun);
    while (begun.frames.size() < 2 * third) begun.step();
    journal.checkpoint(begun);
    // A kill in the middle of writing leaves something behind the last checkpoint.
    std::ofstream(folder / "state/journal.jsonl", std::ios::app) << "{\"motion\": [1, 2";
    std::ofstream(folder / "state/points.bin", std::ios::app) << "half a record";
  }
  apps::SlamReplay resumed(c, in);
  apps::SlamJournal journal(folder / "state");
  REQUIRE(journal.exists());
  REQUIRE(journal.voxel() == whole.voxel());
  journal.resume(resumed);
  REQUIRE(resumed.frames.size() == 2 * third);
  while (resumed.step()) {
  }
  resumed.finish();
  REQUIRE(fingerprint(resumed) == fingerprint(whole));
  journal.checkpoint(resumed);
  journal.remove();
  REQUIRE_FALSE(journal.exists());
}

TEST_CASE("a damaged journal is refused with the way out", "[slam_app]") {
  const TemporaryFolder folder;
  const apps::SlamConfig c = config();
  const apps::SlamInput in = input();
  apps::SlamReplay begun(c, in);
  apps::SlamJournal journal(folder / "state");
  for (int i = 0; i < 3; ++i) begun.step();
  journal.checkpoint(begun);
  const auto resume = [&] {
    return io_error_of([&] {
      apps::SlamReplay run(c, in);
      apps::SlamJournal(folder / "state").resume(run);
    });
  };
  const std::string points = datasets::read_file(folder / "state/points.bin");
  std::filesystem::resize_file(folder / "state/points.bin", points.size() / 2);
  CHECK_THAT(resume(), ContainsSubstring("points.bin") && ContainsSubstring("shorter"));
  datasets::write_file(folder / "state/points.bin", std::string(points.size(), '\xff'));
  CHECK_THAT(resume(), ContainsSubstring("--overwrite"));
}

TEST_CASE("the metrics of a run are those of its trajectories and loops", "[slam_app]") {
  const apps::SlamConfig c = config();
  const apps::SlamInput in = input();
  apps::SlamReplay run(c, in);
  while (run.step()) {
  }
  run.finish();
  const apps::SlamMetrics m = apps::measure(run);
  const auto trajectory = run.mapper().trajectory();
  const auto& truth = in.sequence.ground_truth;
  REQUIRE(m.corrected);
  double squares = 0.0;
  for (std::size_t i = 0; i < truth.size(); ++i)
    squares += (trajectory[i].translation() - truth[i].translation()).squaredNorm();
  CHECK(m.corrected->ate_first_pose_m == Catch::Approx(std::sqrt(squares / static_cast<double>(truth.size()))));
  CHECK(m.corrected->end_m == Catch::Approx((trajectory.back().translation() - truth.back().translation()).norm()));
  std::size_t accepted = 0, tried = 0, refused = 0;
  for (const apps::KeyframeRecord& k : run.keyframes)
    for (const apps::JudgedAttempt& a : k.attempts) ++tried, accepted += a.attempt.accepted();
  for (const auto& [reason, count] : m.loops.refused) refused += count;
  CHECK(m.loops.tried == tried);
  CHECK(m.loops.accepted == accepted);
  CHECK(refused == tried - accepted);
  CHECK(m.loops.wrong == 0);
  REQUIRE(m.loops.precision());
  CHECK(*m.loops.precision() == 100.0);
  CHECK(m.loops.revisits > 10);
  CHECK(m.loops.closed_revisits <= m.loops.revisits);
  for (const auto* rates : {&m.loops.by_distance, &m.loops.by_rotation, &m.loops.by_overlap}) {
    std::size_t counted = 0;
    for (const apps::SuccessRate& rate : *rates) counted += rate.tried;
    CHECK(counted == tried);
  }

  const TemporaryFolder folder;
  apps::write_results(folder.path(), run, m, 0.5, {});
  const datasets::PoseGraph graph = datasets::read_g2o(folder / "graph.g2o");
  CHECK(graph.vertices.size() == run.keyframes.size());
  CHECK(graph.edges.size() == run.keyframes.size() - 1 + accepted);
  const auto written = datasets::read_tum(folder / "trajectory.tum");
  REQUIRE(written.size() == truth.size());
  CHECK(written.back().pose.isApprox(trajectory.back(), 1e-9));
  const std::string csv = datasets::read_file(folder / "loops.csv");
  CHECK(static_cast<std::size_t>(std::count(csv.begin(), csv.end(), '\n')) == tried + 1);
  CHECK(datasets::read_scan(folder / "map.ply").size() > 1000);
}

TEST_CASE("candidates that are too far apart for the paper's bins are counted as well", "[slam_app]") {
  const auto [sensor, last] = GENERATE(std::pair("lidar", "above 30 m"), std::pair("rgbd", "above 4 m"));
  apps::SlamConfig c = config();
  c.sensor = sensor;
  apps::SlamInput in = input();
  in.odometry = in.sequence.ground_truth;
  for (Eigen::Isometry3d& pose : in.sequence.ground_truth) pose.translation() *= 1000.0;
  apps::SlamReplay run(c, in);
  while (run.step()) {
  }
  run.finish();
  const apps::LoopMetrics m = apps::measure(run).loops;
  REQUIRE(m.tried > 0);
  REQUIRE(m.by_distance.size() == 4);
  CHECK(m.by_distance.back().kind == last);
  CHECK(m.by_distance.back().tried == m.tried);
}

TEST_CASE("the median of an even number of loops is between the two in the middle", "[slam_app]") {
  std::vector<slam::LoopAttempt> loops(4);
  for (const auto& [k, metres] : {std::pair(0, 3.0), std::pair(1, 1.0), std::pair(2, 2.0), std::pair(3, 0.0)}) {
    slam::LoopAttempt& loop = loops[static_cast<std::size_t>(k)];
    loop.verdict = slam::LoopVerdict::accepted;
    loop.T_from_to.translation().x() = metres;
    loop.covariance.setIdentity();
  }
  const std::vector<Eigen::Isometry3d> places(1, Eigen::Isometry3d::Identity());
  CHECK(apps::loop_metrics(loops, places).median_chi2 == Catch::Approx(2.5));  // of 0, 1, 4, 9
  loops.pop_back();
  CHECK(apps::loop_metrics(loops, places).median_chi2 == Catch::Approx(4.0));
}

TEST_CASE("what was begun and never vouched for does not spoil a later run", "[slam_app]") {
  const TemporaryFolder folder;
  std::filesystem::create_directories(folder / "state");
  (void)folder.write("state/journal.jsonl", "{\"motion\": [1, 2");
  (void)folder.write("state/mine.txt", "not of the run");
  apps::SlamJournal journal(folder / "state");
  CHECK_FALSE(journal.exists());
  journal.remove();
  CHECK_FALSE(std::filesystem::exists(folder / "state/journal.jsonl"));
  CHECK(std::filesystem::exists(folder / "state/mine.txt"));
}

TEST_CASE("reading the scans of keyframes takes time of the odometry, also where that is given", "[slam_app]") {
  const apps::SlamConfig c = config();
  apps::SlamInput in = input();
  in.odometry = in.sequence.ground_truth;
  std::size_t reads = 0;
  in.sequence.read = [&](std::size_t i) {
    ++reads;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // at least
    return slam_world().scan(i);
  };
  apps::SlamReplay run(c, in);
  for (int i = 0; i < 12; ++i) run.step();
  CHECK(reads == run.keyframes.size());
  CHECK(run.times.odometry_ms >= 5.0 * static_cast<double>(reads));
}

TEST_CASE("features that are made again, by a small budget, change nothing", "[slam_app]") {
  apps::SlamConfig c = config();
  c.deskew = true;  // what is made again must be undistorted in the same way
  apps::SlamInput in = input();
  in.odometry = in.sequence.ground_truth;
  const auto run = [&](double gigabytes) {
    c.memory_gb = gigabytes;
    apps::SlamReplay replay(c, in);
    while (replay.step()) {
    }
    replay.finish();
    return fingerprint(replay);
  };
  CHECK(run(1e-6) == run(1.0));
}

TEST_CASE("scans are undistorted by the motion that was measured, whatever drift is added", "[slam_app]") {
  apps::SlamConfig c = config();
  c.deskew = true;
  c.mapper.keyframe_m = 0.01;  // every frame
  apps::SlamInput in = input();
  in.odometry = in.sequence.ground_truth;
  const auto map_points = [&](bool degrade) {
    c.degrade = degrade;
    apps::SlamReplay run(c, in);
    for (int i = 0; i < 6; ++i) run.step();
    REQUIRE(run.keyframes.size() == 6);
    std::vector<std::vector<Eigen::Vector3f>> points;
    for (const apps::KeyframeRecord& k : run.keyframes) points.push_back(k.map_points);
    return std::pair(points, run.odometry_trajectory().back());
  };
  const auto [with_drift, drifted] = map_points(true);
  const auto [without, measured] = map_points(false);
  CHECK_FALSE(drifted.isApprox(measured, 1e-6));
  CHECK(with_drift == without);
}

TEST_CASE("a hand-held sequence comes back to where it began", "[slam_app][real]") {
  const auto folder = test_data() / "replay/hku_1_livox";
  if (!exists(folder)) SKIP("no " << folder);
  apps::SlamConfig c;
  c.replay = folder.string();
  const apps::SlamInput in = apps::open_input(c);
  apps::SlamReplay run(c, in);
  while (run.step()) {
  }
  run.finish();
  const apps::SlamMetrics m = apps::measure(run);
  CHECK(m.odometry->end_m < 0.3);
  CHECK(m.corrected->end_m < 0.3);
  CHECK(m.loops.accepted >= 3);
  CHECK(m.loops.wrong == 0);
}

TEST_CASE("streets that are driven the other way round take the drift out of a whole drive", "[slam_app][slow]") {
  apps::SlamConfig c;
  c.demo = "reverse";
  c.odometry = "truth";
  c.degrade = true;
  c.every = 3;
  const apps::SlamInput in = apps::open_input(c);
  apps::SlamReplay run(c, in);
  while (run.step()) {
  }
  run.finish();
  const apps::SlamMetrics m = apps::measure(run);
  CAPTURE(m.odometry->ate_m, m.corrected->ate_m, m.loops.accepted, m.loops.revisits, m.loops.closed_revisits);
  CHECK(m.odometry->ate_m > 2.0);
  CHECK(m.corrected->ate_m < 0.5);
  CHECK(m.corrected->ate_m < m.odometry->ate_m / 5.0);
  CHECK(m.loops.wrong == 0);
  CHECK(m.loops.closed_revisits > 0.8 * static_cast<double>(m.loops.revisits));
}
