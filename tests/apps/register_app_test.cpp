#include <apps/svg.hpp>
#include <datasets/scan_io.hpp>
#include <datasets/world/presets.hpp>
#include <datasets/world/sensors.hpp>
#include <parte/covariance.hpp>

#include "../parte/clouds.hpp"
#include "program.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <sstream>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <nlohmann/json.hpp>

namespace {

using namespace parte;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using Points = std::vector<Eigen::Vector3f>;

Outcome parte_register(const TemporaryFolder& folder, const std::string& arguments) {
  return run_program(folder, PARTE_REGISTER_PROGRAM, arguments);
}

/// Two scans of one street, and a cloud that has nothing to do with it, as files.
struct Files {
  TemporaryFolder folder;
  Points source, target;
  Eigen::Isometry3d T_target_source;

  Files() {
    const datasets::World street = datasets::make_street(1);
    const datasets::RayTracer tracer(street.mesh);
    const Eigen::Isometry3d T_world_source = datasets::street_pose(street, 96.0, -1.0, 2.0);
    const Eigen::Isometry3d T_world_target = datasets::street_pose(street, 104.0, 1.0, 0.0);
    source = datasets::scan_lidar(tracer, T_world_source, {.seed = 1});
    target = datasets::scan_lidar(tracer, T_world_target, {.seed = 2});
    T_target_source = T_world_target.inverse() * T_world_source;
    clouds::Engine engine(1);
    datasets::write_bin(folder / "source.bin", source);
    datasets::write_bin(folder / "target.bin", target);
    datasets::write_bin(folder / "other.bin", clouds::uniform_points(20'000, 20.0, engine));
  }
};

template <int Size>
Eigen::Matrix<double, Size, Size> matrix_of(const nlohmann::json& rows) {
  Eigen::Matrix<double, Size, Size> matrix;
  REQUIRE(rows.size() == Size);
  for (int r = 0; r < Size; ++r) {
    REQUIRE(rows[static_cast<std::size_t>(r)].size() == Size);
    for (int c = 0; c < Size; ++c) matrix(r, c) = rows[static_cast<std::size_t>(r)][static_cast<std::size_t>(c)];
  }
  return matrix;
}

/// Whether every tag is closed in turn, and everything else is text that XML allows. Knows what Svg writes, no more.
bool well_formed(const std::string& xml) {
  std::vector<std::string> open;
  for (std::size_t at = 0; at < xml.size();) {
    if (xml[at] != '<') {
      if (xml[at] == '>' || (open.empty() && xml[at] != '\n')) return false;
      if (xml[at] == '&' && xml.compare(at, 5, "&amp;") != 0 && xml.compare(at, 4, "&lt;") != 0 &&
          xml.compare(at, 4, "&gt;") != 0)
        return false;
      ++at;
      continue;
    }
    const std::size_t end = xml.find('>', at);
    if (end == std::string::npos) return false;
    const std::string tag = xml.substr(at + 1, end - at - 1);
    at = end + 1;
    if (tag.find_first_of("<&") != std::string::npos || std::count(tag.begin(), tag.end(), '\'') % 2 != 0) return false;
    if (tag.starts_with('/')) {
      if (open.empty() || open.back() != tag.substr(1)) return false;
      open.pop_back();
    } else if (!tag.ends_with('/')) {
      open.push_back(tag.substr(0, tag.find(' ')));
    }
  }
  return open.empty();
}

using Cells = std::set<std::pair<int, int>>;

/// The cells that the strokes of a picture's paths run over, by opacity.
std::map<std::string, Cells> inked(const std::string& svg) {
  std::map<std::string, Cells> cells;
  for (std::size_t at = 0; (at = svg.find("<path stroke-opacity='", at)) != std::string::npos;) {
    at += std::string("<path stroke-opacity='").size();
    const std::string opacity = svg.substr(at, svg.find('\'', at) - at);
    at = svg.find("d='", at) + 3;
    std::istringstream path(svg.substr(at, svg.find('\'', at) - at));
    char command = 0;
    for (int x = 0, y = 0, a = 0, b = 0; path >> command;) {
      REQUIRE(path >> a);
      if (command == 'h') {
        for (; a > 0; --a) REQUIRE(cells[opacity].insert({x++, y}).second);
        continue;
      }
      REQUIRE(path >> b);
      x = command == 'M' ? a : x + a;
      y = command == 'M' ? b : y + b;
    }
  }
  return cells;
}

}  // namespace

TEST_CASE("parte_register moves one scan onto the other and says how", "[register_app][program]") {
  const Files files;
  const Outcome outcome =
      parte_register(files.folder, "source.bin target.bin --json --out moved.ply --picture both.svg");
  CHECK(outcome.err == "");
  REQUIRE(outcome.code == 0);
  const nlohmann::json json = nlohmann::json::parse(outcome.out);
  CHECK(json.at("registered") == true);
  CHECK(json.at("status") == "success");
  CHECK(json.at("source").at("points") == files.source.size());
  CHECK(json.at("sensor") == "lidar");
  CHECK(json.at("voxel_m") == 0.3);
  CHECK(json.at("voxel_choice").at("by") == "extent");
  CHECK(json.at("voxel_choice").at("radius_m") > 5.0);
  CHECK_THAT(json.at("voxel_choice").at("explanation").get<std::string>(), ContainsSubstring("radius"));
  CHECK(json.at("overlap").at("fraction") > 0.3);
  for (const char* field : {"target", "point_candidates", "plane_candidates", "clique", "timings"})
    CHECK(json.contains(field));

  const Eigen::Isometry3d T(matrix_of<4>(json.at("T_target_source")));
  CHECK((T.translation() - files.T_target_source.translation()).norm() < 0.1);
  CHECK(Eigen::Quaterniond(T.linear()).angularDistance(Eigen::Quaterniond(files.T_target_source.linear())) < 0.005);
  CHECK(json.at("translation_m") == nlohmann::json({T(0, 3), T(1, 3), T(2, 3)}));
  const auto q = json.at("quaternion_xyzw").get<std::vector<double>>();
  CHECK(Eigen::Quaterniond(q[3], q[0], q[1], q[2]).toRotationMatrix().isApprox(T.linear(), 1e-9));

  const Points moved = datasets::read_scan(files.folder / "moved.ply");
  REQUIRE(moved.size() == files.source.size());
  double largest = 0.0;
  for (std::size_t i = 0; i < moved.size(); ++i)
    largest = std::max(largest, (moved[i].cast<double>() - T * files.source[i].cast<double>()).norm());
  CHECK(largest < 1e-5);

  const std::string svg = datasets::read_file(files.folder / "both.svg");
  CHECK(well_formed(svg));
  CHECK(svg.size() < 1'500'000);
  for (const char* title : {">before<", ">after<", ">source<", ">target<", ">from above<", ">along x<", " m<"})
    CHECK_THAT(svg, ContainsSubstring(title));
}

TEST_CASE("parte_register's covariance is the library's for the sensor and voxel size used",
          "[register_app][program]") {
  const Files files;
  const bool rgbd = GENERATE(false, true);
  // A cloud onto itself leaves no residuals: the voxel decides.
  const std::string arguments = std::string("source.bin source.bin --voxel 0.5 --sensor ") + (rgbd ? "rgbd" : "lidar");
  const Outcome outcome = parte_register(files.folder, arguments + " --json");
  REQUIRE(outcome.code == 0);
  const nlohmann::json json = nlohmann::json::parse(outcome.out);
  CHECK(json.at("voxel_choice") == nlohmann::json({{"by", "user"}}));

  const Registration registration(rgbd ? Options::rgbd(0.5) : Options::lidar(0.5));
  const Features features = registration.extract(files.source);
  const Result result = registration.align(features, features);
  const Matrix6d expected = registration_covariance(result, CovarianceOptions::of(registration.options()));
  REQUIRE(expected.diagonal().tail<3>().minCoeff() > 1e-8);  // (0.1 mm)^2
  CHECK(matrix_of<6>(json.at("covariance")).isApprox(expected, 1e-12));
  CHECK_THAT(parte_register(files.folder, arguments).out,
             ContainsSubstring("std. deviation") && ContainsSubstring("status           registered"));
}

TEST_CASE("parte_register leaves nothing behind of clouds that do not match", "[register_app][program]") {
  const Files files;
  const Outcome outcome =
      parte_register(files.folder, "other.bin target.bin --json --out moved.ply --picture both.png");
  REQUIRE(outcome.code == 3);
  const nlohmann::json json = nlohmann::json::parse(outcome.out);
  CHECK(json.at("registered") == false);
  CHECK(json.at("status") != "success");
  for (const char* field : {"T_target_source", "translation_m", "quaternion_xyzw", "covariance"})
    CHECK_FALSE(json.contains(field));
  CHECK_THAT(outcome.err, ContainsSubstring("moved.ply") && ContainsSubstring("not registered"));
  CHECK_FALSE(std::filesystem::exists(files.folder / "moved.ply"));
  CHECK_THAT(datasets::read_file(files.folder / "both.png"), StartsWith("\x89PNG"));
  CHECK_THAT(parte_register(files.folder, "other.bin target.bin").out, ContainsSubstring("not registered"));
}

TEST_CASE("wrong usage of parte_register is seen before any file is read", "[register_app][program]") {
  const TemporaryFolder folder;
  for (const char* arguments :
       {"nowhere.bin", "nowhere.bin either.bin --picture both.jpg", "nowhere.bin either.bin --picture both",
        "nowhere.bin either.bin --out moved.pcd", "nowhere.bin either.bin --voxel 0",
        "nowhere.bin either.bin --voxel x", "nowhere.bin either.bin --sensor sonar", "nowhere.bin either.bin --demo",
        "nowhere.bin either.bin third.bin"}) {
    CAPTURE(arguments);
    const Outcome outcome = parte_register(folder, arguments);
    CHECK(outcome.code == 2);
    CHECK(outcome.out == "");
    CHECK_THAT(outcome.err, StartsWith("parte_register: ") && !ContainsSubstring("cannot be opened"));
  }
  CHECK_THAT(parte_register(folder, "nowhere.bin either.bin --picture both.jpg").err, ContainsSubstring(".svg"));
}

TEST_CASE("parte_register names the file that it cannot read or write", "[register_app][program]") {
  const Files files;
  const Outcome missing = parte_register(files.folder, "source.bin nowhere.bin");
  CHECK(missing.code == 1);
  CHECK_THAT(missing.err, ContainsSubstring("nowhere.bin"));
  const Outcome unwritable = parte_register(files.folder, "source.bin target.bin --out no/such/folder.ply");
  CHECK(unwritable.code == 1);
  CHECK_THAT(unwritable.err, ContainsSubstring("no/such/folder.ply"));
}

TEST_CASE("coordinates in millimetres are suspected, and empty clouds are no error", "[register_app][program]") {
  const TemporaryFolder folder;
  clouds::Engine engine(1);
  datasets::write_bin(folder / "room.bin", clouds::uniform_points(5'000, 1500.0, engine));
  datasets::write_bin(folder / "empty.bin", {});
  const Outcome millimetres = parte_register(folder, "room.bin room.bin --sensor rgbd --json");
  CHECK_THAT(nlohmann::json::parse(millimetres.out).at("voxel_choice").at("warning").get<std::string>(),
             ContainsSubstring("millimetres"));
  const Outcome empty = parte_register(folder, "empty.bin empty.bin --json");
  CHECK(empty.code == 3);
  CHECK(nlohmann::json::parse(empty.out).at("voxel_choice").at("by") == "unknown");
}

TEST_CASE("an SVG shows each point, darker where there are more, and no text breaks it", "[register_app]") {
  const TemporaryFolder folder;
  clouds::Engine engine(7);
  std::map<std::pair<int, int>, int> counts;
  std::vector<Eigen::Vector2f> points;
  for (int i = 0; i < 3'000; ++i) {
    const Eigen::Vector2d p(clouds::uniform(engine, -20.0, 120.0), clouds::uniform(engine, -20.0, 90.0));
    points.emplace_back(p.cast<float>());
    if (p.x() >= 0 && p.x() < 100 && p.y() >= 0 && p.y() < 60) ++counts[{int(p.x() / 2), int(p.y() / 2)}];
  }
  points.emplace_back(std::numeric_limits<float>::quiet_NaN(), 0.0f);
  points.emplace_back(std::numeric_limits<float>::infinity(), 0.0f);
  std::map<std::string, Cells> expected;
  for (const auto& [cell, count] : counts) expected[count == 1 ? "0.4" : count <= 3 ? "0.7" : "0.95"].insert(cell);
  REQUIRE(expected.size() == 3);

  apps::Svg svg(200, 100);
  svg.scatter({10, 20, 100, 60}, points, {1.0f, 0.5f, 0.0f});
  svg.write(5, 5, "a<b> & \"c\" 'd'\x01", 2, {0.0f, 0.0f, 0.0f});
  svg.save(folder / "points.svg");
  const std::string text = datasets::read_file(folder / "points.svg");
  CHECK(inked(text) == expected);
  CHECK(well_formed(text));
  CHECK_THAT(text, ContainsSubstring("a&lt;b&gt; &amp; \"c\" 'd' <") && ContainsSubstring("stroke='#ff8000'") &&
                       ContainsSubstring("translate(10 21) scale(2)"));
}
