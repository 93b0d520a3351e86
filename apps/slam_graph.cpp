#include <apps/slam_graph.hpp>

#include <apps/attempt_csv.hpp>
#include <apps/graph_report.hpp>
#include <apps/html_report.hpp>
#include <apps/progress.hpp>
#include <apps/terminal.hpp>
#include <apps/voxel_report.hpp>
#include <datasets/file.hpp>
#include <datasets/folder.hpp>
#include <datasets/io_error.hpp>
#include <slam/graph_edges.hpp>
#include <slam/pose3.hpp>

#include <chrono>
#include <cstdio>
#include <memory>

#include <nlohmann/json.hpp>

namespace parte::apps {
namespace {

namespace fs = std::filesystem;
using datasets::PoseGraph;
using Json = nlohmann::ordered_json;

gtsam::NonlinearFactorGraph factors_of(const PoseGraph& graph, const fs::path& path) {
  gtsam::NonlinearFactorGraph factors;
  for (const PoseGraph::Edge& edge : graph.edges) try {
      slam::add_edge(factors, static_cast<gtsam::Key>(edge.from), static_cast<gtsam::Key>(edge.to),
                     edge.T_from_to.isometry(), slam::g2o_covariance(edge.information));
    } catch (const std::invalid_argument& error) {
      throw datasets::IoError(path, {"edge " + std::to_string(edge.from) + " " + std::to_string(edge.to)},
                              error.what());
    }
  for (const PoseGraph::Vertex& vertex : graph.vertices)
    if (std::find(graph.fixed.begin(), graph.fixed.end(), vertex.id) != graph.fixed.end())
      slam::add_anchor(factors, static_cast<gtsam::Key>(vertex.id), vertex.T_world_vertex.isometry());
  return factors;
}

gtsam::Values values_of(const PoseGraph& graph, const fs::path& path) {
  gtsam::Values values;
  for (const PoseGraph::Vertex& vertex : graph.vertices) {
    if (vertex.id < 0)
      throw datasets::IoError(path, {"vertex " + std::to_string(vertex.id)}, "ids must not be negative");
    values.insert(static_cast<gtsam::Key>(vertex.id), slam::to_pose3(vertex.T_world_vertex.isometry()));
  }
  return values;
}

/// The scans whose numbers are ids of vertices.
std::map<gtsam::Key, slam::ScanOf> scans_of(const SlamConfig& config, const gtsam::Values& values) {
  const auto sequence = std::make_shared<const datasets::Sequence>(datasets::open_folder(config.scans));
  std::map<gtsam::Key, slam::ScanOf> scans;
  for (std::size_t i = 0; i < sequence->size(); ++i) {
    const auto key = static_cast<gtsam::Key>(sequence->ids[i]);
    if (values.exists(key)) scans[key] = [sequence, i] { return sequence->read(i); };
  }
  if (scans.empty())
    throw datasets::IoError(config.scans, datasets::Place::whole_file(),
                            "has no scan whose number is the id of a vertex of " + config.graph);
  return scans;
}

std::string loops_csv(const slam::GraphLoops& result) {
  Csv csv(std::string("from,to,") + kAttemptColumns + "," + kExplanationColumns + "\n");
  for (const slam::LoopAttempt& a : result.attempts) {
    csv << result.keys[a.from] << result.keys[a.to];
    add_columns(csv, a);
    add_explanation(csv, a);
    csv.end_line();
  }
  return csv.text();
}

/// The input as it was, and an edge for every loop.
PoseGraph with_loops(PoseGraph graph, const slam::GraphLoops& result) {
  for (const slam::LoopAttempt& a : result.attempts)
    if (a.accepted())
      graph.edges.push_back({static_cast<long>(result.keys[a.from]), static_cast<long>(result.keys[a.to]),
                             datasets::QuaternionPose(a.T_from_to), slam::g2o_information(a.covariance)});
  return graph;
}

PoseGraph with_values(PoseGraph graph, const gtsam::Values& values) {
  for (PoseGraph::Vertex& vertex : graph.vertices)
    vertex.T_world_vertex =
        datasets::QuaternionPose(slam::to_isometry(values.at<gtsam::Pose3>(static_cast<gtsam::Key>(vertex.id))));
  return graph;
}

void write_results(const fs::path& folder, const PoseGraph& graph, const slam::GraphLoops& result) {
  fs::create_directories(folder);
  const PoseGraph added = with_loops(graph, result);
  datasets::write_g2o(folder / "graph.g2o", added);
  datasets::write_g2o(folder / "optimised.g2o", with_values(added, result.values));
  datasets::write_file(folder / "loops.csv", loops_csv(result));
}

Json summary_of(const PoseGraph& graph, std::size_t scans, const slam::GraphLoops& result) {
  std::map<std::string, std::size_t> reasons;
  for (const slam::LoopAttempt& a : result.attempts) ++reasons[std::string(a.reason())];
  return {{"vertices", graph.vertices.size()},
          {"edges", graph.edges.size()},
          {"scans", scans},
          {"tried", result.attempts.size()},
          {"accepted", result.graph.size() - graph.edges.size() - graph.fixed.size()},
          {"reasons", reasons},
          {"initial_cost", result.rebuilt.initial_cost},
          {"cost", result.rebuilt.cost}};
}

void print(const Json& json, const fs::path& folder) {
  std::printf("%s%zu tried, %zu accepted\n", label("loops").c_str(), json["tried"].get<std::size_t>(),
              json["accepted"].get<std::size_t>());
  for (const auto& [reason, count] : json["reasons"].items())
    std::printf("%s%zu %s\n", label("").c_str(), count.get<std::size_t>(), reason.c_str());
  std::printf("%s%.6g before, %.6g after optimisation\n", label("cost").c_str(), json["initial_cost"].get<double>(),
              json["cost"].get<double>());
  print_written(folder, {{"report.html", "all of this to look at: trajectory, loops, map"},
                         {"graph.g2o", "the graph with the accepted loops"},
                         {"optimised.g2o", "the same with the poses corrected"},
                         {"loops.csv", "every candidate, and why it was accepted or refused"},
                         {"metrics.json", "these numbers for programs"}});
}

}  // namespace

void close_graph(SlamConfig config, const RunInfo& info, const std::function<bool()>& go_on) {
  const fs::path folder = config.out_folder();
  for (const char* name : {"graph.g2o", "optimised.g2o"})
    if (fs::exists(folder / name) && fs::equivalent(folder / name, config.graph))
      throw std::invalid_argument("--out would replace " + config.graph + ": give another folder");
  const PoseGraph graph = datasets::read_g2o(config.graph);
  const gtsam::Values values = values_of(graph, config.graph);
  const auto factors = factors_of(graph, config.graph);
  const auto scans = scans_of(config, values);
  if (!config.json)
    std::printf("%s  %zu vertices, %zu edges, %zu vertices with a scan\n", config.graph.c_str(), graph.vertices.size(),
                graph.edges.size(), scans.size());
  if (config.voxel == 0.0) {
    std::vector<slam::ScanOf> read;
    for (const auto& [key, scan] : scans) read.push_back(scan);
    config.voxel = automatic_voxel(
        read.size(), [&](std::size_t i) { return read[i](); }, config.registration().sensor);
  }
  const slam::MapperOptions mapping = config.mapping();
  ClosedGraph closed{graph, scans, {}, {}, 0.0, config.registration().sensor == Sensor::lidar, false};
  Progress progress("closing loops", 2 * scans.size());
  slam::GraphLoopOptions options{.loops = mapping.loops, .rebuild = mapping.rebuild};
  options.feature_bytes = static_cast<std::size_t>(config.memory_gb * 1e9);
  options.progress = [&](std::size_t done, std::size_t) {
    progress.show(done);
    closed.interrupted = !go_on();
    return !closed.interrupted;
  };
  options.loops.on_registered = [&](const slam::LoopAttempt& loop, const Result& result, const Features& source,
                                    const Features& target) {
    closed.details[{loop.from, loop.to}] = loop_detail(result, source, target);
  };
  const auto start = std::chrono::steady_clock::now();
  closed.result = slam::add_loop_closures(factors, values, scans, Registration(config.registration()), options);
  closed.milliseconds = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  progress.end();
  write_results(folder, graph, closed.result);
  write_report(folder,
               slam_report(page_of(closed, fs::path(config.graph).filename().string(), config.map_voxel, info)));
  const Json json = summary_of(graph, scans.size(), closed.result);
  datasets::write_file(folder / "metrics.json", json.dump(2) + "\n");
  if (config.json)
    std::printf("%s\n", json.dump(2).c_str());
  else
    print(json, folder);
}

}  // namespace parte::apps
