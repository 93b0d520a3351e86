#include <apps/eval_log.hpp>
#include <apps/eval_method.hpp>
#include <apps/eval_report.hpp>
#include <apps/option_names.hpp>
#include <apps/text_table.hpp>
#include <datasets/file.hpp>
#include <datasets/fragment_pairs.hpp>

#include "../datasets/files.hpp"

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

namespace {

using namespace parte;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
using Earlier = apps::EvalLog::Earlier;

apps::EvalRecord record(std::size_t pair, const std::string& group, const std::string& bin, double error_m,
                        bool right) {
  apps::EvalRecord r;
  r.pair = pair;
  r.method = "PARTE";
  r.source = "a, \"b\".bin";
  r.target = "c.bin";
  r.group = group;
  r.bin = bin;
  r.status = "success";
  r.estimated = r.accepted = true;
  r.T_target_source = Eigen::Isometry3d(
      Eigen::AngleAxisd(0.1 + 0.2 * static_cast<double>(pair), Eigen::Vector3d(1, 2, 3).normalized()));
  r.T_target_source.translation() << 1.0 / 3.0, 2e-9, 1e6 / 7.0;
  r.error_m = error_m;
  r.error_deg = 2.0 * error_m;
  r.right = right;
  r.overlap = 0.1;
  r.times_ms = {{"fpfh", 10.0 * static_cast<double>(pair)}, {"matching", 5.0}};
  return r;
}

}  // namespace

TEST_CASE("every option can be set by its name and shows in the text", "[eval]") {
  const Options defaults;
  for (const std::string& name : apps::option_names()) {
    Options changed = defaults;
    const std::string text = apps::to_text(defaults);
    const std::size_t at = (" " + text).find(" " + name + "=") + name.size() + 1;
    const std::string value = text.substr(at, text.find(' ', at) - at);
    const std::string other = value == "true"         ? "false"
                              : value == "false"      ? "true"
                              : value == "lidar"      ? "rgbd"
                              : value == "confidence" ? "none"
                              : value == "two_level"  ? "one_level"
                                                      : "7";
    apps::set_option(changed, name, other);
    INFO(name);
    REQUIRE((" " + apps::to_text(changed)).find(" " + name + "=" + other) != std::string::npos);
    REQUIRE(apps::to_text(changed) != text);
    apps::set_option(changed, name, value);
    REQUIRE(apps::to_text(changed) == text);
  }
}

TEST_CASE("what an option cannot be is refused by name", "[eval]") {
  Options o;
  REQUIRE_THROWS_WITH(apps::set_option(o, "plane_wieght", "3"),
                      ContainsSubstring("plane_wieght") && ContainsSubstring("plane_weight"));
  REQUIRE_THROWS_WITH(apps::set_option(o, "plane_weights", "some"), ContainsSubstring("confidence, fixed, none"));
  REQUIRE_THROWS_AS(apps::set_option(o, "voxel", "0.3m"), std::invalid_argument);
}

TEST_CASE("options that change the features are told from those that do not", "[eval]") {
  Options a, b;
  b.plane_weight = 3.0;
  b.verification.refine = false;
  REQUIRE(apps::to_text(a, true) == apps::to_text(b, true));
  b.orient_normals = false;
  REQUIRE(apps::to_text(a, true) != apps::to_text(b, true));
}

TEST_CASE("a result comes back from its line to the last bit", "[eval]") {
  const apps::EvalRecord r = record(3, "00", "0-10 m", 0.1 + 0.2, true);
  const apps::EvalRecord back = apps::parse_record(apps::to_line(r));
  REQUIRE(back.T_target_source.matrix() == r.T_target_source.matrix());
  REQUIRE(back.error_m == r.error_m);
  REQUIRE(back.source == r.source);
  REQUIRE(back.times_ms == r.times_ms);
  REQUIRE(apps::to_line(back) == apps::to_line(r));
  REQUIRE_THROWS_AS(apps::parse_record("{\"pair\": 1}"), std::invalid_argument);
  REQUIRE_THAT(apps::results_csv(std::vector{r}), ContainsSubstring("\"a, \"\"b\"\".bin\",c.bin"));
}

TEST_CASE("errors and what is right are those of the paper", "[eval]") {
  apps::Benchmark b;
  b.right = {2.0, 5.0};
  b.scans.resize(2);
  apps::EvalPair pair;
  pair.target = 1;
  pair.T_target_source = Eigen::Isometry3d(Eigen::AngleAxisd(1.0, Eigen::Vector3d::UnitY()));
  Eigen::Isometry3d T = pair.T_target_source;
  T.translation() << 0.0, 1.2, 1.6;
  T.rotate(Eigen::AngleAxisd(4.9 * EIGEN_PI / 180.0, Eigen::Vector3d::UnitX()));
  const apps::EvalRecord right = apps::judged(b, pair, "m", T);
  REQUIRE(right.error_m == Approx(2.0));
  REQUIRE(right.error_deg == Approx(4.9));
  REQUIRE(right.right == (right.error_m <= 2.0));
  T.translation() *= 1.01;
  REQUIRE_FALSE(apps::judged(b, pair, "m", T).right);
  REQUIRE_FALSE(apps::judged(b, pair, "m", std::nullopt).right);  // the identity would be no answer
}

TEST_CASE("scores are means over the right ones, times over all", "[eval]") {
  apps::Score s;
  s.add(record(1, "00", "", 0.1, true));
  s.add(record(2, "00", "", 0.3, true));
  s.add(record(3, "00", "", 9.0, false));
  REQUIRE(s.value(apps::Quantity::success_percent) == Approx(200.0 / 3.0));
  REQUIRE(s.value(apps::Quantity::ate_cm) == Approx(20.0));
  REQUIRE(s.value(apps::Quantity::are_deg) == Approx(0.4));
  REQUIRE(s.value(apps::Quantity::time_ms) == Approx(25.0));
  REQUIRE(s.accepted_wrong == 1);
  REQUIRE_FALSE(apps::Score().value(apps::Quantity::ate_cm));
  std::vector<double> hundred;
  for (int k = 100; k > 0; --k) hundred.push_back(k);
  REQUIRE(apps::quantile(hundred, 0.95) == 95.0);
  REQUIRE(apps::quantile(hundred, 0.5) == 50.0);
  REQUIRE(apps::quantile({7.0}, 0.95) == 7.0);
}

TEST_CASE("the tables have the paper's columns, and its rows fill them", "[eval]") {
  const auto [name, groups, bins, count] =
      GENERATE(table<std::string, std::vector<std::string>, std::vector<std::string>, std::size_t>(
          {{"KITTI-LC", {"00", "02", "05", "06", "08"}, {"0-10 m", "10-20 m", "20-30 m"}, 21},
           {"KITTI-10m", {"08", "09", "10"}, {""}, 8},
           {"3DMatch", {"7-scenes-redkitchen"}, {""}, 4},
           {"3DLoMatch", {"7-scenes-redkitchen"}, {""}, 4},
           {"RESSO", {"6a", "6b", "6c", "6d", "6f", "6g", "6h"}, {""}, 9},
           {"ETH", {"gazebo_summer", "gazebo_winter", "wood_autumn", "wood_summer"}, {""}, 6}}));
  std::vector<apps::EvalRecord> records;
  for (const std::string& bin : bins)
    for (const std::string& group : groups) records.push_back(record(records.size(), group, bin, 0.5, true));
  const apps::EvalSummary summary(name, records);
  const auto columns = summary.columns();
  REQUIRE(columns.size() == count);
  const auto rows = apps::published_rows(name);
  REQUIRE(rows.size() >= 15);
  REQUIRE(rows.back().method == "PARTE");
  REQUIRE(rows.back().values.size() == count);
  for (const apps::Column& column : columns) REQUIRE(rows.back().values.contains(column));
  REQUIRE_THAT(summary.tables(true).front().text(), ContainsSubstring("PARTE *") && ContainsSubstring("published"));
  REQUIRE_THAT(summary.tables(false).front().text(), !ContainsSubstring("published"));
}

TEST_CASE("the worst pairs are those that are not right, then those with the largest errors", "[eval][report]") {
  std::vector<apps::EvalRecord> records;
  for (const auto& [error_m, right] : {std::pair(0.5, true), std::pair(9.0, false), std::pair(1.5, true),
                                       std::pair(30.0, false), std::pair(0.1, false)})
    records.push_back(record(records.size(), "00", "", error_m, right));
  records[4].estimated = false;  // nothing at all is worse than anything
  records.push_back(record(5, "00", "", 100.0, false));
  records.back().method = "another";
  const apps::EvalSummary summary("pairs", records);
  REQUIRE(apps::worst_records(summary, {2.0, 5.0}, 4) == std::vector<std::size_t>{4, 3, 1, 2});
  REQUIRE(apps::worst_records(summary, {2.0, 5.0}, 12).size() == 5);
}

TEST_CASE("the page ranks pairs by their confidence", "[eval][report]") {
  apps::EvalRecord r = record(0, "00", "", 0.5, true);
  r.confidence = 0.9375;
  const nlohmann::ordered_json settings = {
      {"benchmark", "pairs"}, {"methods", {{{"name", r.method}}}}, {"right", {{"metres", 2.0}, {"degrees", 5.0}}}};
  const auto report = apps::eval_report({settings, "", "", {}}, apps::EvalSummary("pairs", {r}), nullptr);
  REQUIRE(report["results"]["confidence"][0].get<double>() == 0.9375);
}

TEST_CASE("the overall rates of the published rows follow from their parts", "[eval]") {
  // KITTI-10m has 307 + 162 + 87 pairs: the paper's last column is the mean over them.
  for (const apps::PublishedRow& row : apps::published_rows("KITTI-10m")) {
    using enum apps::Quantity;
    const auto at = [&](const char* group) { return row.values.at({"", group, success_percent}); };
    INFO(row.method);
    REQUIRE(at("") == Approx((307 * at("08") + 162 * at("09") + 87 * at("10")) / 556.0).margin(0.11));
  }
}

TEST_CASE("headings stand above the columns that share them", "[eval]") {
  apps::TextTable table({"", "left", "left", "a long heading"});
  table.add({"m", "1", "2", "3"});
  REQUIRE(table.text() == "   left  a long heading\nm  1  2               3\n");
}

TEST_CASE("parts of a benchmark are disjoint and complete", "[eval]") {
  const std::size_t total = GENERATE(1, 7, 100);
  const std::size_t parts = GENERATE(1, 2, 3, 9);
  for (std::size_t number = 0; number < total; ++number) {
    std::size_t owners = 0;
    for (std::size_t part = 1; part <= parts; ++part) owners += apps::in_shard(number, total, {part, parts}) ? 1 : 0;
    REQUIRE(owners == 1);
  }
  for (const char* bad : {"0/2", "3/2", "1", "a/b", "1/0", "1/2/3", "-1/2"})
    REQUIRE_THROWS_AS(apps::parse_shard(bad), std::invalid_argument);
}

TEST_CASE("a log goes on after its last whole pair", "[eval]") {
  const TemporaryFolder folder;
  const nlohmann::ordered_json settings = {{"shard", "1/1"}, {"n", 1}}, other = {{"shard", "1/1"}, {"n", 2}};
  {
    apps::EvalLog log(folder.path());
    REQUIRE(log.begin(settings, 2, Earlier::refuse) == 0);
    log.append("a\nb\n");
    log.append("c\nd\n");
    log.append("e\n{\"torn");
  }
  {
    apps::EvalLog log(folder.path());
    REQUIRE_THROWS_WITH(log.begin(settings, 2, Earlier::refuse), ContainsSubstring("--resume"));
    REQUIRE_THROWS_WITH(log.begin(other, 2, Earlier::resume), ContainsSubstring("other settings"));
    REQUIRE(log.begin(settings, 2, Earlier::resume) == 2);
    log.append("e\nf\n");
    REQUIRE(datasets::read_file(folder / "results.jsonl") == "a\nb\nc\nd\ne\nf\n");
  }
  apps::EvalLog log(folder.path());
  REQUIRE(log.begin(other, 2, Earlier::overwrite) == 0);
  REQUIRE(log.lines().empty());
}

TEST_CASE("sweeps and ablations become rows of their own", "[eval]") {
  apps::MethodRequest request;
  request.set = {"plane_weight=4"};
  request.sweeps = {"fpfh_radius=4,6"};
  request.ablations = true;
  const auto methods = apps::make_methods(Options::lidar(0.3), request);
  REQUIRE(methods[0].name == "PARTE plane_weight=4");
  REQUIRE(methods[0].options.plane_weight == 4.0);
  REQUIRE(methods[2].options.fpfh_radius == 6.0);
  REQUIRE(methods[2].options.plane_weight == 4.0);
  for (const apps::Method& m : methods)
    for (const apps::Method& n : methods) REQUIRE((&m == &n || m.name != n.name));
  for (std::size_t k = 1; k < methods.size(); ++k)
    REQUIRE(apps::to_text(methods[k].options) != apps::to_text(methods[0].options));
  request.sweeps = {"voxel=0"};
  REQUIRE_THROWS_AS(apps::make_methods(Options::lidar(0.3), request), std::invalid_argument);
  request.sweeps = {"voxel"};
  REQUIRE_THROWS_AS(apps::make_methods(Options::lidar(0.3), request), std::invalid_argument);
}

TEST_CASE("commands and settings that would mislead are refused", "[eval]") {
  apps::MethodRequest quoted, voxel, names;
  quoted.external = {"p '{source}' {target}"};
  voxel.set = {"voxel=0.1"};
  names.external = {"  /opt/peer {source} {target}", "./ {source} {target}"};
  const Options lidar = Options::lidar(0.3);
  REQUIRE_THROWS_WITH(apps::make_methods(lidar, quoted), ContainsSubstring("quotes"));
  REQUIRE_THROWS_WITH(apps::make_methods(lidar, voxel), ContainsSubstring("--voxel"));
  REQUIRE(apps::make_methods(lidar, names)[1].name == "peer");
}

TEST_CASE("an external program is asked for its matrix", "[eval]") {
  const TemporaryFolder folder;
  const apps::EvalScan file{"x", folder.write("it's x.bin", ""), {}};
  const apps::EvalScan made{"y", {}, [] { return datasets::Points(3, Eigen::Vector3f(1, 2, 3)); }};
  const std::string matrix = "0 -1 0 5\\n1 0 0 6\\n0 0 1 7\\n0 0 0 1\\n";
  const auto ask = [&](const std::string& command, double limit_s = 20.0) {
    return apps::run_external(command, limit_s, file, made);
  };
  const auto answer =
      ask("test -f {source} && test -f {target} && printf 'loaded 3 points\\n1 2 3 4\\n" + matrix + "done\\n'");
  REQUIRE(answer.status == "success");
  REQUIRE(answer.T_target_source->translation() == Eigen::Vector3d(5, 6, 7));
  REQUIRE(answer.T_target_source->linear()(0, 1) == Approx(-1.0));
  REQUIRE(ask("printf '" + matrix + "'; exit 3 # {source} {target}").status == "exit status 3");
  REQUIRE(ask("echo 1 2 3 4 # {source} {target}").status == "no 4 x 4 transform printed");
  REQUIRE(ask("printf '2 0 0 0\\n0 1 0 0\\n0 0 1 0\\n0 0 0 1\\n' # {source}").status == "no 4 x 4 transform printed");
  REQUIRE(ask("sleep 20 # {source}", 0.2).status == "timed out");
  const apps::EvalScan evil{"z", folder.write("{target}.xyz", ""), {}};
  const apps::EvalScan worse{"z", folder.write("$(touch PWNED).xyz", ""), {}};
  const auto echoed =
      apps::run_external("cd " + folder.path().string() + " && echo {source} {target}", 20.0, evil, worse);
  REQUIRE(echoed.status == "no 4 x 4 transform printed");
  REQUIRE_FALSE(std::filesystem::exists(folder / "PWNED"));
}

TEST_CASE("every benchmark is found where its data is usually put, with its own protocol", "[eval]") {
  const TemporaryFolder folder;
  const auto put = [&](const std::string& name, const std::string& content) {
    std::filesystem::create_directories((folder / name).parent_path());
    (void)folder.write(name, content);
  };
  const std::string pose = "1 0 0 0.5\n0 1 0 0\n0 0 1 0\n0 0 0 1\n", log = "0 1 2\n" + pose;
  for (const std::string_view scene : datasets::k3DMatchScenes) {
    for (const char* cloud : {"0", "1"}) put("fragments/" + std::string(scene) + "/cloud_bin_" + cloud + ".ply", "");
    put("benchmarks/3DMatch/" + std::string(scene) + "/gt.log", log);
    put("benchmarks/3DLoMatch/" + std::string(scene) + "/gt.log", log + log);
  }
  for (const char* scene : {"gazebo_summer", "gazebo_winter", "wood_autumn", "wood_summer"})
    for (const char* file : {"/Hokuyo_0.ply", "/Hokuyo_1.ply", "/gt.log"}) put(std::string(scene) + file, log);
  for (const std::string scene : {"6a", "6b", "6c", "6d", "6f", "6g", "6h"}) {
    put(scene + "/poses.txt", "2\nfull.ply\n" + pose + "part.ply\n" + pose);
    for (const char* file : {"/full.ply", "/part.ply"}) put(scene + file, "");
  }
  const auto open = [&](const std::string& name) {
    apps::BenchmarkRequest request;
    request.name = name;
    request.root = folder.path();
    return apps::open_benchmark(request);
  };
  const auto [name, pairs, voxel, metres, sensor] =
      GENERATE(table<std::string, std::size_t, double, double, Sensor>({{"3dmatch", 8, 0.05, 0.3, Sensor::rgbd},
                                                                        {"3dlomatch", 16, 0.05, 0.3, Sensor::rgbd},
                                                                        {"eth", 4, 0.1, 0.3, Sensor::lidar},
                                                                        {"resso", 7, 0.05, 0.3, Sensor::rgbd}}));
  const apps::Benchmark b = open(name);
  REQUIRE(b.pairs.size() == pairs);
  REQUIRE(b.options.voxel == voxel);
  REQUIRE(b.options.sensor == sensor);
  REQUIRE(b.right.metres == metres);
  REQUIRE(b.right.degrees == 15.0);
  REQUIRE(b.scans.size() == (name == "3dlomatch" ? pairs : 2 * pairs));
  REQUIRE(!apps::published_rows(b.name).empty());
  for (const apps::EvalPair& pair : b.pairs) REQUIRE_FALSE(pair.group.empty());
}
