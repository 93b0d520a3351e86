#include <tests/real/real_data.hpp>

#include <catch2/generators/catch_generators.hpp>

using namespace parte;

namespace {

struct Rate {
  std::string list;
  double least_percent;
};

double success_percent(const std::string& list) {
  const auto pairs = kitti_pairs(list);
  int right = 0;
  for (const auto& pair : pairs) {
    const Result result = KittiScans::shared().align(pair.source, pair.target);
    const bool ok = is_right(result.T_target_source, pair.T_target_source, 5.0, 2.0);
    right += ok ? 1 : 0;
    if (!ok) UNSCOPED_INFO(pair.source << " -> " << pair.target << ": " << to_string(result.status));
  }
  return 100.0 * right / static_cast<double>(pairs.size());
}

}  // namespace

TEST_CASE("KITTI pairs are registered within 5 degrees and 2 m", "[real]") {
  REQUIRE_REAL_DATA();
  const auto [list, least] = GENERATE(Rate{"dev_kitti_00_0_10.txt", 100.0}, Rate{"dev_kitti_00_10_20.txt", 98.0},
                                      Rate{"dev_kitti_00_20_30.txt", 97.0}, Rate{"dev_kitti_00_30_40.txt", 77.0},
                                      Rate{"dev_kitti_loops.txt", 100.0});
  const double percent = success_percent(list);
  CAPTURE(list, percent);
  CHECK(percent >= least);
}

TEST_CASE("a loop closed in the opposite direction is registered within 0.3 m", "[real]") {
  REQUIRE_REAL_DATA();
  const std::string from = kitti_scan(8, 720), to = kitti_scan(8, 1500);
  bool found = false;
  for (const auto& pair : kitti_pairs("dev_kitti_loops.txt")) {
    if (pair.source != from && pair.source != to) continue;
    found = true;
    const Result result = KittiScans::shared().align(pair.source, pair.target);
    REQUIRE(result.success());
    CHECK(is_right(result.T_target_source, pair.T_target_source, 1.0, 0.3));
  }
  CHECK(found);
}

TEST_CASE("indoor RGB-D fragments are registered within 15 degrees and 0.3 m", "[real]") {
  REQUIRE_REAL_DATA();
  const Registration registration(Options::rgbd(0.05));
  for (const auto& pair :
       datasets::read_3dmatch_pairs(data_root() / "lists" / "dev_3dmatch.txt", data_root() / "3dmatch")) {
    const Result result = registration.align(registration.extract(datasets::read_scan(pair.source)),
                                             registration.extract(datasets::read_scan(pair.target)));
    CAPTURE(pair.source, pair.target, to_string(result.status));
    CHECK(result.success());
    CHECK(is_right(result.T_target_source, pair.T_target_source, 15.0, 0.3));
  }
}

TEST_CASE("swapping two real scans inverts the transform", "[real]") {
  REQUIRE_REAL_DATA();
  const auto pairs = kitti_pairs("dev_kitti_00_0_10.txt");
  for (std::size_t k = 0; k < pairs.size(); k += 10) {
    const Result there = KittiScans::shared().align(pairs[k].source, pairs[k].target);
    const Result back = KittiScans::shared().align(pairs[k].target, pairs[k].source);
    CHECK(is_right(there.T_target_source, back.T_target_source.inverse(), 0.5, 0.15));
  }
}
