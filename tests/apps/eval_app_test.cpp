#include <datasets/file.hpp>
#include <datasets/scan_io.hpp>
#include <datasets/text.hpp>
#include <datasets/world/presets.hpp>
#include <datasets/world/sensors.hpp>

#include "../datasets/files.hpp"
#include "report_page.hpp"

#include <algorithm>
#include <set>
#include <sstream>

#include <sys/wait.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

namespace {

using namespace parte;
namespace fs = std::filesystem;
using Catch::Matchers::ContainsSubstring;

struct Outcome {
  int code = 0;
  std::string out, err;
};

Outcome parte_eval(const TemporaryFolder& folder, const std::string& arguments, const std::string& ending = "") {
  const std::string command = "cd '" + folder.path().string() + "' && { '" PARTE_EVAL_PROGRAM "' " + arguments +
                              " >stdout.txt 2>stderr.txt " + ending + " ; }";
  const int status = std::system(command.c_str());
  return {WEXITSTATUS(status), datasets::read_file(folder / "stdout.txt"), datasets::read_file(folder / "stderr.txt")};
}

/// Five scans of a street in KITTI's layout, thinned so that a pair takes little time, and a list of pairs.
void write_street(const TemporaryFolder& folder) {
  constexpr std::size_t kEvery = 3;
  const datasets::World street = datasets::make_street(1);
  const datasets::RayTracer tracer(street.mesh);
  const fs::path velodyne = folder / "sequences/04/velodyne";
  fs::create_directories(velodyne);
  std::vector<Eigen::Isometry3d> poses;
  for (std::size_t i = 0; i < 5; ++i) {
    poses.push_back(
        datasets::street_pose(street, 80.0 + 4.0 * static_cast<double>(i), 0.0, 0.3 * static_cast<double>(i)));
    const datasets::Points all = datasets::scan_lidar(tracer, poses.back(), {.seed = i});
    datasets::Points points;
    for (std::size_t k = 0; k < all.size(); k += kEvery) points.push_back(all[k]);
    datasets::write_bin(velodyne / datasets::zero_padded(i, 6).append(".bin"), points);
  }
  std::string list = "seq i seq_db j T\n";
  for (const auto& [i, j] : {std::pair(0, 1), std::pair(0, 2), std::pair(1, 3), std::pair(4, 0), std::pair(3, 4)}) {
    const Eigen::Matrix4d T =
        (poses[static_cast<std::size_t>(j)].inverse() * poses[static_cast<std::size_t>(i)]).matrix();
    list.append("4 ").append(std::to_string(i)).append(" 4 ").append(std::to_string(j));
    for (int k = 0; k < 16; ++k) list.append(" ").append(std::to_string(T(k / 4, k % 4)));
    list += '\n';
  }
  (void)folder.write("list.txt", list);
}

/// The files that must not depend on how a run was made.
std::string results(const TemporaryFolder& folder, const std::string& out) {
  std::string text;
  for (const char* name : {"results.jsonl", "results.csv", "summary.csv", "table.txt"})
    text += datasets::read_file(folder / (out + "/" + name));
  return text;
}

/// The same of the page; `drawn`: with the pairs that are drawn, for which the scans must be at hand.
PageJson page(const TemporaryFolder& folder, const std::string& out, bool drawn = true) {
  PageJson data = page_data(folder / (out + "/report.html"));
  data.erase("command");
  if (!drawn) data.erase("gallery"), data.erase("notes");
  return data;
}

void check_page(const PageJson& data, const std::string& results_csv, const std::string& table_txt) {
  const PageJson& results = data["results"];
  std::istringstream lines(results_csv);
  std::string line;
  std::getline(lines, line);
  REQUIRE(line.starts_with("pair,method,source,target,group,bin,status,estimated,accepted,right,error_m,error_deg"));
  std::size_t i = 0;
  for (; std::getline(lines, line); ++i) {
    std::vector<std::string> cells;
    std::istringstream words(line);
    for (std::string word; std::getline(words, word, ',');) cells.push_back(word);
    REQUIRE(results["pair"][i] == std::stoi(cells[0]));
    REQUIRE(data["methods"][results["method"][i].get<std::size_t>()] == cells[1]);
    const auto name = [&](const char* scan) { return results["names"][results[scan][i].get<std::size_t>()]; };
    REQUIRE(name("source") == cells[2]);
    REQUIRE(name("target") == cells[3]);
    REQUIRE(results["right"][i] == (cells[9] == "1"));
    REQUIRE(results["error_m"][i].is_null() == (cells[7] != "1"));
    if (cells[7] == "1") REQUIRE(std::abs(results["error_m"][i].get<double>() - std::stod(cells[10])) < 1e-4);
    REQUIRE(results["total_ms"][i].is_null());
  }
  for (const auto& [name, column] : results.items()) REQUIRE((name == "names" || column.size() == i));
  const std::set<std::string> names = results["names"];
  REQUIRE(names.size() == results["names"].size());
  REQUIRE(data["worst"].size() == std::min<std::size_t>(12, i / data["methods"].size()));
  for (const PageJson& table : data["tables"])
    for (const PageJson& row : table["rows"])
      for (const PageJson& cell : row) REQUIRE_THAT(table_txt, ContainsSubstring(cell.get<std::string>()));
  REQUIRE(data["stages"].empty());
}

}  // namespace

TEST_CASE("parts, threads, jobs and interruptions do not change a table", "[eval][program]") {
  const TemporaryFolder folder;
  write_street(folder);
  const std::string common = "pairs list.txt --no-times --sweep use_planes=true,false ";
  const Outcome whole = parte_eval(folder, common + "--out whole --threads 1");
  INFO(whole.err);
  REQUIRE(whole.code == 0);
  REQUIRE_THAT(whole.out, ContainsSubstring("5 pairs") && ContainsSubstring("SR [%] 10-20 m"));
  REQUIRE_THAT(whole.out, ContainsSubstring("PARTE use_planes=false"));
  const std::string expected = results(folder, "whole");

  REQUIRE(parte_eval(folder, common + "--out jobs --threads 2 --jobs 2 --memory 0.001").code == 0);
  REQUIRE(results(folder, "jobs") == expected);
  const PageJson whole_page = page(folder, "whole");
  check_page(whole_page, datasets::read_file(folder / "whole/results.csv"),
             datasets::read_file(folder / "whole/table.txt"));
  REQUIRE(whole_page["gallery"].size() == 5);  // there are no more pairs
  for (const PageJson& pair : whole_page["gallery"]) {
    REQUIRE(whole_page["results"]["method"][pair["result"].get<std::size_t>()] == 0);
    REQUIRE(decode_cloud(pair["source"]).size() > 500);
    REQUIRE(decode_cloud(pair["target"]).size() <= 4000);
  }
  REQUIRE(page(folder, "jobs") == whole_page);

  for (const char* part : {"1/3", "2/3", "3/3"})
    REQUIRE(parte_eval(folder, common + "--shard " + part + " --out part" + std::string(1, part[0])).code == 0);
  REQUIRE(parte_eval(folder, "merge part3 part1 part2 --out merged").code == 0);
  REQUIRE(results(folder, "merged") == expected);
  REQUIRE(page(folder, "merged", false) == page(folder, "whole", false));
  REQUIRE(page(folder, "merged")["gallery"].empty());
  REQUIRE_THAT(page(folder, "merged")["notes"].dump(), ContainsSubstring("not at hand"));
  const Outcome incomplete = parte_eval(folder, "merge part1 part2 --out x");
  REQUIRE(incomplete.code == 2);
  REQUIRE_THAT(incomplete.err, ContainsSubstring("part 3 of 3 is missing"));
  REQUIRE(parte_eval(folder, "merge part1 part2 part3 --out part1 --overwrite").code == 2);  // would destroy it
  REQUIRE(parte_eval(folder, "merge part1 part2 part3 --out merged --resume").code == 0);
  REQUIRE(results(folder, "merged") == expected);
  REQUIRE_THAT(parte_eval(folder, "merge part1 part1 part2 --out x").err, ContainsSubstring("same part"));
  REQUIRE_THAT(parte_eval(folder, "merge part1 whole --out x").err, ContainsSubstring("no parts of one run"));

  const std::string until =
      "& pid=$!; while [ ! -s cut/results.jsonl ]; do sleep 0.01; done; kill -TERM $pid; wait $pid";
  const Outcome cut = parte_eval(folder, common + "--out cut", until);
  REQUIRE(cut.code == 130);
  REQUIRE_THAT(cut.err, ContainsSubstring("--resume"));
  REQUIRE(parte_eval(folder, common + "--out cut").code == 2);
  REQUIRE_THAT(parte_eval(folder, common + "--voxel 0.4 --out cut --resume").err, ContainsSubstring("other settings"));
  REQUIRE(parte_eval(folder, common + "--out cut --resume").code == 0);
  REQUIRE(results(folder, "cut") == expected);
  REQUIRE(page(folder, "cut") == whole_page);
}

TEST_CASE("missing scans are named, and left out only when asked to", "[eval][program]") {
  const TemporaryFolder folder;
  write_street(folder);
  fs::remove(folder / "sequences/04/velodyne/000004.bin");
  const Outcome refused = parte_eval(folder, "pairs list.txt --out o");
  REQUIRE(refused.code == 1);
  REQUIRE_THAT(refused.err, ContainsSubstring("000004.bin") && ContainsSubstring("2 of 5 pairs") &&
                                ContainsSubstring("--allow-missing"));
  REQUIRE_FALSE(fs::exists(folder / "o"));
  const Outcome allowed = parte_eval(folder, "pairs list.txt --out o --allow-missing");
  REQUIRE(allowed.code == 0);
  REQUIRE_THAT(allowed.out, ContainsSubstring("3 pairs (2 more left out"));
  REQUIRE_THAT(allowed.out, ContainsSubstring("fpfh"));  // times by stage
  REQUIRE_THAT(datasets::read_file(folder / "o/stages.csv"), ContainsSubstring("PARTE,matching,"));
  const Outcome nowhere = parte_eval(folder, "pairs list.txt --root elsewhere --out p");
  REQUIRE(nowhere.code == 1);
  REQUIRE_THAT(nowhere.err, ContainsSubstring("--root"));
}

TEST_CASE("parts that miss different scans belong together, those of other pairs do not", "[eval][program]") {
  const TemporaryFolder folder;
  write_street(folder);
  const std::string list = datasets::read_file(folder / "list.txt");
  fs::remove(folder / "sequences/04/velodyne/000004.bin");
  const std::string common = "--allow-missing --point-only --no-times ";
  REQUIRE(parte_eval(folder, "pairs list.txt " + common + "--out whole").code == 0);
  for (const char* part : {"1/2", "2/2"})
    REQUIRE(parte_eval(folder, "pairs list.txt " + common + "--shard " + part + " --out part" + std::string(1, part[0]))
                .code == 0);
  REQUIRE(parte_eval(folder, "merge part1 part2 --out merged").code == 0);
  REQUIRE(results(folder, "merged") == results(folder, "whole"));

  const std::size_t first = list.find('\n') + 1, second = list.find('\n', first) + 1;
  (void)folder.write("other.txt", list.substr(0, first) + list.substr(second) + list.substr(first, second - first));
  REQUIRE_THAT(parte_eval(folder, "pairs other.txt " + common + "--out whole --resume").err,
               ContainsSubstring("other settings"));
  fs::create_directories(folder / "mine");
  (void)folder.write("mine/table.txt", "not yours");
  REQUIRE(parte_eval(folder, "pairs list.txt " + common + "--out mine").code == 2);
  REQUIRE(datasets::read_file(folder / "mine/table.txt") == "not yours");
  REQUIRE(parte_eval(folder, "pairs list.txt " + common + "--out list.txt").code == 1);
  REQUIRE(parte_eval(folder, "pairs list.txt --planes --ablations --out p").code == 2);
}

TEST_CASE("another program is a row in the same table", "[eval][program]") {
  const TemporaryFolder folder;
  write_street(folder);
  (void)folder.write("peer.sh", "test -f \"$1\" -a -f \"$2\" && printf '1 0 0 0\\n0 1 0 0\\n0 0 1 0\\n0 0 0 1\\n'");
  const Outcome outcome =
      parte_eval(folder, "pairs list.txt --out o --set use_planes=false --external 'sh peer.sh {source} {target}'");
  INFO(outcome.err);
  REQUIRE(outcome.code == 0);
  REQUIRE_THAT(datasets::read_file(folder / "o/summary.csv"), ContainsSubstring("sh,all,all,5,0,0.000000,5,5"));
  REQUIRE(parte_eval(folder, "pairs list.txt --out p --external 'sh peer.sh'").code == 2);
}

TEST_CASE("the matching of planes has tables and curves of its own", "[eval][program]") {
  const TemporaryFolder folder;
  write_street(folder);
  const std::string common = "pairs list.txt --planes ";
  REQUIRE(parte_eval(folder, common + "--out whole").code == 0);
  const std::string table = datasets::read_file(folder / "whole/planes.csv");
  REQUIRE_THAT(table, ContainsSubstring("PCH-2L,5,") && ContainsSubstring("Perimeter,5,"));
  REQUIRE_THAT(datasets::read_file(folder / "whole/curves.png"), ContainsSubstring("PNG"));
  for (const char* part : {"1/2", "2/2"})
    REQUIRE(parte_eval(folder, common + "--jobs 2 --shard " + part + " --out part" + std::string(1, part[0])).code ==
            0);
  REQUIRE(parte_eval(folder, "merge part1 part2 --out merged").code == 0);
  const PageJson planes = page(folder, "whole");
  REQUIRE(planes["results"].is_null());
  REQUIRE(planes["planes"].size() == 4);
  REQUIRE(planes["planes"][0]["descriptor"] == "PCH-2L");
  REQUIRE(planes["planes"][0]["precision_recall"].size() > 2);
  REQUIRE(page(folder, "merged") == planes);
  for (const char* name : {"results.jsonl", "planes.csv", "curves.csv", "curves.png", "table.txt"})
    REQUIRE(datasets::read_file(folder / (std::string("merged/") + name)) ==
            datasets::read_file(folder / (std::string("whole/") + name)));
}

TEST_CASE("a benchmark is read by its published protocol", "[eval][program]") {
  const TemporaryFolder folder;
  write_street(folder);
  fs::create_directories(folder / "kitti_lc");
  for (const char* name : {"test_0_10.txt", "test_10_20.txt", "test_20_30.txt"})
    fs::copy_file(folder / "list.txt", folder / (std::string("kitti_lc/") + name));
  const Outcome lc = parte_eval(folder, "kitti-lc --out lc --point-only --with-paper");
  INFO(lc.err);
  REQUIRE(lc.code == 0);
  REQUIRE_THAT(lc.out, ContainsSubstring("KITTI-LC: 15 pairs; voxel 0.3 m; right: within 2.0 m and 5.0 deg"));
  REQUIRE_THAT(lc.out, ContainsSubstring("PARTE *"));
  const Outcome without = parte_eval(folder, "kitti-10m --out ten");
  REQUIRE(without.code == 1);
  REQUIRE_THAT(without.err, ContainsSubstring("test_10.txt") && ContainsSubstring("--lists"));
}
