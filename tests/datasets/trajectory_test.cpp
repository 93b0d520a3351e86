#include <datasets/trajectory.hpp>

#include "files.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using Catch::Matchers::ContainsSubstring;
using namespace parte::datasets;

TEST_CASE("a KITTI pose is the rows of R and t", "[trajectory]") {
  const auto poses = parse_kitti_poses("1 0 0 0 0 1 0 0 0 0 1 0\r\n\n0 -1 0 1.5 1 0 0 -2 0 0 1 0.25", "p.txt");
  REQUIRE(poses.size() == 2);
  REQUIRE(poses[0].isApprox(Eigen::Isometry3d::Identity()));
  REQUIRE((poses[1] * Eigen::Vector3d(1, 0, 0) - Eigen::Vector3d(1.5, -1, 0.25)).norm() < 1e-12);
  REQUIRE(parse_kitti_poses("", "p.txt").empty());
}

TEST_CASE("a bad line of KITTI poses is named", "[trajectory]") {
  const std::string good = "1 0 0 0 0 1 0 0 0 0 1 0\n";
  for (const std::string bad : {"1 0 0", "1 0 0 0 0 1 0 0 0 0 1 x", "1 0 0 0 0 1 0 nan 0 0 1 0", "2 0 0 0 0 1 0 0 0 0 1 0",
                                "1 0 0 0 0 1 0 0 0 0 1 0 0"})
    REQUIRE_THAT(io_error_of([&] { (void)parse_kitti_poses(good + bad, "p.txt"); }),
                 ContainsSubstring("p.txt: line 2: "));
}

TEST_CASE("written KITTI poses are read back", "[trajectory]") {
  const TemporaryFolder folder;
  std::vector<Eigen::Isometry3d> poses;
  for (int k = 0; k < 20; ++k) {
    poses.push_back(Eigen::Translation3d(k / 3.0, -1e6 / (k + 1), 1e-9 * k) *
                    Eigen::Isometry3d(Eigen::AngleAxisd(0.3 * k, Eigen::Vector3d(1, k, 2).normalized())));
  }
  write_kitti_poses(folder / "p.txt", poses);
  const auto back = read_kitti_poses(folder / "p.txt");
  REQUIRE(back.size() == poses.size());
  for (std::size_t k = 0; k < poses.size(); ++k) {
    REQUIRE(back[k].translation() == poses[k].translation());
    REQUIRE((back[k].linear() - poses[k].linear()).norm() < 1e-14);  // rotations are made orthonormal again
  }
}
