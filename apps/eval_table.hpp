#pragma once

#include <apps/eval_record.hpp>
#include <apps/text_table.hpp>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace parte::apps {

enum class Quantity { success_percent, ate_cm, are_deg, time_ms };

/// What a column of a table shows: a quantity over the pairs of a bin and a group; empty ones mean all.
struct Column {
  std::string bin, group;
  Quantity quantity = Quantity::success_percent;
  auto operator<=>(const Column&) const = default;
};

/// A row that somebody has published, as far as it goes.
struct PublishedRow {
  std::string method;
  std::map<Column, double> values;
};
/// The rows of the paper for a benchmark; none for others than its own.
[[nodiscard]] std::vector<PublishedRow> published_rows(const std::string& benchmark);

/// Results over a set of pairs. ATE and ARE are means over the right ones.
struct Score {
  std::size_t pairs = 0, right = 0, accepted = 0, accepted_wrong = 0;
  double sum_m = 0.0, sum_deg = 0.0;
  std::vector<double> times_ms;

  void add(const EvalRecord& record);
  [[nodiscard]] std::optional<double> value(Quantity quantity) const;
};

/// The smallest value that at least this part of the values do not exceed; 0 without values.
[[nodiscard]] double quantile(std::vector<double> values, double part);
[[nodiscard]] double mean(const std::vector<double>& values);

/// Of all pairs, by one method.
struct StageSummary {
  std::string method, stage;
  double mean_ms = 0.0, median_ms = 0.0, p95_ms = 0.0;
};

/// The records of a run with what there is to say about them.
class EvalSummary {
 public:
  /// Records of all methods; in the order of pairs, and of one pair in that of methods.
  EvalSummary(std::string benchmark, std::vector<EvalRecord> records);

  [[nodiscard]] const std::vector<EvalRecord>& records() const { return records_; }
  /// The columns of the paper's table, for the benchmarks it has.
  [[nodiscard]] std::vector<Column> columns() const;
  [[nodiscard]] Score score(const std::string& method, const std::string& bin, const std::string& group) const;

  [[nodiscard]] const std::vector<std::string>& methods() const { return methods_; }
  [[nodiscard]] std::vector<StageSummary> stages() const;  ///< of each method; none without times

  /// For people: the paper's table, then one by method, then the times by stage of the first method.
  [[nodiscard]] std::vector<TitledTable> tables(bool with_paper) const;
  [[nodiscard]] std::string summary_csv() const;  ///< a line for each method, bin and group
  [[nodiscard]] std::string stages_csv() const;   ///< a line for each method and stage; empty without times

 private:
  [[nodiscard]] TitledTable main_table(bool with_paper) const;
  [[nodiscard]] TitledTable method_table() const;
  [[nodiscard]] TitledTable stage_table() const;
  [[nodiscard]] bool timed() const { return !records_.empty() && !records_.front().times_ms.empty(); }

  std::string benchmark_;
  std::vector<EvalRecord> records_;
  std::vector<std::string> methods_, groups_, bins_;
};

}  // namespace parte::apps
