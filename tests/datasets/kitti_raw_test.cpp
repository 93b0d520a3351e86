#include <datasets/kitti_raw.hpp>

#include "files.hpp"

#include <cstdio>
#include <numbers>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using Catch::Matchers::ContainsSubstring;
using namespace parte::datasets;

namespace {

namespace fs = std::filesystem;

constexpr double kLatitude = 49.0;
/// Metres a degree on the devkit's sphere.
constexpr double kNorth = 6378137.0 * std::numbers::pi / 180.0;
const double kEast = kNorth * std::cos(kLatitude * std::numbers::pi / 180.0);

std::string oxts(double east, double north, double up, double yaw) {
  char line[200];
  // Mercator keeps angles: at the latitude of the origin a metre north is a metre of its y, too.
  std::snprintf(line, sizeof line, "%.14f %.14f %.6f 0 0 %.12f", kLatitude + north / kNorth, 8.0 + east / kEast,
                110.0 + up, yaw);
  std::string text = line;
  for (int k = 6; k < 30; ++k) text += " 0";
  return text + "\n";
}

/// A drive with scans 0, 1 and 3: 1 m east (ahead) a frame, then a turn to the left where it stands.
class SmallDrive {
 public:
  SmallDrive() {
    for (const char* name : {"velodyne_points/data", "oxts/data"}) fs::create_directories(drive() / name);
    write("../calib_imu_to_velo.txt", "calib_time: 25-May-2012 16:47:16\nR: 1 0 0 0 1 0 0 0 1\nT: -0.8 0.3 -0.8\n");
    write("../calib_velo_to_cam.txt", "R: 0 -1 0 0 0 -1 1 0 0\nT: 0 0 -0.3\ndelta_f: 0 0\n");
    write("velodyne_points/timestamps.txt",
          "2011-09-26 23:59:59.900000000\n2011-09-27 00:00:00.000000001\n2011-09-27 00:00:00.1\n"
          "2011-09-27 00:00:00.200000000\n");
    const double left = std::numbers::pi / 2;
    const std::string records[] = {oxts(0, 0, 0, 0), oxts(1, 0, 0, 0), oxts(2, 0, 0, 0), oxts(2, 0.5, 0.25, left)};
    for (int k = 0; k < 4; ++k) write("oxts/data/000000000" + std::to_string(k) + ".txt", records[k]);
    for (const int k : {0, 1, 3})
      write("velodyne_points/data/000000000" + std::to_string(k) + ".bin", std::string(16, '\0'));
  }
  [[nodiscard]] fs::path drive() const { return folder_ / "2011_09_26/2011_09_26_drive_0001_sync"; }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(drive() / name, std::ios::binary) << text;
  }
  [[nodiscard]] std::string error() const {
    return io_error_of([&] { (void)open_kitti_raw(drive()); });
  }

 private:
  TemporaryFolder folder_;
};

}  // namespace

TEST_CASE("a drive of KITTI raw moves as its GNSS says", "[kitti]") {
  const SmallDrive data;
  const Sequence sequence = open_kitti_raw(GENERATE(true, false) ? data.drive() : data.drive() / "");
  REQUIRE(sequence.name == "2011_09_26_drive_0001_sync");
  REQUIRE(sequence.ids == std::vector<int>{0, 1, 3});
  REQUIRE(sequence.times_s[0] == 0.0);
  REQUIRE(std::abs(sequence.times_s[1] - 0.100000001) < 1e-12);
  REQUIRE(std::abs(sequence.times_s[2] - 0.3) < 1e-12);
  REQUIRE(sequence.ground_truth[0].isApprox(Eigen::Isometry3d::Identity(), 1e-9));
  REQUIRE((sequence.ground_truth[1].translation() - Eigen::Vector3d(1, 0, 0)).norm() < 1e-6);
  // The IMU is at (-0.8, 0.3, -0.8) of the LiDAR: with the car turned left by 90 degrees the LiDAR, which was at
  // (0.8, -0.3, 0.8) of the IMU, is at (0.3, 0.8, 0.8) of where it stands, (2, 0.5, 0.25).
  const Eigen::Vector3d expected =
      Eigen::Vector3d(2, 0.5, 0.25) + Eigen::Vector3d(0.3, 0.8, 0.8) + Eigen::Vector3d(-0.8, 0.3, -0.8);
  REQUIRE((sequence.ground_truth[2].translation() - expected).norm() < 1e-5);
  REQUIRE((sequence.ground_truth[2].linear() * Eigen::Vector3d::UnitX() - Eigen::Vector3d::UnitY()).norm() < 1e-9);
  REQUIRE((sequence.T_camera_lidar * Eigen::Vector3d(10, 1, 2) - Eigen::Vector3d(-1, -2, 9.7)).norm() < 1e-12);
  REQUIRE(sequence.read(2).size() == 1);
}

TEST_CASE("roll, pitch and yaw turn about x, y and z in that order", "[kitti]") {
  Oxts origin{kLatitude, 8.0, 100.0, 0, 0, 0}, turned = origin;
  turned.roll_rad = 0.1;
  turned.pitch_rad = 0.2;
  turned.yaw_rad = 0.3;
  // Rows of Rz Ry Rx written out.
  const double cr = std::cos(0.1), sr = std::sin(0.1), cp = std::cos(0.2), sp = std::sin(0.2), cy = std::cos(0.3),
               sy = std::sin(0.3);
  Eigen::Matrix3d expected;
  expected << cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, sy * cp, sy * sp * sr + cy * cr,
      sy * sp * cr - cy * sr, -sp, cp * sr, cp * cr;
  REQUIRE((mercator_pose(turned, origin).linear() - expected).norm() < 1e-12);
}

TEST_CASE("what a drive lacks is named", "[kitti]") {
  const SmallDrive data;
  const auto [gone, expected] = GENERATE(table<std::string, std::string>({
      {"velodyne_points/data", "velodyne_points/data: cannot be listed"},
      {"velodyne_points/timestamps.txt", "timestamps.txt: is not there; expected the dates"},
      {"oxts", "oxts/data: is not there; expected the GNSS/IMU data"},
      {"oxts/data/0000000003.txt", "no file of frame 3, which has a scan (3 files for 3 scans)"},
      {"../calib_imu_to_velo.txt", "calib_imu_to_velo.txt: is not there; expected the IMU to LiDAR calibration"},
      {"../calib_velo_to_cam.txt", "calib_velo_to_cam.txt: is not there; expected the LiDAR to camera calibration"},
      {"", "is not there; expected a drive of KITTI raw"},
  }));
  fs::remove_all((data.drive() / gone).lexically_normal());
  if (gone.empty()) fs::remove_all(data.drive());
  REQUIRE_THAT(data.error(), ContainsSubstring(expected));
}

TEST_CASE("fewer dates than scans are refused", "[kitti]") {
  const SmallDrive data;
  data.write("velodyne_points/timestamps.txt", "2011-09-26 13:02:25.1\n");
  REQUIRE_THAT(data.error(), ContainsSubstring("has 1 dates, but the scans go up to frame 3"));
}

TEST_CASE("bad dates, records and calibrations are named", "[kitti]") {
  for (const std::string bad :
       {"2011-09-26", "2011-09 13:02:25", "2011-13-26 13:02:25", "2011-02-30 13:02:25", "2011-09-26 24:02:25",
        "2011-09-26 13:61:25", "2011-09-26 13:02:75", "2011-09-26 13:02:nan", "2011-09-26 13:02", "x-09-26 13:02:25"})
    REQUIRE_THAT(io_error_of([&] { (void)parse_kitti_timestamps("2011-09-26 13:02:25\n" + bad, "t.txt"); }),
                 ContainsSubstring("t.txt: line 2: "));
  const std::string good = oxts(0, 0, 0, 0);
  for (const std::string& bad : {std::string(), std::string("1 2 3"), "x" + good, "1" + good, good + good, good + " 1"})
    REQUIRE_THAT(io_error_of([&] { (void)parse_oxts(bad, "o.txt"); }), ContainsSubstring("o.txt: "));
  for (const std::string bad : {"", "R: 1 0 0 0 1 0 0 0 1\n", "T: 1 2 3\n", "R: 1 0 0 0 1 0 0 0\nT: 1 2 3",
                                "R: 1 0 0 0 1 0 0 0 2\nT: 1 2 3", "R: 1 0 0 0 1 0 0 0 1\nT: 1 2 x"})
    REQUIRE_THAT(io_error_of([&] { (void)parse_kitti_raw_calib(bad, "c.txt"); }), ContainsSubstring("c.txt: "));
}
