#include <datasets/world/kitti_export.hpp>

#include <datasets/kitti.hpp>
#include <tests/datasets/files.hpp>

#include <catch2/catch_test_macros.hpp>

using namespace parte::datasets;

TEST_CASE("a synthetic drive is written as KITTI would, and read back as it was", "[world][io]") {
  const TemporaryFolder folder;
  SyntheticOptions options{.preset = Preset::forest, .seed = 2, .motion_distortion = false, .lidar = {}};
  options.lidar.azimuth_steps = 100;
  const SyntheticDrive drive(options);
  write_kitti(drive, folder.path(), "07", 3, 6, [](std::size_t frame) { return frame < 5; });  // stops after frame 5
  REQUIRE_FALSE(std::filesystem::exists(folder / "sequences/07/velodyne/000006.bin"));
  const auto first_write = std::filesystem::last_write_time(folder / "sequences/07/velodyne/000003.bin");
  write_kitti(drive, folder.path(), "07", 3, 6, [](std::size_t) { return true; });
  REQUIRE(std::filesystem::last_write_time(folder / "sequences/07/velodyne/000003.bin") == first_write);

  KittiOptions as_written;
  as_written.elevation_correction_deg = 0.0;
  const Sequence sequence = open_kitti(folder.path(), "07", as_written);
  REQUIRE(sequence.ids == std::vector<int>{3, 4, 5, 6});
  REQUIRE(sequence.T_camera_lidar.isApprox(kitti_like_calibration(), 1e-12));
  for (std::size_t k = 0; k < 4; ++k) {
    REQUIRE(sequence.read(k) == drive.scan(k + 3).points);
    REQUIRE(sequence.times_s[k] == drive.world().drive.times_s[k + 3]);
    REQUIRE(sequence.ground_truth[k].isApprox(drive.ground_truth()[k + 3], 1e-9));
    const auto labels =
        std::filesystem::file_size(folder / ("sequences/07/labels/00000" + std::to_string(k + 3) + ".label"));
    REQUIRE(labels == 4 * drive.scan(k + 3).points.size());
  }
}
