#include <apps/slam_graph.hpp>
#include <apps/slam_output.hpp>
#include <datasets/file.hpp>
#include <datasets/g2o.hpp>
#include <datasets/scan_io.hpp>
#include <datasets/trajectory.hpp>
#include <slam/graph_edges.hpp>

#include "program.hpp"
#include "report_page.hpp"
#include "slam_world.hpp"

#include <algorithm>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

namespace {

using namespace parte;
using Catch::Matchers::ContainsSubstring;

Outcome parte_slam(const TemporaryFolder& folder, const std::string& arguments, const std::string& ending = "") {
  return run_program(folder, PARTE_SLAM_PROGRAM, arguments, ending);
}

/// With a signal as soon as a file is there. The run must take longer than that.
Outcome interrupted(const TemporaryFolder& folder, const std::string& arguments, const std::string& file) {
  return parte_slam(folder, arguments,
                    "& pid=$!; while [ ! -e " + file + " ]; do sleep 0.02; done; kill -TERM $pid; wait $pid");
}

/// The drive as a folder of scans, with its true poses.
void write_scans(const std::filesystem::path& folder) {
  std::filesystem::create_directories(folder);
  for (std::size_t i = 0; i < slam_world().size(); ++i) {
    std::string name = std::to_string(i);
    name.insert(0, 6 - name.size(), '0');
    datasets::write_bin(folder / (name + ".bin"), slam_world().scan(i));
  }
  datasets::write_kitti_poses(folder / "poses.txt", slam_world().sequence().ground_truth);
}

}  // namespace

TEST_CASE("wrong usage of parte_slam is said in a line, with exit status 2", "[slam_app][program]") {
  const TemporaryFolder folder;
  for (const auto& [arguments, message] :
       std::vector<std::pair<std::string, std::string>>{{"", "--demo"},
                                                        {"--kitti 00 --demo", "--demo"},
                                                        {"--replay . --voxel -1", "--voxel"},
                                                        {"--demo --frames 5", "--frames"},
                                                        {"--demo --frames 5000:6000", "has frames 0 to"},
                                                        {"--demo --odometry file.txt", "--odometry"},
                                                        {"--demo moon", "--demo"},
                                                        {"--demo --lidar sonar", "choose one of hdl64e vlp16"},
                                                        {"--demo indoor --lidar vlp16", "depth camera"},
                                                        {"--demo circuit --length-m 50", "1000 to 4000"},
                                                        {"--graph x.g2o", "--scans"}}) {
    const Outcome outcome = parte_slam(folder, arguments);
    CAPTURE(arguments, outcome.err);
    CHECK(outcome.code == 2);
    CHECK_THAT(outcome.err, ContainsSubstring(message));
  }
}

TEST_CASE("without data parte_slam says what it looked for and what needs none", "[slam_app][program]") {
  const TemporaryFolder folder;
  const Outcome outcome = parte_slam(folder, "--kitti 00");
  CHECK(outcome.code == 1);
  CHECK_THAT(outcome.err, ContainsSubstring("sequences/NN/velodyne") && ContainsSubstring("KITTI_ROOT") &&
                              ContainsSubstring("--demo needs none") && ContainsSubstring("velodyne laser data"));
  CHECK_THAT(parte_slam(folder, "--replay nowhere").err, ContainsSubstring("nowhere"));
}

TEST_CASE("settings survive the way through a file", "[slam_app][program]") {
  const TemporaryFolder folder;
  const std::string input = GENERATE("--demo reverse", "--demo indoor", "--kitti 05", "--replay there");
  const Outcome dumped = parte_slam(folder, input + " --voxel 0.4 --no-degrade --max-attempts 5 --dump-config");
  REQUIRE(dumped.code == 0);
  (void)folder.write("settings.toml", dumped.out);
  const Outcome again = parte_slam(folder, "--config settings.toml --dump-config");
  CAPTURE(again.err);
  CHECK(again.out == dumped.out);
  CHECK_THAT(again.out, ContainsSubstring("voxel=0.4") && ContainsSubstring("max-attempts=5"));
  (void)folder.write("wrong.toml", "voxels=0.3\n");
  const Outcome wrong = parte_slam(folder, "--demo --config wrong.toml");
  CHECK(wrong.code == 2);
  CHECK_THAT(wrong.err, ContainsSubstring("voxels"));
}

TEST_CASE("parte_slam maps a folder, goes on after a signal, and closes loops in a g2o file", "[slam_app][program]") {
  const TemporaryFolder folder;
  const std::string scans = "</script><script>";  // a folder in a folder, and nothing that a page may fall for
  write_scans(folder / scans);
  const std::string map = "--replay '" + scans + "' --degrade --keyframe-m 2 --loop-path-m 30 --out ";
  const Outcome whole = parte_slam(folder, map + "whole");
  CAPTURE(whole.out, whole.err);
  REQUIRE(whole.code == 0);
  CHECK_THAT(whole.out, ContainsSubstring("ATE RMSE") && ContainsSubstring("accepted") &&
                            ContainsSubstring("open whole/report.html in a browser"));
  CHECK(whole.out.find('\x1b') == std::string::npos);  // no colours in a file

  std::filesystem::create_directories(folder / "cut");
  for (const char* name : apps::kResultFiles) (void)folder.write(std::string("cut/") + name, "of an earlier run");
  const Outcome cut = interrupted(folder, map + "cut", "cut/config.toml");
  CAPTURE(cut.err);
  REQUIRE(cut.code == 130);
  for (const char* name : apps::kResultFiles) CHECK_FALSE(std::filesystem::exists(folder / "cut" / name));
  CHECK(parte_slam(folder, map + "cut").code == 2);  // it is not lost by mistake
  CHECK(parte_slam(folder, map + "cut --resume --voxel 0.5").code == 2);
  REQUIRE(parte_slam(folder, map + "cut --resume").code == 0);
  CHECK_THAT(parte_slam(folder, map + "cut --resume").err, ContainsSubstring("finished already"));
  for (const char* name : {"trajectory.tum", "trajectory_kitti.txt", "graph.g2o", "map.ply"})
    CHECK(datasets::read_file(folder / "whole" / name) == datasets::read_file(folder / "cut" / name));
  CHECK(timeless(page_data(folder / "whole/report.html")) == timeless(page_data(folder / "cut/report.html")));
  CHECK_THAT(page_data(folder / "whole/report.html")["config"], ContainsSubstring(scans));

  for (const auto& entry : std::filesystem::directory_iterator(folder / "whole")) {
    const std::string name = entry.path().filename().string();
    CHECK((name == "config.toml" || std::ranges::find(apps::kResultFiles, name) != apps::kResultFiles.end()));
  }
  const Outcome own = parte_slam(folder, map + "whole --odometry whole/trajectory_kitti.txt");
  CHECK(own.code == 2);
  CHECK_THAT(own.err, ContainsSubstring("would replace whole/trajectory_kitti.txt"));

  // The odometry alone as somebody's graph.
  datasets::PoseGraph graph = datasets::read_g2o(folder / "whole/graph.g2o");
  graph.edges.resize(graph.vertices.size() - 1);
  datasets::write_g2o(folder / "in.g2o", graph);
  const Outcome closed = parte_slam(folder, "--graph in.g2o --scans '" + scans + "' --loop-path-m 30 --out closed");
  CAPTURE(closed.out, closed.err);
  REQUIRE(closed.code == 0);
  const datasets::PoseGraph result = datasets::read_g2o(folder / "closed/graph.g2o");
  REQUIRE(result.edges.size() > graph.edges.size() + 3);
  const std::string before = datasets::read_file(folder / "in.g2o"),
                    after = datasets::read_file(folder / "closed/graph.g2o");
  CHECK(after.substr(0, before.size()) == before);
  const PageJson report = page_data(folder / "closed/report.html");
  CHECK(report["title"] == "in.g2o");
  CHECK(report["truth"].is_null());
  CHECK(report["warnings"].empty());
  CHECK(report["odometry"].size() == 3 * graph.vertices.size());
  CHECK(report["metrics"]["loops"]["accepted"] == result.edges.size() - graph.edges.size());
  CHECK(report["metrics"]["loops"]["tried"] == report["loops"].size());
  std::size_t opened = 0;
  for (const PageJson& loop : report["loops"]) opened += loop["accepted"] && loop.contains("detail") ? 1 : 0;
  CHECK(opened == result.edges.size() - graph.edges.size());
  CHECK(report["map"]["count"].get<std::size_t>() > 1000);
  CHECK(parte_slam(folder, "--graph closed/graph.g2o --scans '" + scans + "' --out closed").code ==
        2);  // it would be replaced
}

TEST_CASE("a graph whose closing was interrupted says so on its page", "[slam_app]") {
  const TemporaryFolder folder;
  write_scans(folder / "scans");
  datasets::PoseGraph graph;
  for (std::size_t i = 0; i < 6; ++i)
    graph.vertices.push_back({static_cast<long>(i), datasets::QuaternionPose(slam_world().poses()[i])});
  for (std::size_t i = 1; i < 6; ++i)
    graph.edges.push_back({static_cast<long>(i - 1), static_cast<long>(i),
                           datasets::QuaternionPose(slam_world().poses()[i - 1].inverse() * slam_world().poses()[i]),
                           slam::g2o_information(1e-4 * Matrix6d::Identity())});
  datasets::write_g2o(folder / "in.g2o", graph);
  apps::SlamConfig c;
  c.graph = (folder / "in.g2o").string();
  c.scans = (folder / "scans").string();
  c.out = (folder / "out").string();
  c.sensor = GENERATE("lidar", "rgbd");
  const int scans = GENERATE(3, 1000);
  int seen = 0;
  apps::close_graph(c, {}, [&] { return ++seen < scans; });
  const PageJson report = page_data(folder / "out/report.html");
  CHECK(report["warnings"].size() == (scans == 3 ? 1 : 0));
  if (scans == 3) CHECK_THAT(report["warnings"][0], ContainsSubstring("Interrupted"));
  CHECK(report["upright"] == (c.sensor == "lidar"));
}
