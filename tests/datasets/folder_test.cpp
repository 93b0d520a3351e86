#include <datasets/folder.hpp>
#include <datasets/folder_scans.hpp>

#include "files.hpp"

#include <algorithm>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using Catch::Matchers::ContainsSubstring;
using parte::datasets::open_folder;
using parte::datasets::Points;
using parte::datasets::Sequence;

namespace {

using Ids = std::vector<int>;
using Times = std::vector<double>;

/// A text scan with one point, whose x tells the scans apart.
std::string scan(int x) { return std::to_string(x) + " 0 0\n"; }
/// Poses without rotation, at x = first, first + 1, ...
std::string kitti(int count, int first = 0) {
  std::string text;
  for (int i = first; i < first + count; ++i) text += "1 0 0 " + std::to_string(i) + " 0 1 0 0 0 0 1 0\n";
  return text;
}
std::string tum(const std::vector<std::string>& times) {
  std::string text;
  for (std::size_t i = 0; i < times.size(); ++i) text += times[i] + " " + std::to_string(i) + " 0 0 0 0 0 1\n";
  return text;
}

Times truth_x(const Sequence& sequence) {
  Times x;
  for (const auto& pose : sequence.ground_truth) x.push_back(pose.translation().x());
  return x;
}
std::string error_of(const TemporaryFolder& folder) {
  return io_error_of([&] { (void)open_folder(folder.path()); });
}

/// Scans of the given ids and nothing else.
struct Scans : TemporaryFolder {
  explicit Scans(const Ids& ids) {
    for (const int id : ids) (void)write("scan_" + std::to_string(id) + ".xyz", scan(id));
  }
};

}  // namespace

TEST_CASE("scans come in the order of their numbers, of whatever format", "[folder]") {
  const TemporaryFolder folder;
  (void)folder.write("scan_10.xyz", scan(10));
  (void)folder.write("scan_9.XYZ", scan(9));
  (void)folder.write("scan_002.bin", std::string(16, '\0'));
  (void)folder.write("notes.txt", "not a scan beside scans");
  (void)folder.write("overlap.csv", "1");
  (void)folder.write("._scan_1.xyz", "what some systems leave behind");
  (void)folder.write("picture.png", "");
  std::filesystem::create_directory(folder / "scan_5.ply");
  const Sequence sequence = open_folder(folder.path() / "");
  REQUIRE(sequence.name == folder.path().filename().string());
  REQUIRE(sequence.ids == Ids{2, 9, 10});
  REQUIRE(sequence.times_s == Times{0.0, 0.1, 0.2});
  REQUIRE(sequence.ground_truth.empty());
  REQUIRE(sequence.read(1) == Points{{9, 0, 0}});
  REQUIRE(sequence.read(2) == Points{{10, 0, 0}});
}

TEST_CASE("text scans are found among the files that describe them", "[folder]") {
  const TemporaryFolder folder;
  for (const int id : {0, 1}) (void)folder.write("cloud" + std::to_string(id) + ".csv", scan(id));
  (void)folder.write("times.txt", "5\n6\n");
  (void)folder.write("calib.txt", "Tr: 1");
  const auto poses = folder.write("truth.txt", kitti(2, 7));
  const Sequence sequence = open_folder(folder.path(), poses);
  REQUIRE(sequence.ids == Ids{0, 1});
  REQUIRE(sequence.times_s == Times{5, 6});
  REQUIRE(truth_x(sequence) == Times{7, 8});
}

TEST_CASE("names without a number that can be an id are numbered by position", "[folder]") {
  for (const auto& names : {std::vector<std::string>{"a.xyz", "b.xyz", "c.xyz"},
                            {"98.5.xyz", "99.25.xyz", "100.125.xyz"},
                            {"1522688014970187.xyz", "1522688015070187.xyz", "11522688015070187.xyz"}}) {
    const TemporaryFolder folder;
    for (std::size_t i = 0; i < names.size(); ++i) (void)folder.write(names[i], scan(static_cast<int>(i)));
    const Sequence sequence = open_folder(folder.path());
    REQUIRE(sequence.ids == Ids{0, 1, 2});
    for (std::size_t i = 0; i < 3; ++i) REQUIRE(sequence.read(i) == Points{{static_cast<float>(i), 0, 0}});
  }
}

TEST_CASE("numbers in names count as numbers", "[folder]") {
  const std::vector<std::string> ordered = {"",
                                            "a",
                                            "a0",
                                            "a00",
                                            "a1",
                                            "a01",
                                            "a2",
                                            "a2b",
                                            "a10",
                                            "a10b2",
                                            "a10b10",
                                            "a99999999999999999999998",
                                            "a99999999999999999999999",
                                            "b"};
  for (std::size_t i = 0; i < ordered.size(); ++i)
    for (std::size_t j = 0; j < ordered.size(); ++j) {
      INFO(ordered[i] << " < " << ordered[j]);
      if (i == j) REQUIRE_FALSE(parte::datasets::natural_less(ordered[i], ordered[j]));
      // "a00" and "a0" are the same number: any order will do, but only one.
      if (i < j)
        REQUIRE(parte::datasets::natural_less(ordered[i], ordered[j]) !=
                parte::datasets::natural_less(ordered[j], ordered[i]));
      if (i < j && ordered[i] != "a0" && ordered[i] != "a1")
        REQUIRE(parte::datasets::natural_less(ordered[i], ordered[j]));
    }
}

TEST_CASE("two scans of one frame are refused", "[folder]") {
  for (const auto& [a, b] : std::vector<std::pair<std::string, std::string>>{
           {"scan_1.pcd", "scan_1.ply"}, {"scan_1.pcd", "scan_01.pcd"}, {"left.pcd", "left.ply"}}) {
    const TemporaryFolder folder;
    for (const std::string& name : {a, b}) (void)folder.write(name, "");
    REQUIRE_THAT(error_of(folder), ContainsSubstring(folder.path().string()) && ContainsSubstring("\"" + a + "\"") &&
                                       ContainsSubstring("\"" + b + "\"") && ContainsSubstring("leave one"));
  }
}

TEST_CASE("what is no folder of scans is refused", "[folder]") {
  const TemporaryFolder folder;
  REQUIRE_THAT(error_of(folder), ContainsSubstring("has no scans; expected files .bin"));
  (void)folder.write("poses.txt", kitti(1));
  REQUIRE_THAT(error_of(folder), ContainsSubstring("has no scans"));
  REQUIRE_THAT(io_error_of([&] { (void)open_folder(folder / "missing"); }),
               ContainsSubstring("cannot be opened (No such file") && ContainsSubstring("expected a folder"));
  REQUIRE_THAT(io_error_of([&] { (void)open_folder(folder / "poses.txt"); }), ContainsSubstring("cannot be opened"));
  std::filesystem::create_symlink("loop", folder / "loop");
  REQUIRE_THAT(io_error_of([&] { (void)open_folder(folder / "loop"); }), ContainsSubstring("cannot be opened"));
}

TEST_CASE("a scan that cannot be read is found", "[folder]") {
  const Scans folder({1, 2});
  const Sequence sequence = open_folder(folder.path());
  std::filesystem::remove(folder / "scan_2.xyz");
  REQUIRE_THAT(io_error_of([&] { (void)sequence.read(1); }), ContainsSubstring("scan_2.xyz: cannot be opened"));
  std::filesystem::create_symlink("scan_3.xyz", folder / "scan_3.xyz");
  REQUIRE_THAT(error_of(folder), ContainsSubstring("scan_3.xyz: is not a file that can be read"));
  std::filesystem::remove(folder / "scan_3.xyz");
  std::filesystem::create_symlink("nowhere.xyz", folder / "scan_4.xyz");
  REQUIRE_THAT(error_of(folder), ContainsSubstring("scan_4.xyz: is not a file that can be read"));
}

TEST_CASE("times are those of each scan, or of each frame from 0 on", "[folder]") {
  const Scans folder({1, 3});
  (void)folder.write("timestamps.txt", "10\n11\n");
  REQUIRE(open_folder(folder.path()).times_s == Times{10, 11});
  (void)folder.write("times.txt", "20\r\n21\r\n\r\n22\r\n23.5\r\n24\r\n");
  REQUIRE(open_folder(folder.path()).times_s == Times{21, 23.5});
  (void)folder.write("times.txt", "20\n21\n22\n");
  REQUIRE_THAT(error_of(folder),
               ContainsSubstring("times.txt: has 3 times for 2 scans") && ContainsSubstring("each frame from 0 to 3"));
  (void)folder.write("times.txt", "20\n");
  REQUIRE_THAT(error_of(folder), ContainsSubstring("has 1 times for 2 scans"));
  (void)folder.write("times.txt", "2011-09-26 13:02:25\n");
  REQUIRE_THAT(error_of(folder), ContainsSubstring("times.txt: line 1: expected one number"));
  (void)folder.write("times.txt", "2\n1\n");
  REQUIRE_THAT(error_of(folder), ContainsSubstring("line 2: the time \"1\" is before"));
}

TEST_CASE("poses without times are those of each scan, or of each frame from 0 on", "[folder]") {
  const Scans folder({1, 3});
  (void)folder.write("poses.txt", kitti(2, 5));
  REQUIRE(truth_x(open_folder(folder.path())) == Times{5, 6});
  (void)folder.write("poses.txt", kitti(9));
  REQUIRE(truth_x(open_folder(folder.path())) == Times{1, 3});
  for (const int count : {1, 3}) {
    (void)folder.write("poses.txt", kitti(count));
    REQUIRE_THAT(error_of(folder), ContainsSubstring("poses.txt: has " + std::to_string(count) + " poses for 2 scans"));
  }
  const TemporaryFolder elsewhere;
  REQUIRE(truth_x(open_folder(folder.path(), elsewhere.write("p", kitti(4)))) == Times{1, 3});
  REQUIRE_THAT(io_error_of([&] { (void)open_folder(folder.path(), elsewhere / "missing"); }),
               ContainsSubstring("missing: cannot be opened"));
}

TEST_CASE("poses with times go to the scans nearest in time", "[folder]") {
  const Scans folder({0, 1, 2});
  (void)folder.write("times.txt", "10\n11\n12\n");
  (void)folder.write("poses.txt", tum({"9.5", "9.9", "10.6", "11.4", "12.1", "99"}));
  REQUIRE(truth_x(open_folder(folder.path())) == Times{1, 2, 4});  // 10.6 and 11.4 are equally near to 11
  (void)folder.write("poses.txt", tum({"10", "11", "12.6", "13"}));
  REQUIRE_THAT(error_of(folder), ContainsSubstring("has 4 poses for 3 scans") &&
                                     ContainsSubstring("none is within 0.5") && ContainsSubstring("scan at 12.0"));
  (void)folder.write("poses.txt", tum({"10", "11"}));
  REQUIRE_THAT(error_of(folder), ContainsSubstring("has 2 poses for 3 scans"));
}

TEST_CASE("poses with times that fit no scan go by their count", "[folder]") {
  const Scans folder({0, 1, 2});
  (void)folder.write("poses.txt", tum({"500", "501", "502"}));
  REQUIRE(truth_x(open_folder(folder.path())) == Times{0, 1, 2});
  (void)folder.write("times.txt", "10\n11\n12\n");
  REQUIRE(truth_x(open_folder(folder.path())) == Times{0, 1, 2});
  std::filesystem::remove(folder / "times.txt");
  (void)folder.write("poses.txt", tum({"0", "0.1", "0.2", "0.3"}));
  REQUIRE_THAT(error_of(folder), ContainsSubstring("has 4 poses for 3 scans") && ContainsSubstring("no times.txt"));
}

TEST_CASE("scans may be in the folder velodyne", "[folder]") {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder / "velodyne");
  (void)folder.write("velodyne/000004.bin", std::string(16, '\0'));
  (void)folder.write("labels.txt", "not a scan");
  (void)folder.write("times.txt", "3\n");
  (void)folder.write("poses.txt", kitti(5));
  const Sequence sequence = open_folder(folder.path());
  REQUIRE(sequence.ids == Ids{4});
  REQUIRE(sequence.times_s == Times{3});
  REQUIRE(truth_x(sequence) == Times{4});
  REQUIRE(sequence.read(0).size() == 1);
}

TEST_CASE("a real drive opens as a folder", "[folder][real]") {
  const auto path = test_data() / "replay/hku_1_livox";
  if (!exists(path)) SKIP("no real data in " << test_data());
  const Sequence sequence = open_folder(path);
  REQUIRE(sequence.name == "hku_1_livox");
  REQUIRE(sequence.size() == 314);
  REQUIRE(sequence.ground_truth.size() == 314);
  REQUIRE(sequence.times_s[1] == 7.299104);
  REQUIRE(sequence.read(313).size() == std::filesystem::file_size(path / "velodyne/000313.bin") / 16);
}
