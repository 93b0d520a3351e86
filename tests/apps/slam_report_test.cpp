#include <apps/html_report.hpp>
#include <apps/slam_journal.hpp>
#include <apps/slam_output.hpp>
#include <datasets/random.hpp>
#include <parte/transform.hpp>

#include "../slam/there_and_back.hpp"
#include "program.hpp"
#include "report_page.hpp"

#include <cmath>
#include <sstream>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

namespace {

using namespace parte;
using Catch::Approx;

const std::string kHostile = "</script><script>alert(1)</script>";

struct Fixture {
  ThereAndBack world{60.0, 1.5};
  apps::SlamConfig config;
  apps::SlamInput input;

  Fixture() {
    config.degrade = true;
    config.mapper.keyframe_m = 2.0;
    config.mapper.loops.min_path_m = 30.0;
    input.sequence = world.sequence();
    input.sequence.name = kHostile;
  }
};

PageJson written_report(const TemporaryFolder& folder, apps::SlamReplay& run) {
  run.finish();
  apps::write_results(folder.path(), run, apps::measure(run), 0.5, {"parte_slam " + kHostile, "voxel=0.3\n"});
  return page_data(folder / "report.html");
}

double rms(const PageJson& values) {
  double squares = 0.0;
  for (const PageJson& value : values) squares += value.get<double>() * value.get<double>();
  return std::sqrt(squares / static_cast<double>(values.size()));
}

Eigen::Vector3d point_of(const PageJson& flat, std::size_t i) {
  const auto at = [&](std::size_t axis) { return flat.at(3 * i + axis).get<double>(); };
  return {at(0), at(1), at(2)};
}

Eigen::Isometry3d matrix_of(const PageJson& json) {
  Eigen::Isometry3d T;
  for (int k = 0; k < 16; ++k) T(k / 4, k % 4) = json.at(static_cast<std::size_t>(k)).get<double>();
  return T;
}

void check_against_csv(const PageJson& report, const std::string& csv) {
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  for (const PageJson& loop : report.at("loops")) {
    REQUIRE(std::getline(lines, line));
    std::vector<std::string> cells(1);
    bool quoted = false;  // commas within quotes part no cells
    for (const char c : line)
      if (c == '"')
        quoted = !quoted;
      else if (c == ',' && !quoted)
        cells.emplace_back();
      else
        cells.back() += c;
    REQUIRE(cells.size() == 28);
    const auto frame = [&](const char* end) {
      return report["frame_ids"][report["keyframes"][loop[end].get<std::size_t>()].get<std::size_t>()].get<int>();
    };
    CHECK(frame("from") == std::stoi(cells[0]));
    CHECK(frame("to") == std::stoi(cells[1]));
    CHECK(loop["kind"] == cells[2]);
    CHECK(loop["accepted"] == (cells[5] == "accepted"));
    CHECK(loop["reason"] == cells[6]);
    CHECK(loop["true_overlap"].get<double>() == Approx(std::stod(cells[18])).margin(1e-4));
    CHECK(loop.contains("error_m") == !cells[19].empty());
    if (!loop["registered"]) continue;
    CHECK(loop["clique_points"] == std::stoi(cells[7]));
    CHECK(loop["overlap"].get<double>() == Approx(std::stod(cells[12])).margin(1e-4));
    CHECK(loop["error_m"].get<double>() == Approx(std::stod(cells[19])).margin(1e-4));
    CHECK(loop["right"] == (cells[22] == "1"));
  }
  CHECK_FALSE(std::getline(lines, line));
}

/// The clique's members lie on each other under the refined transform: most points by two voxels of the coarse scale, at
/// which most cliques are found, and all planes.
void check_detail(const PageJson& report, const PageJson& loop) {
  const Eigen::Isometry3d T = matrix_of(loop["T_from_to"]);
  const PageJson &points = loop["detail"]["points"], &planes = loop["detail"]["planes"];
  REQUIRE(points.size() / 6 == std::min<std::size_t>(60, loop["clique_points"]));
  REQUIRE(planes.size() == std::min<std::size_t>(30, loop["clique_planes"]));
  std::size_t near = 0;
  for (std::size_t k = 0; k < points.size() / 6; ++k)
    near += (T * point_of(points, 2 * k) - point_of(points, 2 * k + 1)).norm() < 1.2 ? 1 : 0;
  CHECK(near >= points.size() / 6 / 2);
  for (const PageJson& plane : planes) {
    const auto normal = [](const PageJson& c) -> Eigen::Vector3d {
      return (point_of(c, 1) - point_of(c, 0)).cross(point_of(c, 2) - point_of(c, 0)).normalized();
    };
    CHECK(std::abs((T.linear() * normal(plane["source"])).dot(normal(plane["target"]))) > 0.95);
    const Eigen::Vector3d middle = T * (0.5 * (point_of(plane["source"], 0) + point_of(plane["source"], 2)));
    CHECK(std::abs(normal(plane["target"]).dot(middle - point_of(plane["target"], 0))) < 1.0);
  }
  for (const char* end : {"from", "to"})
    CHECK(decode_cloud(report["scans"].at(std::to_string(loop[end].get<std::size_t>()))).size() > 500);
}

}  // namespace

TEST_CASE("the report of a run tells what its other files tell, resumed or not", "[slam_app][report]") {
  const Fixture f;
  const TemporaryFolder folder, resumed_folder;
  apps::SlamReplay run(f.config, f.input);
  while (run.step()) {
  }
  const PageJson report = written_report(folder, run);
  const PageJson metrics = PageJson::parse(datasets::read_file(folder / "metrics.json"));
  CHECK(report["kind"] == "slam");
  CHECK(report["title"] == kHostile);
  CHECK(report["metrics"] == metrics);
  CHECK(report["config"] == "voxel=0.3\n");
  CHECK(report["notes"].is_array());
  CHECK(report["warnings"].empty());
  CHECK(report["upright"] == true);

  const std::size_t frames = f.world.size();
  for (const char* name : {"odometry", "corrected", "truth"}) CHECK(report[name].size() == 3 * frames);
  CHECK(report["times_s"].size() == frames);
  CHECK(rms(report["error_corrected_m"]) == Approx(metrics["corrected"]["ate_rmse_m"].get<double>()).margin(1e-4));
  CHECK(rms(report["error_odometry_m"]) == Approx(metrics["odometry"]["ate_rmse_m"].get<double>()).margin(1e-4));
  for (const auto& [name, trajectory] :
       {std::pair("odometry", run.odometry_trajectory()), std::pair("corrected", run.mapper().trajectory())}) {
    const slam::LateralError error = slam::lateral_error(trajectory, f.input.sequence.ground_truth);
    CHECK(report["metrics"][name]["lateral_rmse_m"].get<double>() == Approx(error.lateral_rmse_m));
    CHECK(report["metrics"][name]["yaw_rmse_deg"].get<double>() == Approx(error.yaw_rmse_deg));
  }
  for (std::size_t i = 0; i < frames; ++i)  // the truth lies on the corrected trajectory
    CHECK((point_of(report["truth"], i) - point_of(report["corrected"], i)).norm() ==
          Approx(report["error_corrected_m"][i].get<double>()).margin(0.003));

  REQUIRE(report["loops"].size() == metrics["loops"]["tried"]);
  check_against_csv(report, datasets::read_file(folder / "loops.csv"));
  std::size_t accepted = 0;
  for (const PageJson& loop : report["loops"]) {
    const auto pose = [&](const char* end) {
      return run.odometry_trajectory()[report["keyframes"][loop[end].get<std::size_t>()].get<std::size_t>()];
    };
    CHECK(matrix_of(loop["T_odometry"]).isApprox(pose("from").inverse() * pose("to"), 1e-3));
    CHECK(loop.contains("detail") == loop["registered"].get<bool>());
    if (loop["registered"]) check_detail(report, loop);
    for (const char* end : {"from", "to"})
      CHECK(report["scans"].contains(std::to_string(loop[end].get<std::size_t>())));
    if (!loop["accepted"]) continue;
    ++accepted;
    CHECK(loop["chi2_final"].get<double>() >= 0.0);
  }
  CHECK(accepted == metrics["loops"]["accepted"]);
  CHECK(decode_cloud(report["map"]).size() == report["map"]["count"]);
  CHECK(report["map"]["count"].get<std::size_t>() > 1000);

  apps::SlamJournal journal(folder / "state");
  {
    apps::SlamReplay begun(f.config, f.input);
    while (begun.frames.size() < frames * 3 / 4) begun.step();
    journal.checkpoint(begun);
  }
  apps::SlamReplay resumed(f.config, f.input);
  journal.resume(resumed);
  while (resumed.step()) {
  }
  CHECK(timeless(written_report(resumed_folder, resumed)) == timeless(report));
}

namespace {

/// A drive as long as KITTI 00 with far more loops than it has, by points that no two scans share.
apps::SlamPage large_page() {
  constexpr std::size_t kFrames = 4541, kKeyframes = 2500, kScanPoints = 6000, kRefused = 2000;
  static datasets::Points scan;  // of every keyframe: what it is does not matter, how it packs does
  datasets::Random random(5);
  const auto near = [&](double extent) {
    return Eigen::Vector3d(random.uniform(-extent, extent), random.uniform(-extent, extent), random.uniform(-2.0, 8.0));
  };
  scan.clear();
  for (std::size_t i = 0; i < kScanPoints; ++i) scan.push_back(near(40.0).cast<float>());
  apps::SlamPage page;
  apps::SlamMetrics metrics;
  metrics.sequence = "large";
  page.metrics = apps::to_json(metrics);
  for (std::size_t i = 0; i < kFrames; ++i) {
    Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
    pose.translation() = near(300.0);
    page.frame_ids.push_back(static_cast<long>(i));
    page.times_s.push_back(0.1037 * static_cast<double>(i));
    for (auto* poses : {&page.odometry, &page.corrected, &page.truth}) poses->push_back(pose);
    if (page.keyframes.size() < kKeyframes) page.keyframes.push_back(i);
  }
  apps::LoopDetail detail;
  for (int i = 0; i < 60; ++i) detail.points.push_back({near(40.0).cast<float>(), near(40.0).cast<float>()});
  for (int i = 0; i < 10; ++i) {
    detail.planes.emplace_back();
    for (auto* corners : {&detail.planes.back().source, &detail.planes.back().target})
      for (Eigen::Vector3f& corner : *corners) corner = near(40.0).cast<float>();
  }
  for (std::size_t i = 0; i < kKeyframes / 2 + kRefused; ++i) {
    apps::ReportedLoop loop;
    loop.attempt.from = i % (kKeyframes / 2);
    loop.attempt.to = i % (kKeyframes / 2) + kKeyframes / 2;
    loop.attempt.status = Status::success;
    loop.attempt.verdict = i < kKeyframes / 2 ? slam::LoopVerdict::accepted : slam::LoopVerdict::contradicts_odometry;
    loop.attempt.T_from_to = motion(Vector6d::Constant(0.1 + 1e-5 * static_cast<double>(i)));
    loop.attempt.covariance = 1e-4 * Matrix6d::Identity();
    const bool accepted = i < kKeyframes / 2, surprising = i % 61 == 7;
    loop.error = apps::AttemptError{12.3456789, 45.6789, 0.123456, 0.98765, 5.4321, accepted != surprising};
    loop.detail = detail;
    if (i % 61 == 9) {
      loop.attempt.status = Status::degenerate;
      loop.attempt.verdict = slam::LoopVerdict::not_registered;
      loop.error->right = false;
      loop.detail = {};
    }
    page.loops.push_back(loop);
  }
  page.scan = [](std::size_t) -> const datasets::Points& { return scan; };
  for (std::size_t i = 0; i < 1'500'000; ++i) page.map.push_back(near(300.0).cast<float>());
  return page;
}

}  // namespace

TEST_CASE("the page of a long drive stays below 15 MB, and says what it leaves out", "[slam_app][report][slow]") {
  const TemporaryFolder folder;
  const PageJson report = apps::slam_report(large_page());
  apps::write_report(folder.path(), report);
  CHECK(std::filesystem::file_size(folder / "report.html") < 15'000'000);
  CHECK(report["loops"].size() == 3250);
  std::size_t opened = 0, surprising = 0, unregistered = 0;
  for (const PageJson& loop : report["loops"]) {
    opened += loop.contains("detail") ? 1 : 0;
    if (!loop["registered"]) {
      CHECK_FALSE(loop.contains("detail"));
      unregistered += report["scans"].contains(std::to_string(loop["from"].get<std::size_t>())) ? 1 : 0;
    } else if (loop["accepted"] != loop["right"]) {
      ++surprising;
      CHECK(loop.contains("detail"));
      CHECK(report["scans"].contains(std::to_string(loop["to"].get<std::size_t>())));
    }
  }
  CHECK(surprising == 54);
  CHECK(unregistered >= 10);
  CAPTURE(std::filesystem::file_size(folder / "report.html"), opened, report["scans"].size(), report["map"]["count"],
          report["notes"].dump(1));
  CHECK(opened > 400);
  CHECK(report["map"]["count"].get<std::size_t>() > 500'000);
  CHECK(report["notes"].size() >= 3);
  CHECK(report["scans"].front()["count"].get<std::size_t>() >= 200);
}
