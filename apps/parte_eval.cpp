// Evaluates registration on a benchmark: parte_eval kitti-lc --root ~/kitti
#include <apps/eval_config.hpp>
#include <apps/eval_output.hpp>
#include <apps/eval_plane_table.hpp>
#include <apps/interrupt.hpp>
#include <apps/option_names.hpp>
#include <apps/progress.hpp>
#include <apps/run_app.hpp>
#include <apps/terminal.hpp>

#include <chrono>

namespace {

using namespace parte;
using Json = nlohmann::ordered_json;

Json to_json(const apps::Method& m) {
  if (m.kind != apps::Method::Kind::external) return {{"name", m.name}, {"options", apps::to_text(m.options)}};
  return {{"name", m.name}, {"command", m.command}, {"seconds", m.time_limit_s}};
}

/// What a run is, so that another one can go on with it or be joined to it.
Json settings_of(const apps::EvalConfig& config, const apps::Benchmark& b, const std::vector<apps::Method>& methods) {
  Json json = {{"benchmark", b.name}, {"version", PARTE_VERSION}, {"planes", config.planes}};
  json["voxel_m"] = b.options.voxel;
  json["pairs"] = b.total;
  json["fingerprint"] = b.fingerprint;
  json["right"] = {{"metres", b.right.metres}, {"degrees", b.right.degrees}};
  json["times"] = !config.no_times;
  if (config.benchmark.name == "synthetic") json["seed"] = config.benchmark.seed;
  if (config.planes) {
    for (const apps::PlaneDescriptor d : apps::kPlaneDescriptors)
      json["methods"].push_back({{"name", to_string(d)}, {"options", apps::to_text(methods.front().options)}});
  } else {
    for (const apps::Method& m : methods) json["methods"].push_back(to_json(m));
  }
  json["shard"] = config.shard.empty() ? "1/1" : config.shard;
  return json;
}

/// The features that the methods need, each once, and for every method which of them are its own.
struct Settings {
  std::vector<Options> options;
  std::vector<std::size_t> of_method;
};

Settings distinct_settings(const std::vector<apps::Method>& methods) {
  Settings settings;
  std::vector<std::string> texts;
  for (const apps::Method& m : methods) {
    const std::string text = apps::to_text(m.options, true);
    const auto known = std::find(texts.begin(), texts.end(), text);
    settings.of_method.push_back(static_cast<std::size_t>(known - texts.begin()));
    if (known != texts.end()) continue;
    texts.push_back(text);
    settings.options.push_back(m.options);
  }
  return settings;
}

apps::PairWork registration_work(const apps::EvalConfig& config, const apps::Benchmark& b,
                                 const std::vector<apps::Method>& methods) {
  const Settings settings = distinct_settings(methods);
  const int threads = config.run.jobs > 1 ? 1 : config.run.threads;
  const bool timed = !config.no_times;
  return {settings.options, [=, &b, &methods](const apps::EvalPair& pair, std::span<const apps::FeaturePair> features) {
            std::string lines;
            for (std::size_t k = 0; k < methods.size(); ++k) {
              const apps::FeaturePair& own = features[settings.of_method[k]];
              apps::EvalRecord record = apps::evaluate(methods[k], b, pair, *own.source, *own.target, threads);
              if (!timed) record.times_ms.clear();
              lines += apps::to_line(record);
            }
            return lines;
          }};
}

apps::PairWork plane_work(const Options& options) {
  return {{options}, [voxel = options.voxel](const apps::EvalPair& pair, std::span<const apps::FeaturePair> features) {
            return apps::plane_lines(pair, *features[0].source, *features[0].target, voxel);
          }};
}

/// The pairs of this part; those of others are left out, also where scans are missing.
std::vector<apps::EvalPair> own_pairs(apps::Benchmark& b, const apps::Shard& shard) {
  std::size_t in_part = 0;
  for (std::size_t number = 0; number < b.total; ++number) in_part += apps::in_shard(number, b.total, shard) ? 1 : 0;
  std::vector<apps::EvalPair> pairs;
  for (const apps::EvalPair& pair : b.pairs)
    if (apps::in_shard(pair.number, b.total, shard)) pairs.push_back(pair);
  b.missing = in_part - pairs.size();
  return pairs;
}

void print_results(const apps::EvalLog& log) {
  apps::print_written(log.folder(), {{"report.html", "all of this to look at, and more"},
                                     {"table.txt", "the tables above"},
                                     {"summary.csv", "success rates and errors by method, bin and group"},
                                     {"stages.csv", "times by stage"},
                                     {"results.csv", "a line for every pair and method"},
                                     {"planes.csv", "scores of the descriptors"},
                                     {"curves.csv", "precision-recall and confidence, also as curves.png"},
                                     {"results.jsonl", "the same with transforms and times, for programs"},
                                     {"run.json", "what was run"}});
}

int evaluate(apps::EvalConfig& config, const std::string& command) {
  if (!config.sensor.empty()) config.benchmark.sensor = config.sensor == "lidar" ? Sensor::lidar : Sensor::rgbd;
  config.run.memory_bytes = static_cast<std::size_t>(config.memory_gb * 1e9);
  const apps::Shard shard = apps::parse_shard(config.shard);
  apps::Benchmark benchmark = apps::open_benchmark(config.benchmark);
  const std::vector<apps::Method> methods = apps::make_methods(benchmark.options, config.methods);
  const std::vector<apps::EvalPair> pairs = own_pairs(benchmark, shard);
  Json settings = settings_of(config, benchmark, methods);
  settings["missing"] = benchmark.missing;
  settings["pairs_here"] = pairs.size();

  const apps::PairWork work =
      config.planes ? plane_work(methods.front().options) : registration_work(config, benchmark, methods);
  apps::EvalLog log(config.out_folder());
  std::size_t finished = log.begin(settings, settings.at("methods").size(), config.earlier());
  if (finished > pairs.size())
    throw std::invalid_argument(log.folder().string() +
                                " holds more results than there are pairs; --overwrite begins anew");
  const std::size_t before = finished;
  const auto start = std::chrono::steady_clock::now();
  {
    apps::Progress progress(benchmark.name, pairs.size(), finished);
    run_pairs(benchmark, std::span(pairs).subspan(finished), work, config.run, [&](const std::string& lines) {
      log.append(lines);
      progress.show(++finished);
      return !apps::interrupted;
    });
  }
  if (finished < pairs.size()) {
    std::fprintf(stderr, "interrupted after %zu of %zu pairs; the same command with --resume goes on\n", finished,
                 pairs.size());
    return apps::kInterrupted;
  }
  std::fputs(apps::write_tables(log, {command, config.with_paper, &benchmark}).c_str(), stdout);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  if (finished > before)
    std::printf("\n%zu pairs in %.1f s: %.2f pairs/s, reading and features included\n", finished - before, seconds,
                static_cast<double>(finished - before) / seconds);
  std::printf("\n");
  print_results(log);
  return apps::kDone;
}

}  // namespace

int main(int argc, char** argv) {
  apps::EvalConfig config;
  CLI::App app("Evaluates registration on a benchmark, by the protocols of the PARTE paper.", "parte_eval");
  apps::declare(app, config);
  app.footer("Exit status: 0 done, 2 wrong usage, 130 interrupted, 1 any other error.");
  return apps::run_app(app, argc, argv, [&]() -> int {
    apps::catch_interrupts();
    const std::string command = apps::command_line(argc, argv);
    if (!config.benchmark.name.empty()) return evaluate(config, command);
    apps::EvalLog log(config.out_folder());
    apps::merge_parts({config.parts.begin(), config.parts.end()}, log, config.earlier());
    std::fputs(apps::write_tables(log, {command, config.with_paper}).c_str(), stdout);
    std::printf("\n");
    print_results(log);
    return apps::kDone;
  });
}
