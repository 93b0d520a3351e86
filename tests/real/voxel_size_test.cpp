#include <parte/voxel_size.hpp>

#include <tests/real/real_data.hpp>

TEST_CASE("real scans get the voxel size that their benchmarks use", "[voxel_size][real]") {
  REQUIRE_REAL_DATA();
  using parte::datasets::read_scan;
  for (const auto& pair : kitti_pairs("dev_kitti_00_10_20.txt")) {
    CAPTURE(pair.source, pair.target);
    CHECK(parte::choose_voxel(read_scan(pair.source), read_scan(pair.target), parte::Sensor::lidar).voxel == 0.3);
  }
  for (const auto& pair :
       parte::datasets::read_3dmatch_pairs(data_root() / "lists" / "dev_3dmatch.txt", data_root() / "3dmatch")) {
    CAPTURE(pair.source, pair.target);
    CHECK(parte::choose_voxel(read_scan(pair.source), read_scan(pair.target), parte::Sensor::rgbd).voxel == 0.05);
  }
}
