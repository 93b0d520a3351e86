#pragma once

#include <apps/eval_log.hpp>
#include <apps/eval_method.hpp>
#include <apps/eval_run.hpp>

namespace CLI {
class App;
}

namespace parte::apps {

/// Everything parte_eval can be told.
struct EvalConfig {
  BenchmarkRequest benchmark;
  MethodRequest methods;
  RunOptions run;
  std::string sensor;  ///< lidar, rgbd, or empty: that of the protocol
  std::string shard, out;
  double memory_gb = 2.0;
  bool planes = false;  ///< evaluate the matching of planes instead of registration
  bool with_paper = false, no_times = false, resume = false, overwrite = false;
  std::vector<std::string> parts;  ///< of merge

  [[nodiscard]] EvalLog::Earlier earlier() const;
  [[nodiscard]] std::filesystem::path out_folder() const;  ///< that of --out, or a name after the benchmark
};

/// Adds the benchmarks and `merge` as subcommands, each with its options.
void declare(CLI::App& app, EvalConfig& config);

}  // namespace parte::apps
