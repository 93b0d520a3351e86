#include <apps/eval_table.hpp>

#include <apps/csv.hpp>

#include <algorithm>
#include <cmath>

namespace parte::apps {
namespace {

/// Adds a word that is not there yet.
void note(std::vector<std::string>& words, const std::string& word) {
  if (!word.empty() && std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
}

std::string number(std::optional<double> value, int digits) {
  return value && std::isfinite(*value) ? with_digits(*value, digits) : "--";
}

int digits_of(Quantity quantity) { return quantity == Quantity::are_deg ? 2 : 1; }

std::string title_of(const Column& c) {
  switch (c.quantity) {
    case Quantity::ate_cm:
      return "ATE [cm]";
    case Quantity::are_deg:
      return "ARE [deg]";
    case Quantity::time_ms:
      return c.group.empty() ? "all" : c.group;
    case Quantity::success_percent:
      break;
  }
  return c.group.empty() ? "all" : c.group;
}

/// What stands above the titles of neighbouring columns.
std::string heading_of(const Column& c) {
  if (c.quantity == Quantity::time_ms) return "time [ms]";
  if (c.quantity != Quantity::success_percent) return "";
  return c.bin.empty() ? "SR [%]" : "SR [%] " + c.bin;
}

}  // namespace

void Score::add(const EvalRecord& r) {
  ++pairs;
  if (r.accepted) ++accepted;
  if (r.accepted && !r.right) ++accepted_wrong;
  if (r.right) ++right, sum_m += r.error_m, sum_deg += r.error_deg;
  if (!r.times_ms.empty()) times_ms.push_back(r.total_ms());
}

std::optional<double> Score::value(Quantity quantity) const {
  const auto over = [](double sum, std::size_t count) {
    return count == 0 ? std::nullopt : std::optional(sum / static_cast<double>(count));
  };
  switch (quantity) {
    case Quantity::ate_cm:
      return over(100.0 * sum_m, right);
    case Quantity::are_deg:
      return over(sum_deg, right);
    case Quantity::time_ms:
      return times_ms.empty() ? std::nullopt : std::optional(mean(times_ms));
    case Quantity::success_percent:
      break;
  }
  return over(100.0 * static_cast<double>(right), pairs);
}

double quantile(std::vector<double> values, double part) {
  if (values.empty()) return 0.0;
  const auto rank = static_cast<std::size_t>(std::ceil(part * static_cast<double>(values.size())));
  const auto nth = values.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(rank, 1) - 1);
  std::nth_element(values.begin(), nth, values.end());
  return *nth;
}

double mean(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return values.empty() ? 0.0 : sum / static_cast<double>(values.size());
}

EvalSummary::EvalSummary(std::string benchmark, std::vector<EvalRecord> records)
    : benchmark_(std::move(benchmark)), records_(std::move(records)) {
  for (const EvalRecord& r : records_) note(methods_, r.method), note(groups_, r.group), note(bins_, r.bin);
  std::sort(bins_.begin(), bins_.end());  // "0-10 m", "10-20 m", ... : that is their order
}

std::vector<Column> EvalSummary::columns() const {
  using enum Quantity;
  std::vector<Column> columns;
  const auto add_groups = [&](const std::string& bin, Quantity quantity) {
    for (const std::string& group : groups_) columns.push_back({bin, group, quantity});
  };
  if (benchmark_ == "3DMatch" || benchmark_ == "3DLoMatch") {
    columns = {{"", "", success_percent}, {"", "", ate_cm}, {"", "", are_deg}};
  } else {
    for (const std::string& bin : bins_) add_groups(bin, success_percent);
    if (bins_.empty() || bins_.size() > 1) add_groups("", success_percent);
    if (benchmark_ != "KITTI-LC" && groups_.size() > 1) columns.push_back({"", "", success_percent});
  }
  if (!timed()) return columns;
  if (benchmark_ == "KITTI-10m") add_groups("", time_ms);
  columns.push_back({"", "", time_ms});
  return columns;
}

Score EvalSummary::score(const std::string& method, const std::string& bin, const std::string& group) const {
  Score score;
  for (const EvalRecord& r : records_)
    if (r.method == method && (bin.empty() || r.bin == bin) && (group.empty() || r.group == group)) score.add(r);
  return score;
}

TitledTable EvalSummary::main_table(bool with_paper) const {
  const std::vector<Column> shown = columns();
  std::vector<std::string> headings = {""}, titles = {"method"};
  for (const Column& column : shown) headings.push_back(heading_of(column)), titles.push_back(title_of(column));
  TextTable table(std::move(headings));
  table.add(std::move(titles));
  const auto add_row = [&](const std::string& name, const auto& value) {
    std::vector<std::string> cells = {name};
    for (const Column& column : shown) cells.push_back(number(value(column), digits_of(column.quantity)));
    table.add(std::move(cells));
  };
  for (const std::string& method : methods_)
    add_row(method, [&](const Column& c) { return score(method, c.bin, c.group).value(c.quantity); });
  const std::vector<PublishedRow> published = with_paper ? published_rows(benchmark_) : std::vector<PublishedRow>();
  if (published.empty()) return {"Success", std::move(table)};
  for (const PublishedRow& row : published)
    add_row(row.method + " *", [&](const Column& c) {
      const auto found = row.values.find(c);
      return found == row.values.end() ? std::nullopt : std::optional(found->second);
    });
  return {"Success", std::move(table), "* published (PARTE paper, its own machine), not measured here"};
}

TitledTable EvalSummary::method_table() const {
  TextTable table;
  std::vector<std::string> head = {"method",         "pairs",    "right [%]", "accepted [%]",
                                   "accepted wrong", "ATE [cm]", "ARE [deg]"};
  if (timed()) head.insert(head.end(), {"mean [ms]", "median", "p95"});
  table.add(std::move(head));
  for (const std::string& method : methods_) {
    const Score s = score(method, "", "");
    const double accepted = 100.0 * static_cast<double>(s.accepted) / static_cast<double>(s.pairs);
    std::vector<std::string> cells = {method,
                                      std::to_string(s.pairs),
                                      number(s.value(Quantity::success_percent), 1),
                                      number(accepted, 1),
                                      std::to_string(s.accepted_wrong),
                                      number(s.value(Quantity::ate_cm), 1),
                                      number(s.value(Quantity::are_deg), 2)};
    if (timed())
      cells.insert(cells.end(), {number(mean(s.times_ms), 1), number(quantile(s.times_ms, 0.5), 1),
                                 number(quantile(s.times_ms, 0.95), 1)});
    table.add(std::move(cells));
  }
  return {"Methods", std::move(table)};
}

std::vector<StageSummary> EvalSummary::stages() const {
  std::vector<StageSummary> summaries;
  for (const std::string& method : methods_) {
    std::vector<std::string> stages;
    std::map<std::string, std::vector<double>> times;
    for (const EvalRecord& r : records_) {
      if (r.method != method) continue;
      for (const auto& [stage, ms] : r.times_ms) note(stages, stage), times[stage].push_back(ms);
    }
    for (const std::string& stage : stages) {
      const std::vector<double>& t = times[stage];
      summaries.push_back({method, stage, mean(t), quantile(t, 0.5), quantile(t, 0.95)});
    }
  }
  return summaries;
}

TitledTable EvalSummary::stage_table() const {
  TextTable table;
  table.add({"stage of " + methods_.front(), "mean [ms]", "median", "p95"});
  for (const StageSummary& s : stages())
    if (s.method == methods_.front())
      table.add({s.stage, number(s.mean_ms, 1), number(s.median_ms, 1), number(s.p95_ms, 1)});
  return {"Times by stage", std::move(table)};
}

std::vector<TitledTable> EvalSummary::tables(bool with_paper) const {
  std::vector<TitledTable> tables = {main_table(with_paper), method_table()};
  if (timed()) tables.push_back(stage_table());
  return tables;
}

std::string EvalSummary::summary_csv() const {
  Csv csv("method,bin,group,pairs,right,success_percent,accepted,accepted_wrong,ate_cm,are_deg" +
          std::string(timed() ? ",mean_ms,median_ms,p95_ms" : "") + "\n");
  const auto with_all = [](std::vector<std::string> words) { return words.emplace_back(), words; };
  for (const std::string& method : methods_)
    for (const std::string& bin : with_all(bins_))
      for (const std::string& group : with_all(groups_)) {
        const Score s = score(method, bin, group);
        if (s.pairs == 0) continue;
        const auto cell = [&](Quantity q) { return s.value(q) ? number(s.value(q), 6) : std::string(); };
        csv << quoted_cell(method) << (bin.empty() ? "all" : bin) << quoted_cell(group.empty() ? "all" : group)
            << s.pairs << s.right << cell(Quantity::success_percent) << s.accepted << s.accepted_wrong
            << cell(Quantity::ate_cm) << cell(Quantity::are_deg);
        if (timed()) csv << mean(s.times_ms) << quantile(s.times_ms, 0.5) << quantile(s.times_ms, 0.95);
        csv.end_line();
      }
  return csv.text();
}

std::string EvalSummary::stages_csv() const {
  if (!timed()) return "";
  Csv csv("method,stage,mean_ms,median_ms,p95_ms\n");
  for (const StageSummary& s : stages()) {
    csv << quoted_cell(s.method) << s.stage << s.mean_ms << s.median_ms << s.p95_ms;
    csv.end_line();
  }
  return csv.text();
}

}  // namespace parte::apps
