#pragma once

#include <apps/eval_log.hpp>

namespace parte::apps {

/// Writes the tables of a finished run beside its results, and returns what to print.
[[nodiscard]] std::string write_tables(const EvalLog& log, bool with_paper);

/// Joins the finished parts of a benchmark to one run in `out`. Throws std::invalid_argument where they do not belong
/// together, overlap, or leave something out.
void merge_parts(const std::vector<std::filesystem::path>& parts, EvalLog& out, EvalLog::Earlier earlier);

}  // namespace parte::apps
