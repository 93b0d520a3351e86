#include <datasets/pair_generator.hpp>

#include <datasets/kitti.hpp>
#include <datasets/trajectory.hpp>

#include "files.hpp"

#include <array>
#include <fstream>
#include <numeric>
#include <set>
#include <sstream>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

using namespace parte::datasets;

namespace {

using Poses = std::vector<Eigen::Isometry3d>;

std::vector<int> counting(std::size_t count) {
  std::vector<int> ids(count);
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

/// Places along x.
Poses line(const std::vector<double>& places) {
  Poses poses(places.size(), Eigen::Isometry3d::Identity());
  for (std::size_t k = 0; k < places.size(); ++k) poses[k].translation().x() = places[k];
  return poses;
}

std::vector<std::pair<int, int>> numbers(const std::vector<FramePair>& pairs) {
  std::vector<std::pair<int, int>> result;
  for (const FramePair& pair : pairs) result.emplace_back(pair.i, pair.j);
  return result;
}

struct Published {
  int i, j;
  Eigen::Isometry3d T_j_i;
};

/// Another reader than the library's: what a stream makes of the numbers.
std::vector<Published> published(const std::string& list, int sequence) {
  std::ifstream in(test_data() / "lists" / list);
  std::string text;
  std::getline(in, text);
  std::vector<Published> pairs;
  while (std::getline(in, text)) {
    std::istringstream numbers(text);
    int seq = -1, other = -1;
    Published pair{};
    numbers >> seq >> pair.i >> other >> pair.j;
    for (int k = 0; k < 16; ++k) numbers >> pair.T_j_i.matrix()(k / 4, k % 4);
    if (seq == sequence) pairs.push_back(pair);
  }
  return pairs;
}

/// All poses of a sequence, without its scans.
Poses lidar_poses(const std::string& folder, const std::string& sequence) {
  const auto root = test_data() / "kitti";
  std::ifstream in(root / "sequences" / sequence / "calib.txt");
  const std::string calib(std::istreambuf_iterator<char>(in), {});
  return to_lidar_frame(read_kitti_poses(root / folder / (sequence + ".txt")), parse_kitti_calib(calib, "calib.txt"));
}

bool have_data() { return exists(test_data() / "lists/kitti_lc") && exists(test_data() / "kitti"); }

}  // namespace

TEST_CASE("distance pairs end before the distance is exceeded and do not share frames", "[pairs]") {
  std::vector<double> places;
  for (int k = 0; k < 40; ++k) places.push_back(1.5 * k);
  const auto pairs = distance_pairs(counting(40), line(places));
  // 6 frames are 9 m, 7 are 10.5 m.
  REQUIRE(numbers(pairs) == std::vector<std::pair<int, int>>{{0, 6}, {7, 13}, {14, 20}, {21, 27}, {28, 34}});
  REQUIRE((pairs[1].T_j_i.translation() - Eigen::Vector3d(-9, 0, 0)).norm() < 1e-12);
}

TEST_CASE("a car that stands still gives no distance pair until it leaves within the window", "[pairs]") {
  std::vector<double> places(300, 0.0);
  for (std::size_t k = 200; k < 300; ++k) places[k] = 2.0 * static_cast<double>(k - 199);
  const auto pairs = distance_pairs(counting(300), line(places));
  // Frame 205 is the first beyond 10 m (12 m) and must be less than 100 frames ahead.
  REQUIRE(numbers(pairs).at(0) == std::pair{106, 204});
  REQUIRE(numbers(distance_pairs(counting(300), line(places), {.window = 7})).at(0) == std::pair{199, 204});
  REQUIRE(distance_pairs(counting(300), line(places), {.window = 6}).empty());
  REQUIRE(distance_pairs({}, {}).empty());
}

TEST_CASE("distance pairs take the frames there are", "[pairs]") {
  const std::vector<int> ids = {0, 3, 4, 50, 52, 55};
  const auto poses = line({0, 4, 20, 30, 33, 45});
  REQUIRE(numbers(distance_pairs(ids, poses)) == std::vector<std::pair<int, int>>{{0, 3}, {4, 50}});
}

TEST_CASE("loop pairs keep their gap, bin and interval", "[pairs]") {
  // Twice around a circle of 60 m, a metre a frame.
  const double radius = 300.0 / (2.0 * 3.14159265358979);
  Poses poses(600, Eigen::Isometry3d::Identity());
  for (int k = 0; k < 600; ++k) {
    const double angle = k / radius;
    poses[static_cast<std::size_t>(k)].translation() << radius * std::cos(angle), radius * std::sin(angle), 0.0;
  }
  const auto ids = counting(600);
  for (const double low : {0.0, 10.0, 20.0}) {
    const auto pairs = loop_pairs(ids, poses, {.min_distance_m = low, .max_distance_m = low + 10.0});
    REQUIRE(pairs.size() > 100);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      const auto at = [&](int id) -> Eigen::Vector3d { return poses[static_cast<std::size_t>(id)].translation(); };
      const double apart = (at(pairs[k].i) - at(pairs[k].j)).norm();
      REQUIRE((apart > low && apart < low + 10.0));
      REQUIRE(std::abs(pairs[k].T_j_i.translation().norm() - apart) < 1e-9);
      REQUIRE(pairs[k].j - pairs[k].i > 250);
      if (k == 0) continue;
      REQUIRE((at(pairs[k].i) - at(pairs[k - 1].i)).norm() >= 2.0);
      REQUIRE((at(pairs[k].j) - at(pairs[k - 1].j)).norm() >= 2.0);
    }
  }
}

TEST_CASE("without an interval all loop pairs are given", "[pairs]") {
  const auto pairs =
      loop_pairs(counting(4), line({0, 1, 2, 3}), {.max_distance_m = 2.5, .min_gap = 0, .interval_m = 0});
  REQUIRE(numbers(pairs) == std::vector<std::pair<int, int>>{{0, 1}, {0, 2}, {1, 2}, {1, 3}, {2, 3}});
}

TEST_CASE("generators refuse what makes no sense", "[pairs]") {
  const std::vector<int> twice = {1, 1};
  REQUIRE_THROWS_AS(distance_pairs(counting(3), line({0, 1})), std::invalid_argument);
  REQUIRE_THROWS_AS(loop_pairs(twice, line({0, 1})), std::invalid_argument);
  REQUIRE_THROWS_AS(distance_pairs({}, {}, {.distance_m = 0.0}), std::invalid_argument);
  REQUIRE_THROWS_AS(distance_pairs({}, {}, {.window = 0}), std::invalid_argument);
  REQUIRE_THROWS_AS(loop_pairs({}, {}, {.min_distance_m = 10.0, .max_distance_m = 10.0}), std::invalid_argument);
  REQUIRE_THROWS_AS(loop_pairs({}, {}, {.min_gap = -1}), std::invalid_argument);
  REQUIRE_THROWS_AS(loop_pairs({}, {}, {.interval_m = -1.0}), std::invalid_argument);
}

TEST_CASE("KITTI-10m comes out of the official camera poses", "[pairs][real]") {
  if (!have_data()) SKIP("no real data in " << test_data());
  const Poses poses = read_kitti_poses(test_data() / "kitti/poses/08.txt");
  std::vector<std::pair<int, int>> expected;
  for (const Published& pair : published("kitti_10m/test_10.txt", 8)) expected.emplace_back(pair.i, pair.j);
  REQUIRE(expected.size() == 307);
  REQUIRE(numbers(distance_pairs(counting(poses.size()), poses)) == expected);
}

TEST_CASE("KITTI-LC comes out of SemanticKITTI's poses, but for the order of a search tree", "[pairs][real]") {
  if (!have_data()) SKIP("no real data in " << test_data());
  const auto [sequence, list, low] = GENERATE(table<int, std::string, double>({{0, "kitti_lc/test_0_10.txt", 0},
                                                                               {0, "kitti_lc/test_10_20.txt", 10},
                                                                               {0, "kitti_lc/test_20_30.txt", 20},
                                                                               {8, "kitti_lc/test_0_10.txt", 0},
                                                                               {8, "kitti_lc/test_10_20.txt", 10},
                                                                               {8, "kitti_lc/test_20_30.txt", 20}}));
  const Poses poses = lidar_poses("semantickitti_poses", sequence == 0 ? "00" : "08");
  const auto pairs = loop_pairs(counting(poses.size()), poses, {.min_distance_m = low, .max_distance_m = low + 10.0});
  std::set<int> generated;
  for (const FramePair& pair : pairs) generated.insert(pair.i);
  const auto wanted = published(list, sequence);
  for (const Published& pair : wanted) REQUIRE(generated.contains(pair.i));
  REQUIRE(pairs.size() <= wanted.size() + 1);
}

TEST_CASE("the published truth of KITTI-LC is SemanticKITTI's, refined", "[pairs][real]") {
  if (!have_data()) SKIP("no real data in " << test_data());
  for (const int sequence : {0, 8}) {
    const std::string name = sequence == 0 ? "00" : "08";
    const Poses semantic = lidar_poses("semantickitti_poses", name), official = lidar_poses("poses", name);
    for (const char* list : {"kitti_lc/test_0_10.txt", "kitti_lc/test_10_20.txt", "kitti_lc/test_20_30.txt"}) {
      double semantic_sum = 0.0, official_sum = 0.0;
      const auto pairs = published(list, sequence);
      for (const Published& pair : pairs) {
        const auto error = [&](const Poses& poses) {
          const auto i = static_cast<std::size_t>(pair.i), j = static_cast<std::size_t>(pair.j);
          return Eigen::Isometry3d(pair.T_j_i.inverse(Eigen::Isometry) * (poses[j].inverse() * poses[i]));
        };
        REQUIRE(error(semantic).translation().norm() < 1.2);
        REQUIRE(Eigen::AngleAxisd(error(semantic).linear()).angle() < 0.065);  // 3.7 degrees
        semantic_sum += error(semantic).translation().norm();
        official_sum += error(official).translation().norm();
      }
      REQUIRE(semantic_sum < 0.25 * static_cast<double>(pairs.size()));  // a quarter of a metre on average
      REQUIRE(official_sum > 4.0 * semantic_sum);
    }
  }
}
