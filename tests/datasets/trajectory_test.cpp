#include <datasets/trajectory.hpp>

#include <datasets/random.hpp>

#include "files.hpp"

#include <cmath>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using namespace parte::datasets;

namespace {

const std::string kQuarterTurn = "0 -1 0 1.5 1 0 0 -2 0 0 1 0.25";
/// The same pose: a quarter turn about z.
const std::string kQuarterTurnTum = "1.5 -2 0.25 0 0 0.70710678 0.70710678";

std::vector<Eigen::Isometry3d> random_poses(std::uint64_t seed, std::size_t count) {
  Random random(seed);
  const auto draw = [&] { return random.uniform(-1.0, 1.0); };
  std::vector<Eigen::Isometry3d> poses(count, Eigen::Isometry3d::Identity());
  for (Eigen::Isometry3d& pose : poses) {
    const Eigen::Vector3d axis = Eigen::Vector3d(draw(), draw(), draw()).normalized();
    pose.linear() = Eigen::AngleAxisd(3.15 * draw(), axis).toRotationMatrix();
    for (double& value : pose.translation()) value = std::ldexp(draw(), random.integer(-40, 20));
  }
  return poses;
}

/// Translations survive bit by bit, rotations up to rounding.
void require_same(const Eigen::Isometry3d& a, const Eigen::Isometry3d& b) {
  REQUIRE(a.translation() == b.translation());
  REQUIRE((a.linear() - b.linear()).norm() < 1e-14);
}

std::string tum_error(const std::string& text) {
  return io_error_of([&] { (void)parse_tum(text, "a.tum"); });
}
std::string kitti_error(const std::string& text) {
  return io_error_of([&] { (void)parse_kitti_poses(text, "a.txt"); });
}

}  // namespace

TEST_CASE("both formats say the same pose", "[trajectory]") {
  const auto kitti = parse_kitti_poses(kQuarterTurn + "\r\n\n" + kQuarterTurn, "a");
  const auto tum = parse_tum("# t tx ty tz qx qy qz qw\n1305031102.175304 " + kQuarterTurnTum + "\n", "a");
  REQUIRE(kitti.size() == 2);
  REQUIRE(tum.size() == 1);
  REQUIRE(tum[0].time_s == 1305031102.175304);
  require_same(kitti[0], tum[0].pose);
  REQUIRE((kitti[0] * Eigen::Vector3d(1, 0, 0) - Eigen::Vector3d(1.5, -1, 0.25)).norm() < 1e-14);
  REQUIRE((tum[0].pose * Eigen::Vector3d(1, 0, 0) - Eigen::Vector3d(1.5, -1, 0.25)).norm() < 1e-14);
}

TEST_CASE("written trajectories are read back", "[trajectory]") {
  const TemporaryFolder folder;
  const auto poses = random_poses(GENERATE(range(0u, 20u)), 17);
  write_kitti_poses(folder / "a.txt", poses);
  std::vector<StampedPose> stamped;
  for (std::size_t i = 0; i < poses.size(); ++i)
    stamped.push_back({1.7e9 + std::sqrt(static_cast<double>(i)) * 1e-3, poses[i]});
  write_tum(folder / "a.tum", stamped);
  const auto kitti = read_kitti_poses(folder / "a.txt");
  const auto tum = read_tum(folder / "a.tum");
  REQUIRE((kitti.size() == poses.size() && tum.size() == poses.size()));
  for (std::size_t i = 0; i < poses.size(); ++i) {
    require_same(kitti[i], poses[i]);
    require_same(tum[i].pose, poses[i]);
    REQUIRE(tum[i].time_s == stamped[i].time_s);
  }
}

TEST_CASE("what could not be read again is not written", "[trajectory]") {
  const TemporaryFolder folder;
  auto poses = random_poses(1, 2);
  std::vector<StampedPose> stamped = {{1.0, poses[0]}, {1.0, poses[1]}};
  REQUIRE_THROWS_AS(write_tum(folder / "a", stamped), std::invalid_argument);
  stamped[1] = {NAN, poses[1]};
  REQUIRE_THROWS_AS(write_tum(folder / "a", stamped), std::invalid_argument);
  poses[1].translation().x() = INFINITY;
  REQUIRE_THROWS_AS(write_kitti_poses(folder / "a", poses), std::invalid_argument);
  REQUIRE_FALSE(std::filesystem::exists(folder / "a"));
}

TEST_CASE("quaternions are normalised where that is rounding", "[trajectory]") {
  const Eigen::Matrix3d R = parse_tum("0 0 0 0 0 0 0.6006 0.8008\n", "a")[0].pose.linear();
  REQUIRE((R.transpose() * R - Eigen::Matrix3d::Identity()).norm() < 1e-14);
  REQUIRE(std::abs(R(0, 0) - (0.64 - 0.36)) < 1e-14);
  REQUIRE_THAT(tum_error("0 0 0 0 0 0 0.612 0.816\n"), ContainsSubstring("line 1: the quaternion") &&
                                                           ContainsSubstring("1.02") &&
                                                           ContainsSubstring("expected 1"));
  REQUIRE_THAT(tum_error("0 0 0 0 0 0 0 0\n"), ContainsSubstring("has length 0"));
}

TEST_CASE("a bad line of a TUM trajectory is named", "[trajectory]") {
  const std::string good = "5 " + kQuarterTurnTum + "\n";
  REQUIRE_THAT(tum_error(good + "6 1 2 3\n"),
               StartsWith("a.tum: line 2: expected the 8 numbers t tx") && ContainsSubstring("found 4"));
  REQUIRE_THAT(tum_error(good + good), ContainsSubstring("line 2: the time \"5\" is not after"));
  REQUIRE_THAT(tum_error(good + "\n4 " + kQuarterTurnTum), ContainsSubstring("line 3: the time \"4\" is not after"));
  REQUIRE_THAT(tum_error("nan " + kQuarterTurnTum), ContainsSubstring("\"nan\" is not a finite number"));
  REQUIRE_THAT(tum_error("1 2 3 4 0 0 x 1"), ContainsSubstring("\"x\" is not a finite number"));
  REQUIRE_THAT(tum_error("# nothing\n"), ContainsSubstring("has no poses"));
}

TEST_CASE("a bad line of KITTI poses is named", "[trajectory]") {
  REQUIRE_THAT(kitti_error(kQuarterTurn + "\n" + kQuarterTurn + " 1\n"),
               StartsWith("a.txt: line 2: expected the 12 numbers") && ContainsSubstring("found 13"));
  REQUIRE_THAT(kitti_error("0 -1 0 inf 1 0 0 -2 0 0 1 0.25"), ContainsSubstring("\"inf\" is not a finite"));
  REQUIRE_THAT(kitti_error("2 0 0 0 0 2 0 0 0 0 2 0"), ContainsSubstring("not a rigid transform"));
  REQUIRE_THAT(kitti_error(""), ContainsSubstring("has no poses"));
}

TEST_CASE("the number of columns tells the formats apart", "[trajectory]") {
  const auto kitti = parse_trajectory("# mine\n" + kQuarterTurn, "a");
  const auto tum = parse_trajectory("3 " + kQuarterTurnTum + "\n4 " + kQuarterTurnTum, "a");
  REQUIRE_FALSE(kitti.times_s);
  REQUIRE(kitti.poses.size() == 1);
  REQUIRE(tum.times_s == std::vector<double>{3, 4});
  REQUIRE(tum.poses.size() == 2);
  for (const char* bad : {"1 2 3\n", "", "1 2 3 4 5 6 7 8 9 10 11 12 13"})
    REQUIRE_THAT(io_error_of([&] { (void)parse_trajectory(bad, "a"); }),
                 ContainsSubstring("(KITTI)") && ContainsSubstring("(TUM)"));
}

TEST_CASE("real trajectories are read completely", "[trajectory][real]") {
  const auto path = test_data() / "odometry/kitti_00_kiss_icp.txt";
  if (!exists(path)) SKIP("no real data in " << test_data());
  REQUIRE(read_trajectory(path).poses.size() == 4541);
}
