#include <datasets/asl_csv.hpp>
#include <datasets/eth.hpp>
#include <datasets/fragment_pairs.hpp>
#include <datasets/resso.hpp>
#include <datasets/scan_io.hpp>

#include "files.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using Catch::Matchers::ContainsSubstring;
using namespace parte::datasets;

namespace {

namespace fs = std::filesystem;

const std::string kTurn = "0 -1 0 1.5\n1 0 0 -2\n0 0 1 0.25\n0 0 0 1\n";
const std::string kLog = "0\t 5\t 60\r\n" + kTurn + "\n2 3 60\n" + kTurn;

std::string info(const std::string& heading) {
  std::string text = heading + "\n";
  for (int row = 0; row < 6; ++row) {
    for (int column = 0; column < 6; ++column) text += std::to_string(10 * row + column) + "\t";
    text += "\n";
  }
  return text;
}

void put(const TemporaryFolder& folder, const std::string& name, const std::string& text) {
  fs::create_directories((folder / name).parent_path());
  (void)folder.write(name, text);
}

std::string pose_row(int id, double x) {
  return std::to_string(id) + ", 12.5, 1, 0, 0, " + std::to_string(x) + ", 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1\n";
}
const std::string kPoseHeading =
    "poseId, timestamp, T00, T01, T02, T03, T10, T11, T12, T13, T20, T21, T22, T23, T30, T31, T32, T33\n";

}  // namespace

TEST_CASE("gt.log maps the second cloud onto the first", "[pairs]") {
  const auto entries = parse_gt_log(kLog, "gt.log");
  REQUIRE(entries.size() == 2);
  REQUIRE((entries[0].i == 0 && entries[0].j == 5 && entries[1].i == 2 && entries[1].j == 3));
  REQUIRE((entries[1].value * Eigen::Vector3d(1, 0, 0) - Eigen::Vector3d(1.5, -1, 0.25)).norm() < 1e-12);
  REQUIRE(parse_gt_log("", "gt.log").empty());
}

TEST_CASE("a bad gt.log is refused where it is bad", "[pairs]") {
  const auto [text, expected] = GENERATE(table<std::string, std::string>({
      {"0 1\n" + kTurn, "line 1: expected \"i j n\""},
      {"0 1 2 3\n" + kTurn, "line 1: expected \"i j n\""},
      {"0 x 2\n" + kTurn, "line 1: \"x\" is not a whole number"},
      {"0 2 2\n" + kTurn, "line 1: cloud 2 is not one of 2"},
      {"-1 1 2\n" + kTurn, "line 1: cloud -1"},
      {"1 1 2\n" + kTurn, "line 1: a pair needs two clouds"},
      {"0 1 2\n1 0 0\n", "line 2: expected row 1 of 4 with 4 numbers, found 3"},
      {"0 1 2\n1 0 0 0\n0 1 0 0\n", "line 1: only 2 of 4 rows follow"},
      {"0 1 2\n1 0 0 0\n0 1 0 nan\n0 0 1 0\n0 0 0 1", "\"nan\" is not a finite number"},
      {"0 1 2\n1 0 0 0\n0 3 0 0\n0 0 1 0\n0 0 0 1", "not a rigid transform"},
  }));
  REQUIRE_THAT(io_error_of([&, bad = text] { (void)parse_gt_log(bad, "gt.log"); }),
               ContainsSubstring("gt.log: ") && ContainsSubstring(expected));
}

TEST_CASE("gt.info is read as it stands", "[pairs]") {
  const auto entries = parse_gt_info(info("0 5 60"), "gt.info");
  REQUIRE(entries.size() == 1);
  REQUIRE(entries[0].value(2, 4) == 24.0);
  REQUIRE(entries[0].value(4, 2) == 42.0);
  REQUIRE_THAT(io_error_of([] { (void)parse_gt_info("0 1 2\n1 2 3 4 5\n", "gt.info"); }), ContainsSubstring("line 2"));
}

TEST_CASE("a scene of 3DMatch is found in each of its layouts", "[pairs]") {
  const TemporaryFolder folder;
  const std::string log = GENERATE("kitchen-evaluation/", "kitchen/", "gt_result/kitchen-evaluation/");
  const std::string clouds = GENERATE("kitchen/", "fragments/kitchen/");
  put(folder, log + "gt.log", kLog);
  put(folder, log + "gt.info", info("2 3 60"));
  put(folder, clouds + "cloud_bin_0.ply", "");
  if (log == "kitchen/" && clouds != log) return;  // there root/kitchen is for the clouds
  const auto pairs = read_3dmatch_scene(folder.path(), "kitchen");
  REQUIRE(pairs.size() == 2);
  REQUIRE(pairs[0].source == (folder / clouds / "cloud_bin_5.ply").string());
  REQUIRE(pairs[0].target == (folder / clouds / "cloud_bin_0.ply").string());
  REQUIRE(pairs[0].group == "kitchen");
  REQUIRE((pairs[0].T_target_source * Eigen::Vector3d(1, 0, 0) - Eigen::Vector3d(1.5, -1, 0.25)).norm() < 1e-12);
  REQUIRE_FALSE(pairs[0].information);
  REQUIRE((*pairs[1].information)(1, 0) == 10.0);
}

TEST_CASE("3DLoMatch has lists of its own for the same clouds", "[pairs]") {
  const TemporaryFolder folder;
  put(folder, "data/kitchen/cloud_bin_0.ply", "");
  put(folder, "data/kitchen/gt.log", kLog);
  put(folder, "lo/kitchen/gt.log", "0 1 2\n" + kTurn);
  REQUIRE(read_3dmatch_scene(folder / "data", "kitchen").size() == 2);
  const auto pairs = read_3dmatch_scene(folder / "data", "kitchen", folder / "lo");
  REQUIRE(pairs.size() == 1);
  REQUIRE(pairs[0].source == (folder / "data/kitchen/cloud_bin_1.ply").string());
}

TEST_CASE("a missing scene lists where it was looked for", "[pairs]") {
  const TemporaryFolder folder;
  REQUIRE_THAT(io_error_of([&] { (void)read_3dmatch_scene(folder.path(), "kitchen"); }),
               ContainsSubstring("fragments/kitchen"));
  put(folder, "kitchen/cloud_bin_0.ply", "");
  REQUIRE_THAT(io_error_of([&] { (void)read_3dmatch_scene(folder.path(), "kitchen"); }),
               ContainsSubstring("kitchen-evaluation/gt.log") && ContainsSubstring("kitchen/gt.log") &&
                   ContainsSubstring("gt_result/kitchen-evaluation/gt.log"));
}

TEST_CASE("the shared layout of ETH is one of gt.log", "[pairs]") {
  const TemporaryFolder folder;
  put(folder, "wood_autmn/gt.log", kLog);
  const auto pairs = read_eth_scene(folder.path(), GENERATE("wood_autmn", "wood_autumn"));
  REQUIRE(pairs.size() == 2);
  REQUIRE(pairs[1].source == (folder / "wood_autmn/Hokuyo_3.ply").string());
  REQUIRE(pairs[1].target == (folder / "wood_autmn/Hokuyo_2.ply").string());
}

TEST_CASE("the original layout of ETH chooses pairs by overlap", "[pairs]") {
  const TemporaryFolder folder;
  const std::string poses = GENERATE("csv_global/", "leica/", "");
  put(folder, "gazebo_summer/" + poses + "pose_scanner_leica.csv",
      kPoseHeading + pose_row(0, 1) + pose_row(1, 3) + pose_row(2, 7));
  put(folder, "gazebo_summer/csv_local/Hokuyo_0.csv", "timestamp,x,y,z\n");
  put(folder, "gazebo_summer/overlap_gazebo_summer.csv", "1,0.9,0.5\n0.8,1,0.4\n0.2,0.3,1\n");
  const auto pairs = read_eth_scene(folder.path(), "gazebo_summer");
  REQUIRE(pairs.size() == 2);  // 0-2 overlap too little as seen from 2
  REQUIRE(pairs[0].source == (folder / "gazebo_summer/csv_local/Hokuyo_1.csv").string());
  REQUIRE(pairs[0].target == (folder / "gazebo_summer/csv_local/Hokuyo_0.csv").string());
  REQUIRE((pairs[0].T_target_source.translation() - Eigen::Vector3d(2, 0, 0)).norm() < 1e-12);
  REQUIRE((pairs[1].T_target_source.translation() - Eigen::Vector3d(4, 0, 0)).norm() < 1e-12);
  REQUIRE(read_eth_scene(folder.path(), "gazebo_summer", {.min_overlap = 0.0}).size() == 3);
  REQUIRE_THROWS_AS(read_eth_scene(folder.path(), "gazebo_summer", {.min_overlap = 2.0}), std::invalid_argument);
}

TEST_CASE("what a scene of ETH lacks is named", "[pairs]") {
  const TemporaryFolder folder;
  const auto error = [&] { return io_error_of([&] { (void)read_eth_scene(folder.path(), "wood_summer"); }); };
  REQUIRE_THAT(error(), ContainsSubstring("wood_summer: is not a folder"));
  fs::create_directories(folder / "wood_summer");
  REQUIRE_THAT(error(), ContainsSubstring("expected gt.log or the true poses") &&
                            ContainsSubstring("csv_global/pose_scanner_leica.csv"));
  put(folder, "wood_summer/pose_scanner_leica.csv", kPoseHeading + pose_row(0, 1) + pose_row(1, 1));
  REQUIRE_THAT(error(), ContainsSubstring("Hokuyo_0.csv"));
  put(folder, "wood_summer/Hokuyo_0.csv", "x,y,z\n");
  REQUIRE_THAT(error(), ContainsSubstring("overlap_wood_summer.csv"));
  put(folder, "wood_summer/overlap.csv", "1\n");
  REQUIRE_THAT(error(), ContainsSubstring("is of 1 scans, but there are 2 poses"));
}

TEST_CASE("an ETH scan has its coordinates in named columns", "[io]") {
  const TemporaryFolder folder;
  put(folder, "a.csv", "timestamp, x, y, z, intensities\r\n1.5, 1, 2, 3, 9\r\n1.6,-4,5e-1,nan,9\r\n");
  const Points points = read_scan(folder / "a.csv");
  REQUIRE(points.size() == 2);
  REQUIRE(points[0] == Eigen::Vector3f(1, 2, 3));
  REQUIRE((points[1].x() == -4.0f && points[1].y() == 0.5f && std::isnan(points[1].z())));
}

TEST_CASE("bad tables of ETH are named", "[pairs]") {
  const auto poses = [](const std::string& text) { return io_error_of([&] { (void)parse_asl_poses(text, "p.csv"); }); };
  REQUIRE_THAT(poses(kPoseHeading + "0, 1, 2\n"), ContainsSubstring("line 2: expected 18 values"));
  REQUIRE_THAT(poses(kPoseHeading + pose_row(1, 0)), ContainsSubstring("line 2: expected poseId 0"));
  REQUIRE_THAT(poses(pose_row(0, 0) + kPoseHeading), ContainsSubstring("line 2: "));
  const auto overlaps = [](const std::string& text) {
    return io_error_of([&] { (void)parse_asl_overlaps(text, "o.csv"); });
  };
  REQUIRE_THAT(overlaps(""), ContainsSubstring("has 0 rows"));
  REQUIRE_THAT(overlaps("1,0\n"), ContainsSubstring("has 1 rows; expected as many as columns, which are 2"));
  REQUIRE_THAT(overlaps("1,0\n1\n"), ContainsSubstring("line 2: expected 2 values"));
  REQUIRE_THAT(overlaps("1,0\n1.5,1\n"), ContainsSubstring("line 2: \"1.5\" is not an overlap"));
}

TEST_CASE("RESSO pairs every partial scan with the full one", "[pairs]") {
  const TemporaryFolder folder;
  const std::string ahead = "1 0 0 4\n0 1 0 0\n0 0 1 0\n0 0 0 1\n";
  put(folder, "6a/list.reg", "3\nfull.ply\n" + ahead + "a.ply\n" + kTurn + "b.ply\n" + ahead);
  const auto pairs = read_resso_pairs(folder / "6a/list.reg");
  REQUIRE(pairs.size() == 2);
  REQUIRE(pairs[0].source == (folder / "6a/a.ply").string());
  REQUIRE(pairs[0].target == (folder / "6a/full.ply").string());
  REQUIRE(pairs[0].group == "6a");
  // (1, 0, 0) of a is (1.5, -1, 0.25) of the room, which the full scan sees from (4, 0, 0).
  REQUIRE((pairs[0].T_target_source * Eigen::Vector3d(1, 0, 0) - Eigen::Vector3d(-2.5, -1, 0.25)).norm() < 1e-12);
  REQUIRE(pairs[1].T_target_source.isApprox(Eigen::Isometry3d::Identity()));
  const auto other = read_resso_pairs(folder / "6a/list.reg", "b.ply");
  REQUIRE(other[0].source == (folder / "6a/full.ply").string());
  REQUIRE_THAT(io_error_of([&] { (void)read_resso_pairs(folder / "6a/list.reg", "c.ply"); }),
               ContainsSubstring("has no scan \"c.ply\""));
}

TEST_CASE("a bad RESSO list is refused", "[pairs]") {
  const auto [text, expected] = GENERATE(table<std::string, std::string>({
      {"", "has 0 scans"},
      {"0\n", "has 0 scans"},
      {"many\n", "line 1: \"many\" is not a whole number"},
      {"a.ply\n" + kTurn, "line 1: "},
      {"2\na.ply\n" + kTurn, "has 1 scans; expected 2"},
      {"18446744073709551615\na.ply\n" + kTurn, "has 1 scans"},
      {"1\na b.ply\n" + kTurn, "line 2: expected the file name"},
      {"1\na.ply\n1 0 0 0\n", "line 2: only 1 of 4 rows follow"},
  }));
  REQUIRE_THAT(io_error_of([bad = text] { (void)parse_resso(bad, "l.reg"); }), ContainsSubstring(expected));
}
