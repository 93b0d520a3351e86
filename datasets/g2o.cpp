#include <datasets/g2o.hpp>

#include <datasets/file.hpp>
#include <datasets/lines.hpp>

#include <stdexcept>
#include <unordered_set>

namespace parte::datasets {
namespace {

using Words = std::span<const std::string_view>;

constexpr std::string_view kVertex = "VERTEX_SE3:QUAT", kEdge = "EDGE_SE3:QUAT", kFix = "FIX";

void expect_values(const Line& line, std::size_t count, const std::string& what) {
  if (line.words.size() - 1 != count)
    line.fail("expected " + std::to_string(count) + " values (" + what + "), found " +
              std::to_string(line.words.size() - 1));
}

QuaternionPose pose_of(const Line& line, std::span<const std::string_view, 7> words) {
  return {finite_vector(line, words.first<3>()), unit_quaternion(line, words.last<4>())};
}

class Parser {
 public:
  explicit Parser(const std::filesystem::path& path) : path_(path) {}

  void read(const Line& line) {
    if (line.words[0] == kVertex) return read_vertex(line);
    if (line.words[0] == kEdge) return read_edge(line);
    if (line.words[0] == kFix) return read_fix(line);
    line.fail("the tag " + quoted(line.words[0]) +
              " is not read: expected VERTEX_SE3:QUAT, EDGE_SE3:QUAT or FIX; two-dimensional graphs (SE2) and " +
              "landmarks are not supported");
  }

  PoseGraph finish() {
    if (graph_.vertices.empty())
      throw IoError(path_, Place::whole_file(), "has no vertices; expected lines VERTEX_SE3:QUAT id x y z qx qy qz qw");
    for (const Mention& mention : mentions_)
      if (!ids_.contains(mention.id))
        throw IoError(path_, Place::line(mention.line),
                      "there is no vertex " + std::to_string(mention.id) + "; expected the id of a VERTEX_SE3:QUAT");
    return std::move(graph_);
  }

 private:
  /// A vertex may come after the lines that speak of it.
  struct Mention {
    long id;
    std::size_t line;
  };

  void read_vertex(const Line& line) {
    expect_values(line, 8, "id x y z qx qy qz qw");
    const long id = whole_number<long>(line, line.words[1]);
    if (!ids_.insert(id).second) line.fail("vertex " + std::to_string(id) + " is given a second time");
    graph_.vertices.push_back({id, pose_of(line, Words(line.words).subspan<2, 7>())});
  }

  void read_edge(const Line& line) {
    expect_values(line, 30, "i j x y z qx qy qz qw and 21 of the information matrix");
    PoseGraph::Edge edge{mention(line, line.words[1]), mention(line, line.words[2]),
                         pose_of(line, Words(line.words).subspan<3, 7>())};
    std::size_t word = 10;
    for (Eigen::Index row = 0; row < 6; ++row) {
      for (Eigen::Index column = row; column < 6; ++column)
        edge.information(row, column) = edge.information(column, row) = finite_number(line, line.words[word++]);
    }
    graph_.edges.push_back(edge);
  }

  void read_fix(const Line& line) {
    if (line.words.size() < 2) line.fail("expected FIX and the id of a vertex");
    for (const std::string_view word : Words(line.words).subspan(1)) graph_.fixed.push_back(mention(line, word));
  }

  long mention(const Line& line, std::string_view word) {
    mentions_.push_back({whole_number<long>(line, word), line.number});
    return mentions_.back().id;
  }

  const std::filesystem::path& path_;
  PoseGraph graph_;
  std::unordered_set<long> ids_;
  std::vector<Mention> mentions_;
};

void append_value(std::string& text, double value) {
  if (!std::isfinite(value)) throw std::invalid_argument("a pose graph with values that are not finite");
  append_number(text += ' ', value);
}

void append_pose(std::string& text, const QuaternionPose& pose) {
  for (const double value : pose.translation) append_value(text, value);
  for (const double value : pose.rotation.coeffs()) append_value(text, value);  // x y z w
}

void append_edge(std::string& text, const PoseGraph::Edge& edge) {
  text += kEdge;
  append_number(text += ' ', edge.from);
  append_number(text += ' ', edge.to);
  append_pose(text, edge.T_from_to);
  for (Eigen::Index row = 0; row < 6; ++row)
    for (Eigen::Index column = row; column < 6; ++column) append_value(text, edge.information(row, column));
  text += '\n';
}

}  // namespace

PoseGraph parse_g2o(std::string_view text, const std::filesystem::path& path) {
  Parser parser(path);
  for_each_line(text, path, [&](const Line& line) { parser.read(line); });
  return parser.finish();
}

PoseGraph read_g2o(const std::filesystem::path& path) { return parse_g2o(read_file(path), path); }

void write_g2o(const std::filesystem::path& path, const PoseGraph& graph) {
  std::string text;
  for (const PoseGraph::Vertex& vertex : graph.vertices) {
    text += kVertex;
    append_number(text += ' ', vertex.id);
    append_pose(text, vertex.T_world_vertex);
    text += '\n';
  }
  for (const long id : graph.fixed) text += std::string(kFix) + ' ' + std::to_string(id) + '\n';
  for (const PoseGraph::Edge& edge : graph.edges) append_edge(text, edge);
  write_file(path, text);
}

}  // namespace parte::datasets
