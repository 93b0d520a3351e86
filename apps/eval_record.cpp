#include <apps/eval_record.hpp>

#include <apps/csv.hpp>
#include <apps/register_report.hpp>

#include <stdexcept>

#include <nlohmann/json.hpp>

namespace parte::apps {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Eigen::Isometry3d& T) {
  Json numbers = Json::array();
  for (int k = 0; k < 16; ++k) numbers.push_back(T(k / 4, k % 4));
  return numbers;
}

Eigen::Isometry3d transform_of(const Json& json) {
  Eigen::Isometry3d T = Eigen::Isometry3d::Identity();
  for (int k = 0; k < 12; ++k) T(k / 4, k % 4) = json.at(static_cast<std::size_t>(k)).get<double>();
  return T;
}

/// Calls visit(name, field, is_there) for all but the transform and the times, in the order of the columns. Errors are
/// there only where something was estimated.
template <class Record, class Visit>
void for_each_field(Record&& r, const Visit& visit) {
  visit("pair", r.pair, true);
  visit("method", r.method, true);
  visit("source", r.source, true);
  visit("target", r.target, true);
  visit("group", r.group, true);
  visit("bin", r.bin, true);
  visit("status", r.status, true);
  visit("estimated", r.estimated, true);
  visit("accepted", r.accepted, true);
  visit("right", r.right, true);
  visit("error_m", r.error_m, r.estimated);
  visit("error_deg", r.error_deg, r.estimated);
  visit("point_candidates", r.point_candidates, true);
  visit("plane_candidates", r.plane_candidates, true);
  visit("clique_points", r.clique_points, true);
  visit("clique_planes", r.clique_planes, true);
  visit("clique_weight", r.clique_weight, true);
  visit("proven_optimal", r.proven_optimal, true);
  visit("hypotheses", r.hypotheses, true);
  visit("overlap", r.overlap, true);
  visit("agreement", r.agreement, true);
  visit("level", r.level, true);
  visit("confidence", r.confidence, true);
  visit("members", r.evidence.members, true);
  visit("sharpness", r.evidence.sharpness, true);
  visit("chance_overlap", r.evidence.chance_overlap, true);
  visit("chance_agreement", r.evidence.chance_agreement, true);
  visit("rival", r.evidence.rival, true);
  visit("correction", r.evidence.correction, true);
  visit("fit", r.evidence.fit, true);
}

std::string cell(const std::string& word) { return quoted_cell(word); }
int cell(bool flag) { return flag ? 1 : 0; }
template <class Number>
Number cell(Number number) {
  return number;
}

}  // namespace

double EvalRecord::total_ms() const {
  double sum = 0.0;
  for (const auto& [stage, ms] : times_ms) sum += ms;
  return sum;
}

EvalRecord judged(const Benchmark& benchmark, const EvalPair& pair, std::string method,
                  const std::optional<Eigen::Isometry3d>& T_target_source) {
  EvalRecord r;
  r.pair = pair.number;
  r.method = std::move(method);
  r.source = benchmark.scans[pair.source].name;
  r.target = benchmark.scans[pair.target].name;
  r.group = pair.group;
  r.bin = pair.bin;
  r.estimated = T_target_source.has_value();
  if (!r.estimated) return r;
  r.T_target_source = *T_target_source;
  const PoseError error = pose_error(*T_target_source, pair.T_target_source);  // TE and RE of the paper
  r.error_m = error.translation_m;
  r.error_deg = error.rotation_deg;
  r.right = r.error_m <= benchmark.right.metres && r.error_deg <= benchmark.right.degrees;
  return r;
}

std::string to_line(const EvalRecord& r) {
  Json json;
  for_each_field(r, [&](const char* name, const auto& field, bool is_there) {
    if (is_there) json[name] = field;
  });
  if (r.estimated) json["T_target_source"] = to_json(r.T_target_source);
  for (const auto& [stage, ms] : r.times_ms) json["times_ms"][stage] = ms;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

EvalRecord parse_record(std::string_view line) try {
  const Json json = Json::parse(line);
  EvalRecord r;
  for_each_field(r, [&](const char* name, auto& field, bool is_there) {
    if (is_there) json.at(name).get_to(field);
  });
  if (r.estimated) r.T_target_source = transform_of(json.at("T_target_source"));
  if (const auto times = json.find("times_ms"); times != json.end())
    for (const auto& [stage, ms] : times->items()) r.times_ms.emplace_back(stage, ms.get<double>());
  return r;
} catch (const Json::exception& error) {
  throw std::invalid_argument(std::string("is not a result of parte_eval (") + error.what() + ")");
}

std::string results_csv(std::span<const EvalRecord> records) {
  std::string header;
  for_each_field(EvalRecord(), [&](const char* name, const auto&, bool) {
    if (!header.empty()) header += ',';
    header += name;
  });
  Csv csv(header + "\n");
  for (const EvalRecord& r : records) {
    for_each_field(r, [&](const char*, const auto& field, bool is_there) {
      if (is_there)
        csv << cell(field);
      else
        csv << "";
    });
    csv.end_line();
  }
  return csv.text();
}

}  // namespace parte::apps
