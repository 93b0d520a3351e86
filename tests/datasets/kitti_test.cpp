#include <datasets/kitti.hpp>

#include <datasets/bytes.hpp>
#include <datasets/trajectory.hpp>

#include "files.hpp"

#include <numbers>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using Catch::Matchers::ContainsSubstring;
using namespace parte::datasets;

namespace {

namespace fs = std::filesystem;

/// Camera axes: x right, y down, z forward, 0.3 m ahead of the LiDAR.
const std::string kCalib = "P0: 7 0 6 0 0 7 1 0 0 0 1 0\nTr: 0 -1 0 0 0 0 -1 0 1 0 0 -0.3\n";

/// What open_kitti() finds in a dataset of three scans, 1, 4 and 5 of six frames.
class SmallKitti {
 public:
  SmallKitti() {
    fs::create_directories(sequence() / "velodyne");
    fs::create_directories(root() / "poses");
    for (const int id : {1, 4, 5}) add_scan("00000" + std::to_string(id) + ".bin", static_cast<float>(id));
    write("calib.txt", kCalib);
    write("times.txt", "0\n0.1\n0.2\n0.3\n0.45\n0.5\n");
    write_kitti_poses(root() / "poses/07.txt", forward(1.0));
  }
  [[nodiscard]] const fs::path& root() const { return folder_.path(); }
  [[nodiscard]] fs::path sequence() const { return root() / "sequences/07"; }
  void write(const std::string& name, const std::string& text) const {
    (void)folder_.write("sequences/07/" + name, text);
  }
  void add_scan(const std::string& name, float x) const {
    std::string bytes;
    for (const float value : {x, 0.0f, 0.0f, 0.5f}) append(bytes, value, std::endian::little);
    write("velodyne/" + name, bytes);
  }
  /// Six camera poses, so much ahead a frame: along the camera's z.
  static std::vector<Eigen::Isometry3d> forward(double step) {
    std::vector<Eigen::Isometry3d> poses(6, Eigen::Isometry3d::Identity());
    for (int k = 0; k < 6; ++k) poses[static_cast<std::size_t>(k)].translation().z() = step * k;
    return poses;
  }
  [[nodiscard]] std::string error(const KittiOptions& options = {}) const {
    return io_error_of([&] { (void)open_kitti(root(), "07", options); });
  }

 private:
  TemporaryFolder folder_;
};

/// Sets variables and the current folder, and puts them back.
class Surroundings {
 public:
  Surroundings(const fs::path& here, const fs::path& home, const std::string& kitti_root) {
    fs::current_path(here);
    setenv("HOME", home.c_str(), 1);
    setenv("KITTI_ROOT", kitti_root.c_str(), 1);
  }
  ~Surroundings() {
    fs::current_path(here_);
    setenv("HOME", home_.c_str(), 1);
    setenv("KITTI_ROOT", root_.c_str(), 1);
  }

 private:
  static std::string value(const char* name) { return std::getenv(name) ? std::getenv(name) : ""; }
  fs::path here_ = fs::current_path();
  std::string home_ = value("HOME"), root_ = value("KITTI_ROOT");
};

double elevation_deg(const Eigen::Vector3f& p) {
  return std::atan2(p.z(), std::hypot(p.x(), p.y())) * 180.0 / std::numbers::pi;
}

}  // namespace

TEST_CASE("a part of a KITTI sequence keeps its frame numbers, times and poses", "[kitti]") {
  const SmallKitti data;
  const Sequence sequence = open_kitti(data.root(), GENERATE("07", "7"));
  REQUIRE(sequence.name == "KITTI 07");
  REQUIRE(sequence.ids == std::vector<int>{1, 4, 5});
  REQUIRE(sequence.times_s == std::vector<double>{0.1, 0.45, 0.5});
  REQUIRE(sequence.ground_truth.size() == 3);
  // Ahead is the LiDAR's x.
  REQUIRE((sequence.ground_truth[1].translation() - Eigen::Vector3d(4, 0, 0)).norm() < 1e-12);
  REQUIRE((sequence.T_camera_lidar * Eigen::Vector3d(10, 1, 2) - Eigen::Vector3d(-1, -2, 9.7)).norm() < 1e-12);
  const Points points = sequence.read(2);
  REQUIRE(points.size() == 1);
  REQUIRE(std::abs(points[0].norm() - 5.0f) < 1e-5f);
  REQUIRE(std::abs(elevation_deg(points[0]) - KittiOptions{}.elevation_correction_deg) < 1e-4);
  REQUIRE(open_kitti(data.root(), "07", {.elevation_correction_deg = 0.0}).read(2)[0] == Eigen::Vector3f(5, 0, 0));
}

TEST_CASE("SemanticKITTI's poses are preferred to the official ones", "[kitti]") {
  const SmallKitti data;
  const auto step = [&](KittiTruth truth) {
    const auto poses = open_kitti(data.root(), "07", {.ground_truth = truth}).ground_truth;
    return poses.empty() ? 0.0 : poses[0].translation().x();
  };
  REQUIRE(std::abs(step(KittiTruth::best) - 1.0) < 1e-12);
  fs::create_directories(data.root() / "semantickitti_poses");
  write_kitti_poses(data.root() / "semantickitti_poses/07.txt", SmallKitti::forward(2.0));
  REQUIRE(std::abs(step(KittiTruth::best) - 2.0) < 1e-12);
  write_kitti_poses(data.sequence() / "poses.txt", SmallKitti::forward(3.0));
  REQUIRE(std::abs(step(KittiTruth::best) - 3.0) < 1e-12);
  REQUIRE(std::abs(step(KittiTruth::semantic) - 3.0) < 1e-12);
  REQUIRE(std::abs(step(KittiTruth::official) - 1.0) < 1e-12);
  REQUIRE(step(KittiTruth::none) == 0.0);
  write_kitti_poses(data.root() / "mine.txt", SmallKitti::forward(4.0));
  const KittiOptions mine{.ground_truth = KittiTruth::file, .ground_truth_file = data.root() / "mine.txt"};
  REQUIRE((open_kitti(data.root(), "07", mine).ground_truth[0].translation() - Eigen::Vector3d(4, 0, 0)).norm() <
          1e-12);
}

TEST_CASE("ground truth that was asked for must be there", "[kitti]") {
  const SmallKitti data;
  REQUIRE_THAT(data.error({.ground_truth = KittiTruth::semantic}),
               ContainsSubstring("sequences/07/poses.txt") && ContainsSubstring("semantickitti_poses/07.txt"));
  fs::remove(data.root() / "poses/07.txt");
  REQUIRE_THAT(data.error({.ground_truth = KittiTruth::official}), ContainsSubstring("poses/07.txt: is not there"));
  REQUIRE_THAT(data.error({.ground_truth = KittiTruth::file, .ground_truth_file = "none.txt"}),
               ContainsSubstring("none.txt: is not there"));
  REQUIRE(open_kitti(data.root(), "07").ground_truth.empty());
  REQUIRE_THROWS_AS(open_kitti(data.root(), "07", {.ground_truth = KittiTruth::file}), std::invalid_argument);
  REQUIRE_THROWS_AS(open_kitti(data.root(), "07", {.elevation_correction_deg = std::nan("")}), std::invalid_argument);
}

TEST_CASE("KITTI files that do not fit together are refused with their counts", "[kitti]") {
  const SmallKitti data;
  SECTION("too few poses") {
    auto poses = SmallKitti::forward(1.0);
    poses.pop_back();
    write_kitti_poses(data.root() / "poses/07.txt", poses);
    REQUIRE_THAT(data.error(), ContainsSubstring("has 5 poses") && ContainsSubstring("up to frame 5") &&
                                   ContainsSubstring("at least 6"));
    REQUIRE(open_kitti(data.root(), "07", {.ground_truth = KittiTruth::none}).size() == 3);
  }
  SECTION("too few times") {
    data.write("times.txt", "0\n0.1\n");
    REQUIRE_THAT(data.error(), ContainsSubstring("times.txt: has 2 times"));
  }
  SECTION("no times: ten a second") {
    fs::remove(data.sequence() / "times.txt");
    REQUIRE(std::abs(open_kitti(data.root(), "07").times_s[1] - 0.4) < 1e-12);
  }
  SECTION("no calibration, which only ground truth needs") {
    fs::remove(data.sequence() / "calib.txt");
    REQUIRE_THAT(data.error(), ContainsSubstring("calib.txt: is not there; expected Tr"));
    REQUIRE(open_kitti(data.root(), "07", {.ground_truth = KittiTruth::none})
                .T_camera_lidar.isApprox(Eigen::Isometry3d::Identity()));
  }
  SECTION("calibration without Tr") {
    data.write("calib.txt", "P0: 7 0 6 0 0 7 1 0 0 0 1 0\n");
    REQUIRE_THAT(data.error(), ContainsSubstring("has no line \"Tr:\""));
  }
  SECTION("a scan whose name is no number") {
    data.add_scan("copy of 000001.bin", 1);
    REQUIRE_THAT(data.error(), ContainsSubstring("copy of 000001.bin: the name is not a frame number"));
  }
  SECTION("two scans of one frame") {
    data.add_scan("4.bin", 1);
    REQUIRE_THAT(data.error(), ContainsSubstring("is the same frame as"));
  }
  SECTION("hidden and other files are nobody's business") {
    data.add_scan("._000002.bin", 1);
    data.add_scan("readme.txt", 1);
    REQUIRE(open_kitti(data.root(), "07").size() == 3);
  }
  SECTION("no scans") {
    fs::remove_all(data.sequence() / "velodyne");
    REQUIRE_THAT(data.error(), ContainsSubstring("velodyne: cannot be listed"));
    fs::create_directories(data.sequence() / "velodyne");
    REQUIRE_THAT(data.error(), ContainsSubstring("holds no .bin file"));
  }
  SECTION("no such sequence") {
    REQUIRE_THAT(io_error_of([&] { (void)open_kitti(data.root(), "21"); }),
                 ContainsSubstring("21: is not a folder") && ContainsSubstring("has 07"));
  }
}

TEST_CASE("calibration and times say where they are wrong", "[kitti]") {
  const auto calib = [](const std::string& text) {
    return io_error_of([&] { (void)parse_kitti_calib(text, "c.txt"); });
  };
  REQUIRE(parse_kitti_calib("Tr_velo_to_cam: 1 0 0 1 0 1 0 2 0 0 1 3\r\n", "c").translation() ==
          Eigen::Vector3d(1, 2, 3));
  REQUIRE_THAT(calib("\nTr: 1 0 0"), ContainsSubstring("c.txt: line 2: expected 12 numbers after \"Tr:\", found 3"));
  REQUIRE_THAT(calib("Tr: 1 0 0 0 0 1 0 0 0 0 1 inf"), ContainsSubstring("not a finite number"));
  REQUIRE_THAT(calib("Tr: 5 0 0 0 0 1 0 0 0 0 1 0"), ContainsSubstring("not a rigid transform"));
  REQUIRE_THAT(calib(""), ContainsSubstring("no line \"Tr:\""));
  REQUIRE_THAT(io_error_of([] { (void)parse_kitti_times("0\n1 2\n", "t.txt"); }), ContainsSubstring("t.txt: line 2"));
  REQUIRE_THAT(io_error_of([] { (void)parse_kitti_times("0\nnan\n", "t.txt"); }), ContainsSubstring("t.txt: line 2"));
}

TEST_CASE("camera and LiDAR frames are inverse to each other", "[kitti]") {
  const Eigen::Isometry3d Tr = parse_kitti_calib(kCalib, "c");
  // The camera turns left by 90 degrees about its own centre, 0.3 m ahead of the LiDAR: the LiDAR swings around it.
  Eigen::Isometry3d camera = Eigen::Isometry3d::Identity();
  camera.linear() = Eigen::AngleAxisd(-std::numbers::pi / 2, Eigen::Vector3d::UnitY()).toRotationMatrix();
  const auto lidar = to_lidar_frame({camera}, Tr);
  REQUIRE((lidar[0].translation() - Eigen::Vector3d(0.3, -0.3, 0)).norm() < 1e-12);
  REQUIRE((lidar[0].linear() * Eigen::Vector3d::UnitX() - Eigen::Vector3d::UnitY()).norm() < 1e-12);
  REQUIRE(to_camera_frame(lidar, Tr)[0].isApprox(camera, 1e-12));
}

TEST_CASE("the elevation rises by the angle and nothing else changes", "[kitti]") {
  Points points;
  for (int k = 0; k < 200; ++k)
    points.emplace_back(20.0f * std::cos(0.7f * float(k)), 3.0f + float(k % 13), -8.0f + 0.08f * float(k));
  const double degrees = GENERATE(0.205, -1.5, 3.0);
  Points turned = points;
  correct_elevation(turned, degrees);
  for (std::size_t k = 0; k < points.size(); ++k) {
    const Eigen::Vector3d before = points[k].cast<double>(), after = turned[k].cast<double>();
    REQUIRE(std::abs(elevation_deg(turned[k]) - elevation_deg(points[k]) - degrees) < 1e-4);
    // The rotation about p x z, by the formula of Rodrigues.
    const Eigen::Vector3d axis = before.cross(Eigen::Vector3d::UnitZ()).normalized();
    const Eigen::Vector3d expected = Eigen::AngleAxisd(degrees * std::numbers::pi / 180.0, axis) * before;
    REQUIRE((after - expected).norm() < 1e-5);
  }
}

TEST_CASE("points without elevation stay as they are", "[kitti]") {
  Points points = {{0, 0, 5}, {0, 0, 0}, {std::nanf(""), 1, 2}};
  correct_elevation(points, 0.205);
  REQUIRE(points[0] == Eigen::Vector3f(0, 0, 5));
  REQUIRE(points[1] == Eigen::Vector3f(0, 0, 0));
  REQUIRE(std::isnan(points[2].x()));
}

TEST_CASE("the KITTI root is found where it usually is", "[kitti]") {
  const TemporaryFolder folder;
  for (const char* name : {"here", "home", "far/dataset/sequences"}) fs::create_directories(folder / name);
  const Surroundings at(folder / "here", folder / "home", "");
  const std::string missing = io_error_of([] { (void)find_kitti_root(); });
  for (const char* place : {"./sequences", "./dataset/sequences", "kitti/sequences", "data/kitti/dataset/sequences",
                            "home/kitti/dataset/sequences", "home/data/kitti/sequences", "velodyne laser data",
                            "calibration files", "ground truth poses", "80 GB"})
    REQUIRE_THAT(missing, ContainsSubstring(place));
  fs::create_directories(folder / "home/data/kitti/sequences");
  REQUIRE(fs::equivalent(find_kitti_root(), folder / "home/data/kitti"));
  fs::create_directories(folder / "here/data/kitti/dataset/sequences");
  REQUIRE(fs::equivalent(find_kitti_root(), folder / "here/data/kitti/dataset"));
  setenv("KITTI_ROOT", (folder / "far").c_str(), 1);
  REQUIRE(fs::equivalent(find_kitti_root(), folder / "far/dataset"));
  REQUIRE(fs::equivalent(find_kitti_root(folder / "home/data/kitti"), folder / "home/data/kitti"));
  // A wrong answer is not mended by a guess.
  REQUIRE_THAT(io_error_of([&] { (void)find_kitti_root(folder / "wrong"); }),
               ContainsSubstring("the folder given") && ContainsSubstring("wrong/dataset/sequences"));
  setenv("KITTI_ROOT", (folder / "wrong").c_str(), 1);
  REQUIRE_THAT(io_error_of([] { (void)find_kitti_root(); }), ContainsSubstring("$KITTI_ROOT"));
}
