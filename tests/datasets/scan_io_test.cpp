#include <datasets/scan_io.hpp>

#include <datasets/bytes.hpp>
#include <datasets/file.hpp>

#include "files.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using Catch::Matchers::ContainsSubstring;
using parte::datasets::Points;
using parte::datasets::read_file;
using parte::datasets::read_scan;
using parte::datasets::write_bin;
using parte::datasets::write_ply;

namespace {

std::string floats(std::initializer_list<float> values) {
  std::string bytes;
  for (const float value : values) parte::datasets::append(bytes, value, std::endian::little);
  return bytes;
}

std::string error_of(const std::filesystem::path& path) {
  return io_error_of([&] { (void)read_scan(path); });
}

}  // namespace

TEST_CASE("a KITTI scan gives its points without the intensity", "[io]") {
  const TemporaryFolder folder;
  const auto points = read_scan(folder.write("a.bin", floats({1, 2, 3, 9, -4, 5.5f, -6, 9})));
  REQUIRE(points.size() == 2);
  REQUIRE(points[0] == Eigen::Vector3f(1, 2, 3));
  REQUIRE(points[1] == Eigen::Vector3f(-4, 5.5f, -6));
  REQUIRE(read_scan(folder.write("empty.bin", "")).empty());
}

TEST_CASE("a KITTI scan with half a point is refused", "[io]") {
  const TemporaryFolder folder;
  for (const std::size_t size : {1u, 4u, 15u}) {
    const auto path = folder.write("a.bin", floats({1, 2, 3, 9}) + std::string(size, 'x'));
    REQUIRE_THAT(error_of(path), ContainsSubstring(path.string() + ": byte 16: ") &&
                                     ContainsSubstring(std::to_string(size) + " of 16 bytes"));
  }
}

TEST_CASE("the extension decides, in any case", "[io]") {
  const TemporaryFolder folder;
  REQUIRE(read_scan(folder.write("a.BIN", floats({1, 2, 3, 4}))).size() == 1);
  REQUIRE_THAT(error_of(folder.write("a.las", "")),
               ContainsSubstring("\".las\"") && ContainsSubstring(".bin") && ContainsSubstring(".ply"));
  REQUIRE_THAT(error_of(folder.write("a", "")), ContainsSubstring("no extension"));
  for (const char* name : {"missing.bin", "missing.ply"})
    REQUIRE_THAT(error_of(folder / name), ContainsSubstring("cannot be opened"));
}

TEST_CASE("a written PLY file is read back bit by bit", "[io]") {
  const TemporaryFolder folder;
  std::vector<Eigen::Vector3f> points = {{0.1f, -2e7f, 3}, {std::numeric_limits<float>::denorm_min(), -0.0f, 1e30f}};
  points.emplace_back(std::nanf(""), std::numeric_limits<float>::infinity(), 0.0f);
  for (std::size_t count = 0; count <= points.size(); ++count) {
    const std::vector<Eigen::Vector3f> some(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(count));
    write_ply(folder / "a.ply", some);
    const auto back = read_scan(folder / "a.ply");
    REQUIRE(back.size() == count);
    for (std::size_t i = 0; i < count; ++i) {
      for (int axis = 0; axis < 3; ++axis)
        REQUIRE(std::bit_cast<std::uint32_t>(back[i][axis]) == std::bit_cast<std::uint32_t>(some[i][axis]));
    }
  }
}

TEST_CASE("every extension has its reader", "[io]") {
  const TemporaryFolder folder;
  const std::string pcd = "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nWIDTH 1\nHEIGHT 1\nDATA ascii\n1 2 3\n";
  const std::string ply =
      "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nproperty float z\nend_header\n1 2 "
      "3\n";
  for (const auto& [name, content] : std::vector<std::pair<std::string, std::string>>{{"a.bin", floats({1, 2, 3, 4})},
                                                                                      {"a.Ply", ply},
                                                                                      {"a.PCD", pcd},
                                                                                      {"a.xyz", "1 2 3\n"},
                                                                                      {"a.txt", "1;2;3\n"},
                                                                                      {"a.Csv", "z,y,x\n3,2,1\n"}}) {
    const auto path = folder.write(name, content);
    REQUIRE(parte::datasets::is_scan_file(path));
    REQUIRE(read_scan(path) == Points{{1, 2, 3}});
  }
  for (const char* name : {"a.las", "a", "bin", ".bin", "a.bin.part7"})
    REQUIRE_FALSE(parte::datasets::is_scan_file(name));
}

TEST_CASE("a written KITTI scan is read back bit by bit, intensities and all", "[io]") {
  const TemporaryFolder folder;
  const Points points = {{0.1f, -2e7f, 3}, {std::numeric_limits<float>::denorm_min(), -0.0f, 1e30f}};
  write_bin(folder / "a.bin", points);
  REQUIRE(read_file(folder / "a.bin") == floats({0.1f, -2e7f, 3, 0, points[1].x(), -0.0f, 1e30f, 0}));
  REQUIRE(read_scan(folder / "a.bin") == points);
  write_bin(folder / "a.bin", points, std::vector<float>{0.5f, 7});
  REQUIRE(read_file(folder / "a.bin") == floats({0.1f, -2e7f, 3, 0.5f, points[1].x(), -0.0f, 1e30f, 7}));
  write_bin(folder / "a.bin", {});
  REQUIRE(read_scan(folder / "a.bin").empty());
  REQUIRE_THROWS_AS(write_bin(folder / "a.bin", points, std::vector<float>{1}), std::invalid_argument);
}

TEST_CASE("real scans can be read", "[io][real]") {
  const auto kitti = test_data() / "kitti/sequences/00/velodyne/000000.bin";
  const auto match = test_data() / "3dmatch/7-scenes-redkitchen/cloud_bin_0.ply";
  if (!exists(kitti) || !exists(match)) SKIP("no real data in " << test_data());
  REQUIRE(read_scan(kitti).size() == std::filesystem::file_size(kitti) / 16);
  REQUIRE(read_scan(match).size() == 18977);
}
