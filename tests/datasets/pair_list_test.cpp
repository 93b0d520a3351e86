#include <datasets/pair_list.hpp>

#include "files.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using Catch::Matchers::ContainsSubstring;
using parte::datasets::read_3dmatch_pairs;
using parte::datasets::read_kitti_pairs;

namespace {

const std::string kHeader = "seq i seq_db j mot1 mot2 mot3 mot4\n";
const std::string kQuarterTurn = " 0 -1 0 1.5 1 0 0 -2 0 0 1 0.25 0 0 0 1";

}  // namespace

TEST_CASE("a KITTI list names scans, transform and sequence", "[pairs]") {
  const TemporaryFolder folder;
  const auto list =
      folder.write("a.txt", kHeader + "8 15 8 1500" + kQuarterTurn + "\n\n# none\n0 0 10 7" + kQuarterTurn);
  const auto pairs = read_kitti_pairs(list, "data");
  REQUIRE(pairs.size() == 2);
  REQUIRE(pairs[0].source == "data/sequences/08/velodyne/000015.bin");
  REQUIRE(pairs[0].target == "data/sequences/08/velodyne/001500.bin");
  REQUIRE(pairs[0].group == "08");
  REQUIRE(pairs[1].target == "data/sequences/10/velodyne/000007.bin");
  REQUIRE(pairs[1].group == "00");
  // A point of scan i, seen from scan j.
  REQUIRE((pairs[0].T_target_source * Eigen::Vector3d(1, 0, 0) - Eigen::Vector3d(1.5, -1, 0.25)).norm() < 1e-12);
}

TEST_CASE("a KITTI list may come without header and with Windows line ends", "[pairs]") {
  const TemporaryFolder folder;
  REQUIRE(read_kitti_pairs(folder.write("a.txt", "8 1 8 2" + kQuarterTurn + "\r\n"), "").size() == 1);
  REQUIRE(read_kitti_pairs(folder.write("b.txt", kHeader), "").empty());
}

TEST_CASE("a 3DMatch list maps the second cloud onto the first", "[pairs]") {
  const TemporaryFolder folder;
  const auto list =
      folder.write("a.txt", "# a comment\ns/c_0.ply s/c_5.ply kitchen 3DLoMatch 0.22" + kQuarterTurn + "\n");
  const auto pairs = read_3dmatch_pairs(list, "data");
  REQUIRE(pairs.size() == 1);
  REQUIRE(pairs[0].source == "data/s/c_5.ply");
  REQUIRE(pairs[0].target == "data/s/c_0.ply");
  REQUIRE(pairs[0].group == "3DLoMatch/kitchen");
  REQUIRE((pairs[0].T_target_source * Eigen::Vector3d(1, 0, 0) - Eigen::Vector3d(1.5, -1, 0.25)).norm() < 1e-12);
}

TEST_CASE("rounded rotations become orthonormal ones", "[pairs]") {
  const TemporaryFolder folder;
  const auto list = folder.write("a.txt", "0 0 0 1 0.8663 -0.5 0 1 0.5 0.8663 0 2 0 0 1 3 0 0 0 1\n");
  const Eigen::Matrix3d R = read_kitti_pairs(list, "")[0].T_target_source.linear();
  REQUIRE((R.transpose() * R - Eigen::Matrix3d::Identity()).norm() < 1e-12);
}

TEST_CASE("a bad line of a KITTI list is named", "[pairs]") {
  const TemporaryFolder folder;
  const auto [bad, expected] = GENERATE(table<std::string, std::string>({
      {"8 1 8", "found 3"},
      {"8 1 8 2 3" + kQuarterTurn, "found 21"},
      {"8 x 8 2" + kQuarterTurn, "\"x\" is not a whole number"},
      {"8 -1 8 2" + kQuarterTurn, "\"-1\" is not a whole number"},
      {"8 1.0 8 2" + kQuarterTurn, "\"1.0\" is not a whole number"},
      {"8 1 800 2" + kQuarterTurn, "at most 2 digits"},
      {"8 1 8 12345678" + kQuarterTurn, "at most 6 digits"},
      {"8 1 8 2 0 -1 0 nan 1 0 0 -2 0 0 1 0.25 0 0 0 1", "\"nan\" is not a finite number"},
      {"8 1 8 2 0 -1 0 1,5 1 0 0 -2 0 0 1 0.25 0 0 0 1", "\"1,5\" is not a finite number"},
      {"8 1 8 2 2 0 0 0 0 2 0 0 0 0 2 0 0 0 0 1", "not a rigid transform"},
      {"8 1 8 2 -1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1", "not a rigid transform"},
      {"8 1 8 2 1 0 0 0 0 1 0 0 0 0 1 0 1 2 3 1", "not a rigid transform"},
  }));
  const auto list = folder.write("a.txt", kHeader + "8 1 8 2" + kQuarterTurn + "\n\n" + bad + "\n");
  REQUIRE_THAT(io_error_of([&] { (void)read_kitti_pairs(list, ""); }),
               ContainsSubstring(list.string() + ": line 4: ") && ContainsSubstring(expected));
}

TEST_CASE("a bad line of a 3DMatch list is named", "[pairs]") {
  const TemporaryFolder folder;
  for (const std::string& bad : {"a b c d" + kQuarterTurn, "a b c d much" + kQuarterTurn}) {
    const auto list = folder.write("a.txt", "# header\n" + bad);
    REQUIRE_THAT(io_error_of([&] { (void)read_3dmatch_pairs(list, ""); }), ContainsSubstring(": line 2: "));
  }
  REQUIRE_THAT(io_error_of([&] { (void)read_3dmatch_pairs(folder / "none", ""); }),
               ContainsSubstring("cannot be opened"));
}

TEST_CASE("the published lists are read completely", "[pairs][real]") {
  const auto lists = test_data() / "lists";
  if (!exists(lists / "kitti_lc")) SKIP("no real data in " << test_data());
  REQUIRE(read_kitti_pairs(lists / "kitti_lc/test_0_10.txt", "").size() == 914);
  REQUIRE(read_kitti_pairs(lists / "kitti_lc/test_10_20.txt", "").size() == 1151);
  REQUIRE(read_kitti_pairs(lists / "kitti_lc/test_20_30.txt", "").size() == 1260);
  REQUIRE(read_kitti_pairs(lists / "kitti_10m/test_10.txt", "").size() == 556);
  for (const auto& pair : read_kitti_pairs(lists / "dev_kitti_loops.txt", test_data() / "kitti")) {
    REQUIRE(std::filesystem::exists(pair.source));
    REQUIRE(std::filesystem::exists(pair.target));
  }
  const auto matches = read_3dmatch_pairs(lists / "dev_3dmatch.txt", test_data() / "3dmatch");
  REQUIRE(matches.size() == 2);
  for (const auto& pair : matches)
    REQUIRE((std::filesystem::exists(pair.source) && std::filesystem::exists(pair.target)));
}
