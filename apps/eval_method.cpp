#include <apps/eval_method.hpp>

#include <apps/option_names.hpp>
#include <datasets/text.hpp>
#include <parte/matching.hpp>

#include <tbb/task_arena.h>

#include <cmath>
#include <map>
#include <stdexcept>

namespace parte::apps {
namespace {

constexpr const char* kName = "PARTE";

struct Setting {
  std::string name, value;
};

Setting parse_setting(const std::string& text, const char* option) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw std::invalid_argument(std::string(option) + " must be NAME=VALUE, not " + datasets::quoted(text));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char c : text)
    if (c == ',')
      parts.emplace_back();
    else
      parts.back() += c;
  return parts;
}

/// The options with these changes, named after them.
Method variant(const Method& base, const std::vector<Setting>& changes, std::string name = {}) {
  Method method = base;
  for (const Setting& change : changes) {
    set_option(method.options, change.name, change.value);
    if (name.empty()) method.name += " " + change.name + "=" + change.value;
  }
  if (!name.empty()) method.name = base.name + " " + name;
  method.options.validate();
  return method;
}

std::vector<Method> ablations(const Method& base) {
  std::vector<Setting> published;
  for (const std::string& text : kAsPublished) published.push_back(parse_setting(text, ""));
  return {variant(base, published, "as published"),
          variant(base, {{"verification.max_hypotheses", "1"}}),
          variant(base, {{"verification.refine", "false"}, {"coarse_levels", "0"}}),
          variant(base, {{"use_planes", "false"}}),
          variant(base, {{"use_patches", "false"}}),
          variant(base, {{"use_ground", "false"}}),
          variant(base, {{"plane_matching", "one_level"}}),
          variant(base, {{"plane_weights", "none"}}),
          variant(base, {{"plane_weights", "fixed"}}),
          variant(base, {{"orient_normals", "false"}}),
          variant(base, {{"upright_descriptors", "true"}}),
          variant(base, {{"ground_support", "true"}}),
          variant(base, {{"match_spacing", "3"}}),
          variant(base, {{"coarse_levels", "0"}})};
}

/// "1e5" for 100000.
std::string power_of_ten(std::size_t number) {
  std::size_t exponent = 0, rest = number;
  for (; rest >= 10 && rest % 10 == 0; rest /= 10) ++exponent;
  return rest == 1 ? "1e" + std::to_string(exponent) : std::to_string(number);
}

/// The name of a command's row: its program.
std::string program_of(const std::string& command) {
  const std::vector<std::string_view> words = datasets::split(command);
  const std::string name = std::filesystem::path(words.front()).filename().string();
  return name.empty() ? command : name;
}

void add_baselines(std::vector<Method>& methods, const Options& protocol, const MethodRequest& r) {
  if ((r.fgr || !r.ransac.empty()) && !has_open3d())
    throw std::invalid_argument(
        "--ransac and --fgr need a build with Open3D: cmake -DPARTE_OPEN3D=ON where it is installed");
  Options points = protocol;
  points.use_planes = false;
  points.coarse_levels = 0;
  for (const std::size_t iterations : r.ransac)
    methods.push_back({"RANSAC-" + power_of_ten(iterations), Method::Kind::ransac, points, iterations, {}, 0.0});
  if (r.fgr) methods.push_back({"FGR", Method::Kind::fgr, points, 0, {}, 0.0});
  for (const std::string& command : r.external) {
    if (command.find("{source}") == std::string::npos || command.find("{target}") == std::string::npos)
      throw std::invalid_argument("--external must have {source} and {target} in it, not " + datasets::quoted(command));
    for (const char* quoted : {"\"{", "'{", "}\"", "}'"})
      if (command.find(quoted) != std::string::npos)
        throw std::invalid_argument(
            "--external: {source} and {target} are quoted already; leave out the quotes around them");
    methods.push_back({program_of(command), Method::Kind::external, protocol, 0, command, r.external_limit_s});
  }
}

/// Rows are told apart by their names.
void make_names_unique(std::vector<Method>& methods) {
  std::map<std::string, int> uses;
  for (Method& method : methods)
    if (const int use = ++uses[method.name]; use > 1) method.name += " #" + std::to_string(use);
}

/// What the features of both scans cost that the alignment needed: scans are described when they are first asked, here
/// perhaps for another pair, so `levels` says which descriptions were.
StageTimes both(const Features& source, const Features& target, const Options& o, int levels) {
  ExtractTimings sum;
  for (const Features* scan : {&source, &target}) {
    sum += scan->timings;
    int depth = 1;
    for (const Features* f = scan; f->coarse; f = f->coarse.get()) ++depth;
    const int coarsest = std::min(o.levels_tried(), depth - 1);
    for (int level = coarsest - levels + 1; level <= std::min(coarsest, depth - 2); ++level)  // the last is in its own
      if (const Description* d = scan->at_level(level).description_if_made()) sum += d->timings;
  }
  return stage_times(sum);
}

EvalRecord by_parte(const Method& method, const Benchmark& benchmark, const EvalPair& pair, const Features& source,
                    const Features& target, int threads) {
  Options options = method.options;
  options.threads = threads;
  const Result result = Registration(options).align(source, target);
  const bool answered =
      result.success() || result.status == Status::degenerate || result.status == Status::not_verified;
  const bool estimated = answered && result.T_target_source.matrix().allFinite();
  EvalRecord r = judged(benchmark, pair, method.name, estimated ? std::optional(result.T_target_source) : std::nullopt);
  r.status = to_string(result.status);
  r.accepted = result.success();
  r.point_candidates = result.point_candidates;
  r.plane_candidates = result.plane_candidates;
  r.clique_points = result.clique_points.size();
  r.clique_planes = result.clique_planes.size();
  r.clique_weight = result.clique_weight;
  r.proven_optimal = result.proven_optimal;
  r.hypotheses = result.hypotheses;
  r.overlap = result.overlap.fraction();
  r.agreement = result.overlap.agreement();
  r.level = result.level;
  r.confidence = result.confidence;
  r.evidence = result.evidence;
  r.times_ms = both(source, target, method.options, result.levels);
  for (auto& stage : stage_times(result.timings))
    if (stage.first != "describe") r.times_ms.push_back(std::move(stage));
  return r;
}

/// Mutual nearest neighbours of all points' descriptors, as PARTE without planes would have them.
EvalRecord by_open3d(const Method& method, const Benchmark& benchmark, const EvalPair& pair, const Features& source,
                     const Features& target, int threads) {
  const auto start = std::chrono::steady_clock::now();
  std::vector<Correspondence> correspondences;
  tbb::task_arena arena(threads > 0 ? threads : tbb::task_arena::automatic);
  const auto matches =
      arena.execute([&] { return match_points(source.description().descriptors, target.description().descriptors); });
  for (const Match& m : matches)
    correspondences.push_back({source.cloud.at(source.description().point_indices[m.source]) + source.cloud.origin,
                               target.cloud.at(target.description().point_indices[m.target]) + target.cloud.origin});
  const double matching_ms = milliseconds_since(start);
  const auto begin = std::chrono::steady_clock::now();
  const auto T = open3d_transform(correspondences, method.options.voxel, method.iterations);
  EvalRecord r = judged(benchmark, pair, method.name, T);
  r.accepted = r.estimated;
  r.status = r.estimated ? "success" : "failed";
  r.point_candidates = correspondences.size();
  r.times_ms = both(source, target, method.options, 1);
  r.times_ms.emplace_back("matching", matching_ms);
  r.times_ms.emplace_back("transform", milliseconds_since(begin));
  return r;
}

}  // namespace

std::vector<Method> make_methods(const Options& protocol, const MethodRequest& request) {
  std::vector<Setting> changes;
  for (const std::string& text : request.set) {
    changes.push_back(parse_setting(text, "--set"));
    if (const std::string& name = changes.back().name; name == "voxel" || name == "sensor")
      throw std::invalid_argument("--set " + name + ": the protocol goes with it, so it has an option of its own: --" +
                                  name);
  }
  std::vector<Method> methods = {variant({.name = kName, .options = protocol, .command = {}}, changes)};
  for (const std::string& text : request.sweeps) {
    const Setting sweep = parse_setting(text, "--sweep");
    for (const std::string& value : split_at_commas(sweep.value))
      methods.push_back(variant(methods.front(), {{sweep.name, value}}));
  }
  if (request.ablations)
    for (Method& method : ablations(methods.front())) methods.push_back(std::move(method));
  add_baselines(methods, methods.front().options, request);
  make_names_unique(methods);
  return methods;
}

EvalRecord evaluate(const Method& method, const Benchmark& benchmark, const EvalPair& pair, const Features& source,
                    const Features& target, int threads) {
  switch (method.kind) {
    case Method::Kind::parte:
      return by_parte(method, benchmark, pair, source, target, threads);
    case Method::Kind::ransac:
    case Method::Kind::fgr:
      return by_open3d(method, benchmark, pair, source, target, threads);
    case Method::Kind::external:
      break;
  }
  const ExternalAnswer answer =
      run_external(method.command, method.time_limit_s, benchmark.scans[pair.source], benchmark.scans[pair.target]);
  EvalRecord r = judged(benchmark, pair, method.name, answer.T_target_source);
  r.accepted = r.estimated;
  r.status = answer.status;
  r.times_ms = {{"external", answer.milliseconds}};
  return r;
}

}  // namespace parte::apps
