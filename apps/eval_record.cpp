#include <apps/eval_record.hpp>

#include <apps/csv.hpp>

#include <numbers>
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
  // RE and TE of the paper.
  const Eigen::Matrix3d turn = T_target_source->linear().transpose() * pair.T_target_source.linear();
  r.error_m = (T_target_source->translation() - pair.T_target_source.translation()).norm();
  r.error_deg = Eigen::AngleAxisd(turn).angle() * 180.0 / std::numbers::pi;
  r.right = r.error_m <= benchmark.right.metres && r.error_deg <= benchmark.right.degrees;
  return r;
}

std::string to_line(const EvalRecord& r) {
  Json json = {{"pair", r.pair},     {"method", r.method},       {"source", r.source},
               {"target", r.target}, {"group", r.group},         {"bin", r.bin},
               {"status", r.status}, {"estimated", r.estimated}, {"accepted", r.accepted}};
  if (r.estimated) {
    json["T_target_source"] = to_json(r.T_target_source);
    json["error_m"] = r.error_m;
    json["error_deg"] = r.error_deg;
  }
  json["right"] = r.right;
  json["point_candidates"] = r.point_candidates;
  json["plane_candidates"] = r.plane_candidates;
  json["clique_points"] = r.clique_points;
  json["clique_planes"] = r.clique_planes;
  json["clique_weight"] = r.clique_weight;
  json["proven_optimal"] = r.proven_optimal;
  json["hypotheses"] = r.hypotheses;
  json["overlap"] = r.overlap;
  json["agreement"] = r.agreement;
  for (const auto& [stage, ms] : r.times_ms) json["times_ms"][stage] = ms;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

EvalRecord parse_record(std::string_view line) try {
  const Json json = Json::parse(line);
  EvalRecord r;
  json.at("pair").get_to(r.pair);
  json.at("method").get_to(r.method);
  json.at("source").get_to(r.source);
  json.at("target").get_to(r.target);
  json.at("group").get_to(r.group);
  json.at("bin").get_to(r.bin);
  json.at("status").get_to(r.status);
  json.at("estimated").get_to(r.estimated);
  json.at("accepted").get_to(r.accepted);
  if (r.estimated) {
    r.T_target_source = transform_of(json.at("T_target_source"));
    json.at("error_m").get_to(r.error_m);
    json.at("error_deg").get_to(r.error_deg);
  }
  json.at("right").get_to(r.right);
  json.at("point_candidates").get_to(r.point_candidates);
  json.at("plane_candidates").get_to(r.plane_candidates);
  json.at("clique_points").get_to(r.clique_points);
  json.at("clique_planes").get_to(r.clique_planes);
  json.at("clique_weight").get_to(r.clique_weight);
  json.at("proven_optimal").get_to(r.proven_optimal);
  json.at("hypotheses").get_to(r.hypotheses);
  json.at("overlap").get_to(r.overlap);
  json.at("agreement").get_to(r.agreement);
  if (const auto times = json.find("times_ms"); times != json.end())
    for (const auto& [stage, ms] : times->items()) r.times_ms.emplace_back(stage, ms.get<double>());
  return r;
} catch (const Json::exception& error) {
  throw std::invalid_argument(std::string("is not a result of parte_eval (") + error.what() + ")");
}

std::string results_csv(std::span<const EvalRecord> records) {
  Csv csv(
      "pair,method,source,target,group,bin,status,estimated,accepted,right,error_m,error_deg,point_candidates,"
      "plane_candidates,clique_points,clique_planes,clique_weight,proven_optimal,hypotheses,overlap,agreement\n");
  for (const EvalRecord& r : records) {
    csv << r.pair << quoted_cell(r.method) << quoted_cell(r.source) << quoted_cell(r.target) << quoted_cell(r.group)
        << r.bin << r.status << int{r.estimated} << int{r.accepted} << int{r.right};
    if (r.estimated)
      csv << r.error_m << r.error_deg;
    else
      csv << ""
          << "";
    csv << r.point_candidates << r.plane_candidates << r.clique_points << r.clique_planes << r.clique_weight
        << int{r.proven_optimal} << r.hypotheses << r.overlap << r.agreement;
    csv.end_line();
  }
  return csv.text();
}

}  // namespace parte::apps
