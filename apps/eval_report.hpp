#pragma once

#include <apps/eval_curves.hpp>
#include <apps/eval_plane_table.hpp>
#include <apps/eval_table.hpp>

#include <map>

#include <nlohmann/json.hpp>

namespace parte::apps {

/// What the pages of all runs tell.
struct EvalPage {
  nlohmann::ordered_json settings;  ///< run.json
  std::string head;                 ///< one line about the pairs
  std::string command;              ///< as it was typed
  std::vector<TitledTable> tables;  ///< that are printed
};

/// EvalReport of apps/report/src/data.ts. Without a benchmark, whose scans are read again, no pairs are drawn.
[[nodiscard]] nlohmann::ordered_json eval_report(const EvalPage& page, const EvalSummary& summary,
                                                 const Benchmark* benchmark);
/// The same of --planes.
[[nodiscard]] nlohmann::ordered_json plane_report(const EvalPage& page,
                                                  const std::map<PlaneDescriptor, PlaneTally>& tallies,
                                                  const std::vector<PlaneCurves>& curves);

/// Which records of the first method to look at first, at most `count`: those that are not right, then those with the
/// largest errors, as multiples of what is right.
[[nodiscard]] std::vector<std::size_t> worst_records(const EvalSummary& summary, const Criterion& right,
                                                     std::size_t count);

}  // namespace parte::apps
