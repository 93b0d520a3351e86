#include <datasets/kitti.hpp>

#include "files.hpp"

#include <Eigen/Cholesky>
#include <numbers>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

using namespace parte::datasets;

TEST_CASE("real KITTI sequences open", "[kitti][real]") {
  const auto root = test_data() / "kitti";
  if (!exists(root)) SKIP("no real data in " << test_data());
  const auto [name, count, last] =
      GENERATE(table<std::string, std::size_t, int>({{"00", 35, 1554}, {"05", 10, 9}, {"08", 2, 1500}}));
  const Sequence sequence = open_kitti(root, name);
  REQUIRE(sequence.size() == count);
  REQUIRE(sequence.ids.back() == last);
  REQUIRE(sequence.ground_truth.size() == count);
  REQUIRE(std::abs(sequence.times_s.back() - 0.1037 * last) < 0.01 * last);
  REQUIRE(sequence.read(count - 1).size() > 10000);
}

TEST_CASE("the car of KITTI 05 drives ahead, along x and at 10 Hz", "[kitti][real]") {
  const auto root = test_data() / "kitti";
  if (!exists(root)) SKIP("no real data in " << test_data());
  for (const KittiTruth truth : {KittiTruth::semantic, KittiTruth::official}) {
    const auto poses = open_kitti(root, "05", {.ground_truth = truth}).ground_truth;
    for (std::size_t k = 1; k < poses.size(); ++k) {
      const Eigen::Vector3d step = poses[k - 1].inverse() * poses[k].translation();
      REQUIRE(step.x() > 0.3);
      REQUIRE(step.x() < 1.5);
      REQUIRE(step.tail<2>().norm() < 0.1);
    }
  }
}

TEST_CASE("the corrected ground of KITTI is flat, the raw one a cone", "[kitti][real]") {
  const auto root = test_data() / "kitti";
  if (!exists(root)) SKIP("no real data in " << test_data());
  // The slope of the ground's height over the distance, after its plane: z = a + b x + c y + slope r.
  const auto slope_deg = [&](double correction) {
    double sum = 0.0;
    const Sequence sequence = open_kitti(root, "00", {.elevation_correction_deg = correction});
    for (std::size_t k = 0; k < 8; ++k) {
      const Points points = sequence.read(k);
      Eigen::Vector4d fit(-1.73, 0, 0, 0);
      for (int iteration = 0; iteration < 20; ++iteration) {
        Eigen::Matrix4d H = Eigen::Matrix4d::Zero();
        Eigen::Vector4d g = Eigen::Vector4d::Zero();
        for (const Eigen::Vector3f& p : points) {
          const double r = p.head<2>().norm();
          if (r < 5.0 || r > 25.0 || p.z() > -1.2f) continue;
          const Eigen::Vector4d row(1, p.x(), p.y(), r);
          const double error = p.z() - row.dot(fit), weight = 1.0 / (1.0 + 400.0 * error * error);
          H += weight * r * r * row * row.transpose();  // the density of the points falls with the square
          g += weight * r * r * row * p.z();
        }
        fit = H.ldlt().solve(g);
      }
      sum += fit[3];
    }
    return std::atan(sum / 8.0) * 180.0 / std::numbers::pi;
  };
  REQUIRE(std::abs(slope_deg(KittiOptions{}.elevation_correction_deg)) < 0.5 * std::abs(slope_deg(0.0)));
}
