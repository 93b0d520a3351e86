#include <datasets/g2o.hpp>

#include <datasets/random.hpp>

#include "files.hpp"

#include <cmath>
#include <cstring>
#include <fstream>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::StartsWith;
using namespace parte::datasets;

namespace {

const std::string kVertices = "VERTEX_SE3:QUAT 0 0 0 0 0 0 0 1\nVERTEX_SE3:QUAT 7 1 2 3 0 0 0.6 0.8\n";
const std::string kInformation = " 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21";
const std::string kEdge = "EDGE_SE3:QUAT 0 7 4 5 6 0.6 0 0 0.8" + kInformation + "\n";

std::string error_of(const std::string& text) {
  return io_error_of([&] { (void)parse_g2o(text, "a.g2o"); });
}

template <class Matrix>
bool same_bits(const Matrix& a, const Matrix& b) {
  return std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
}
bool same_bits(const QuaternionPose& a, const QuaternionPose& b) {
  return same_bits(a.translation, b.translation) && same_bits(a.rotation.coeffs(), b.rotation.coeffs());
}
void require_same_bits(const PoseGraph& a, const PoseGraph& b) {
  REQUIRE(a.fixed == b.fixed);
  REQUIRE(a.vertices.size() == b.vertices.size());
  REQUIRE(a.edges.size() == b.edges.size());
  bool same = true;
  for (std::size_t i = 0; i < a.vertices.size(); ++i)
    same = same && a.vertices[i].id == b.vertices[i].id &&
           same_bits(a.vertices[i].T_world_vertex, b.vertices[i].T_world_vertex);
  for (std::size_t i = 0; i < a.edges.size(); ++i)
    same = same && a.edges[i].from == b.edges[i].from && a.edges[i].to == b.edges[i].to &&
           same_bits(a.edges[i].T_from_to, b.edges[i].T_from_to) &&
           same_bits(a.edges[i].information, b.edges[i].information);
  REQUIRE(same);
}

PoseGraph read_again(const PoseGraph& graph) {
  const TemporaryFolder folder;
  write_g2o(folder / "a.g2o", graph);
  return read_g2o(folder / "a.g2o");
}

PoseGraph random_graph(std::uint64_t seed) {
  Random random(seed);
  const auto pose = [&] {
    Eigen::Vector4d q;
    for (double& value : q) value = random.uniform(-1.0, 1.0);
    const Eigen::Vector3d t(std::ldexp(random.uniform(), 30), -random.uniform(), 1e-300 * random.uniform());
    return QuaternionPose(t, Eigen::Quaterniond(q / q.norm() * random.uniform(0.995, 1.005)));
  };
  PoseGraph graph;
  for (long i = 0; i < 20; ++i) graph.vertices.push_back({i * i - 5, pose()});
  for (std::size_t i = 1; i < 20; ++i) {
    PoseGraph::Edge edge{graph.vertices[i].id, graph.vertices[i - 1].id, pose()};
    const Eigen::Matrix<double, 6, 6> root = edge.information.unaryExpr([&](double) { return random.normal(); });
    edge.information = root * root.transpose();
    graph.edges.push_back(edge);
  }
  graph.fixed = {-5, 4};
  return graph;
}

std::size_t lines_starting_with(const std::filesystem::path& path, const std::string& tag) {
  std::ifstream in(path);
  std::size_t count = 0;
  for (std::string line; std::getline(in, line);) count += line.rfind(tag + " ", 0) == 0 ? 1 : 0;
  return count;
}

}  // namespace

TEST_CASE("a pose graph has its vertices, edges and fixed ids, in any order of lines", "[g2o]") {
  const PoseGraph graph = parse_g2o("# a graph\r\nFIX 0 7\r\n" + kEdge + "\n" + kVertices, "a");
  REQUIRE(graph.vertices.size() == 2);
  REQUIRE(graph.vertices[1].id == 7);
  const Eigen::Isometry3d T = graph.vertices[1].T_world_vertex.isometry();
  // About z by twice the angle whose sine is 0.6.
  REQUIRE((T * Eigen::Vector3d(1, 0, 0) - Eigen::Vector3d(1.28, 2.96, 3)).norm() < 1e-14);
  REQUIRE(graph.fixed == std::vector<long>{0, 7});
  REQUIRE((graph.edges[0].from == 0 && graph.edges[0].to == 7));
  REQUIRE(graph.edges[0].T_from_to.translation == Eigen::Vector3d(4, 5, 6));
  REQUIRE(std::abs(graph.edges[0].T_from_to.rotation.x() - 0.6) < 1e-15);
}

TEST_CASE("the information matrix stays in the order of the file", "[g2o]") {
  const auto information = parse_g2o(kVertices + kEdge, "a").edges[0].information;
  Eigen::Matrix<double, 6, 6> expected;
  expected << 1, 2, 3, 4, 5, 6,  //
      2, 7, 8, 9, 10, 11,        //
      3, 8, 12, 13, 14, 15,      //
      4, 9, 13, 16, 17, 18,      //
      5, 10, 14, 17, 19, 20,     //
      6, 11, 15, 18, 20, 21;
  REQUIRE(information == expected);
}

TEST_CASE("what was read, written and read again is the same bit by bit", "[g2o]") {
  const PoseGraph once = read_again(random_graph(GENERATE(range(0u, 50u))));
  require_same_bits(read_again(once), once);
}

TEST_CASE("isometries come back from a written graph", "[g2o]") {
  PoseGraph graph;
  const Eigen::Isometry3d T = random_graph(3).vertices[4].T_world_vertex.isometry();
  graph.vertices.push_back({1, QuaternionPose(T)});
  REQUIRE(read_again(graph).vertices[0].T_world_vertex.isometry().isApprox(QuaternionPose(T).isometry(), 1e-14));
  graph.vertices[0].T_world_vertex.translation.x() = NAN;
  REQUIRE_THROWS_AS(read_again(graph), std::invalid_argument);
}

TEST_CASE("a bad line of a pose graph is named", "[g2o]") {
  const auto [bad, expected] = GENERATE(table<std::string, std::string>({
      {"VERTEX_SE2 1 0 0 0", "the tag \"VERTEX_SE2\" is not read"},
      {"VERTEX_TRACKXYZ 1 0 0 0", "landmarks are not supported"},
      {"EDGE_SE2 0 7 0 0 0", "two-dimensional graphs (SE2)"},
      {"VERTEX_SE3:QUAT 7 0 0 0 0 0 0 1", "vertex 7 is given a second time"},
      {"VERTEX_SE3:QUAT 8 0 0 0 0 0 1", "expected 8 values (id x y z qx qy qz qw), found 7"},
      {"VERTEX_SE3:QUAT x 0 0 0 0 0 0 1", "\"x\" is not a whole number"},
      {"VERTEX_SE3:QUAT 8 0 0 nan 0 0 0 1", "\"nan\" is not a finite number"},
      {"VERTEX_SE3:QUAT 8 0 0 0 0 0 0 0.9", "the quaternion"},
      {"EDGE_SE3:QUAT 0 7 4 5 6 0.6 0 0 0.8 1 2 3", "expected 30 values"},
      {"EDGE_SE3:QUAT 0 8 4 5 6 0.6 0 0 0.8" + kInformation, "there is no vertex 8"},
      {"EDGE_SE3:QUAT -1 7 4 5 6 0.6 0 0 0.8" + kInformation, "there is no vertex -1"},
      {"EDGE_SE3:QUAT 0 7 4 5 6 0.6 0 0 0.8 inf" + kInformation.substr(2), "\"inf\" is not a finite number"},
      {"FIX 9", "there is no vertex 9"},
      {"FIX", "expected FIX and the id"},
      {"FIX 99999999999999999999", "not a whole number"},
  }));
  REQUIRE_THAT(error_of(kVertices + kEdge + bad + "\n"), StartsWith("a.g2o: line 4: ") && ContainsSubstring(expected));
}

TEST_CASE("a graph without vertices is refused", "[g2o]") {
  REQUIRE_THAT(error_of(""), ContainsSubstring("has no vertices"));
  REQUIRE_THAT(error_of("# nothing\n\n"), ContainsSubstring("has no vertices"));
}

TEST_CASE("published graphs are read completely and written without loss", "[g2o][real]") {
  for (const char* name : {"sphere2500.g2o", "parking-garage.g2o"}) {
    const auto path = test_data() / "g2o" / name;
    if (!exists(path)) SKIP("no real data in " << test_data());
    const PoseGraph graph = read_g2o(path);
    REQUIRE(graph.vertices.size() > 1000);
    REQUIRE(graph.vertices.size() == lines_starting_with(path, "VERTEX_SE3:QUAT"));
    REQUIRE(graph.edges.size() == lines_starting_with(path, "EDGE_SE3:QUAT"));
    require_same_bits(read_again(graph), graph);
  }
}
