#include <apps/eval_report.hpp>

#include <apps/html_report.hpp>
#include <apps/report_cloud.hpp>

#include <algorithm>
#include <limits>
#include <tuple>

namespace parte::apps {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kGalleryPairs = 12, kGalleryPoints = 4000;  // pairs, and points of a scan

/// Where a table has no headings its first row has them.
Json table_json(const TitledTable& titled) {
  std::vector<std::string> headings = titled.table.headings();
  std::vector<std::vector<std::string>> rows = titled.table.rows();
  if (headings.empty() && !rows.empty()) {
    headings = rows.front();
    rows.erase(rows.begin());
  }
  return {{"title", titled.title}, {"headings", headings}, {"rows", rows}};
}

/// The fields in their order; the parts that differ are those of a page without anything.
Json page_json(const EvalPage& page) {
  Json json = report_head("eval", page.settings.at("benchmark"), page.command);
  json["head"] = page.head;
  json["methods"] = Json::array();
  for (const Json& method : page.settings.at("methods")) json["methods"].push_back(method.at("name"));
  json["tables"] = Json::array();
  json["notes"] = Json::array();
  for (const TitledTable& titled : page.tables) {
    json["tables"].push_back(table_json(titled));
    if (!titled.footnote.empty()) json["notes"].push_back(titled.footnote);
  }
  json["run"] = page.settings;
  json["right"] = page.settings.at("right");
  json["results"] = nullptr;
  json["stages"] = Json::array();
  json["planes"] = nullptr;
  json["worst"] = Json::array();
  json["gallery"] = Json::array();
  return json;
}

std::size_t position(const std::vector<std::string>& names, const std::string& name) {
  return static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
}

/// Numbers names in the order in which they come.
class Names {
 public:
  std::size_t number(const std::string& name) {
    const auto [at, fresh] = numbers_.try_emplace(name, names_.size());
    if (fresh) names_.push_back(name);
    return at->second;
  }
  [[nodiscard]] const std::vector<std::string>& all() const { return names_; }

 private:
  std::map<std::string, std::size_t> numbers_;
  std::vector<std::string> names_;
};

Json results_json(const EvalSummary& summary) {
  Json json;
  Names scans;
  for (const EvalRecord& r : summary.records()) {
    const auto if_estimated = [&](double value) { return r.estimated ? Json(rounded(value, 4)) : Json(nullptr); };
    json["pair"].push_back(r.pair);
    json["method"].push_back(position(summary.methods(), r.method));
    json["source"].push_back(scans.number(r.source));
    json["target"].push_back(scans.number(r.target));
    json["group"].push_back(r.group);
    json["bin"].push_back(r.bin);
    json["status"].push_back(r.status);
    json["estimated"].push_back(r.estimated);
    json["accepted"].push_back(r.accepted);
    json["right"].push_back(r.right);
    json["error_m"].push_back(if_estimated(r.error_m));
    json["error_deg"].push_back(if_estimated(r.error_deg));
    json["clique_points"].push_back(r.clique_points);
    json["clique_planes"].push_back(r.clique_planes);
    json["clique_weight"].push_back(r.clique_weight);
    json["overlap"].push_back(rounded(r.overlap, 4));
    json["agreement"].push_back(rounded(r.agreement, 4));
    json["confidence"].push_back(rounded(r.confidence, 6));
    json["total_ms"].push_back(r.times_ms.empty() ? Json(nullptr) : Json(rounded(r.total_ms(), 2)));
  }
  if (!json.is_null()) json["names"] = scans.all();
  return json;
}

Json stages_json(const EvalSummary& summary) {
  Json json = Json::array();
  for (const StageSummary& s : summary.stages())
    json.push_back({{"method", position(summary.methods(), s.method)},
                    {"stage", s.stage},
                    {"mean_ms", rounded(s.mean_ms, 3)},
                    {"median_ms", rounded(s.median_ms, 3)},
                    {"p95_ms", rounded(s.p95_ms, 3)}});
  return json;
}

Json scan_json(const EvalScan& scan, double voxel) {
  return encode_cloud(thinned(scan.read(), voxel, kGalleryPoints), grid_step(voxel));
}

Json gallery_json(const EvalSummary& summary, const std::vector<std::size_t>& worst, const Benchmark& benchmark) {
  Json json = Json::array();
  for (const std::size_t index : worst) {
    const EvalRecord& r = summary.records()[index];
    const auto pair = std::find_if(benchmark.pairs.begin(), benchmark.pairs.end(),
                                   [&](const EvalPair& p) { return p.number == r.pair; });
    if (pair == benchmark.pairs.end()) continue;  // of an earlier run, when its scans were there
    json.push_back({{"result", index},
                    {"source", scan_json(benchmark.scans[pair->source], benchmark.options.voxel)},
                    {"target", scan_json(benchmark.scans[pair->target], benchmark.options.voxel)},
                    {"T_estimate", r.estimated ? matrix_json(r.T_target_source) : Json(nullptr)},
                    {"T_truth", matrix_json(pair->T_target_source)}});
  }
  return json;
}

Json curve_json(const std::vector<CurvePoint>& curve) {
  Json json = Json::array();
  for (const CurvePoint& p : curve)
    json.push_back({{"x", rounded(p.x, 5)}, {"y", rounded(p.y, 5)}, {"count", p.count}});
  return json;
}

}  // namespace

std::vector<std::size_t> worst_records(const EvalSummary& summary, const Criterion& right, std::size_t count) {
  std::vector<std::tuple<bool, double, std::size_t>> order;  // the least first
  for (std::size_t i = 0; i < summary.records().size(); ++i) {
    const EvalRecord& r = summary.records()[i];
    if (r.method != summary.methods().front()) continue;
    const double error = r.estimated ? std::max(r.error_m / right.metres, r.error_deg / right.degrees)
                                     : std::numeric_limits<double>::infinity();
    order.emplace_back(r.right, -error, i);
  }
  std::sort(order.begin(), order.end());
  std::vector<std::size_t> worst;
  for (std::size_t k = 0; k < std::min(count, order.size()); ++k) worst.push_back(std::get<2>(order[k]));
  return worst;
}

Json eval_report(const EvalPage& page, const EvalSummary& summary, const Benchmark* benchmark) {
  Json json = page_json(page);
  json["results"] = results_json(summary);
  json["stages"] = stages_json(summary);
  const Criterion right{json["right"].at("metres"), json["right"].at("degrees")};
  const std::vector<std::size_t> worst = worst_records(summary, right, kGalleryPairs);
  json["worst"] = worst;
  if (benchmark)
    json["gallery"] = gallery_json(summary, worst, *benchmark);
  else
    json["notes"].push_back("The scans were not at hand: the worst pairs are listed, but not drawn.");
  return json;
}

Json plane_report(const EvalPage& page, const std::map<PlaneDescriptor, PlaneTally>& tallies,
                  const std::vector<PlaneCurves>& curves) {
  Json json = page_json(page);
  json["planes"] = Json::array();
  for (const auto& [descriptor, tally] : tallies) {
    const PlaneScores s = scores(tally);
    const PlaneCurves& c = curves[json["planes"].size()];
    json["planes"].push_back({{"descriptor", to_string(descriptor)},
                              {"f1", s.f1},
                              {"average_precision", s.average_precision},
                              {"mean_true_positives", s.mean_true_positives},
                              {"precision", s.precision},
                              {"recall", s.recall},
                              {"precision_recall", curve_json(c.precision_recall)},
                              {"confidence", curve_json(c.confidence)}});
  }
  return json;
}

}  // namespace parte::apps
