#pragma once

#include <apps/eval_benchmark.hpp>
#include <apps/eval_log.hpp>

namespace parte::apps {

/// How the results of a run are to be shown.
struct EvalShow {
  std::string command;  ///< as it was typed
  bool with_paper = false;
  const Benchmark* benchmark = nullptr;  ///< to read scans again; none: they are not at hand
};

/// Writes the tables of a finished run and report.html beside its results, and returns what to print.
[[nodiscard]] std::string write_tables(const EvalLog& log, const EvalShow& show);

/// Joins the finished parts of a benchmark to one run in `out`. Throws std::invalid_argument where they do not belong
/// together, overlap, or leave something out.
void merge_parts(const std::vector<std::filesystem::path>& parts, EvalLog& out, EvalLog::Earlier earlier);

}  // namespace parte::apps
