#include <apps/report_loops.hpp>

#include <apps/attempt_csv.hpp>
#include <apps/html_report.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace parte::apps {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostPoints = 3000, kFewestPoints = 500;  // of a scan

Json detail_json(const LoopDetail& detail) {
  constexpr int kCentimetres = 2;  // lines and rectangles among points that are no finer
  Json points = Json::array(), planes = Json::array();
  const auto add = [](Json& to, const Eigen::Vector3f& p) { append_rounded(to, p.cast<double>(), kCentimetres); };
  for (const LoopDetail::PointPair& pair : detail.points) add(points, pair.source), add(points, pair.target);
  for (const LoopDetail::PlanePair& pair : detail.planes) {
    Json source = Json::array(), target = Json::array();
    for (const Eigen::Vector3f& corner : pair.source) add(source, corner);
    for (const Eigen::Vector3f& corner : pair.target) add(target, corner);
    planes.push_back({{"source", source}, {"target", target}});
  }
  return {{"points", points}, {"planes", planes}};
}

Json sigmas(const Matrix6d& covariance, int first, double scale, int decimals) {
  Json json = Json::array();
  for (int k = first; k < first + 3; ++k) json.push_back(rounded(scale * std::sqrt(covariance(k, k)), decimals));
  return json;
}

void add_registration(Json& json, const slam::LoopAttempt& a) {
  json["T_from_to"] = matrix_json(a.T_from_to);
  json["clique_points"] = a.clique_points;
  json["clique_planes"] = a.clique_planes;
  json["clique_weight"] = a.clique_weight;
  json["proven_optimal"] = a.proven_optimal;
  json["residual_m"] = rounded(a.residual_m, 4);
  json["overlap"] = rounded(a.overlap, 4);
  json["agreement"] = rounded(a.agreement, 4);
  json["confidence"] = rounded(a.confidence, 6);
  json["odometry_chi2"] = rounded(a.odometry_chi2, 3);
  json["sigma_deg"] = sigmas(a.covariance, 0, 180.0 / std::numbers::pi, 5);
  json["sigma_m"] = sigmas(a.covariance, 3, 1.0, 5);
}

void add_truth(Json& json, const ReportedLoop& loop, bool registered) {
  const AttemptError& error = *loop.error;
  json["true_distance_m"] = rounded(error.true_distance_m, 3);
  json["true_rotation_deg"] = rounded(error.true_rotation_deg, 3);
  json["true_overlap"] = rounded(loop.true_overlap, 4);
  json["right"] = error.right;
  if (!registered) return;
  json["error_m"] = rounded(error.translation_m, 4);
  json["error_deg"] = rounded(error.rotation_deg, 4);
  json["nees"] = rounded(error.nees, 3);
}

Json loop_json(const SlamPage& page, const ReportedLoop& loop, bool opened) {
  const slam::LoopAttempt& a = loop.attempt;
  const std::size_t from = page.keyframes[a.from], to = page.keyframes[a.to];
  const bool registered = a.registered();
  Json json = {{"from", a.from},
               {"to", a.to},
               {"kind", kind_of(a)},
               {"accepted", a.accepted()},
               {"reason", a.reason()},
               {"explanation", a.detail},
               {"registered", registered},
               {"T_odometry", matrix_json(page.odometry[from].inverse() * page.odometry[to])},
               {"expected_distance_m", rounded(a.expected_distance_m, 3)},
               {"ms", rounded(a.milliseconds, 1)}};
  if (registered) add_registration(json, a);
  if (a.accepted()) json["chi2_final"] = rounded(chi2(a, page.corrected[from].inverse() * page.corrected[to]), 3);
  if (loop.error) add_truth(json, loop, registered);
  if (opened && registered) json["detail"] = detail_json(loop.detail);
  return json;
}

FittedScans encode_scans(const SlamPage& page, const std::vector<std::size_t>& keyframes, std::size_t points) {
  FittedScans scans{Json::object(), points};
  for (const std::size_t k : keyframes) {
    const datasets::Points& scan = page.scan(k);
    scans.thinned |= scan.size() > points;
    scans.json[std::to_string(k)] = encode_cloud(thinned(scan, page.map_voxel, points), grid_step(page.map_voxel));
  }
  return scans;
}

std::size_t bytes_of(const FittedScans& scans) {
  std::size_t bytes = 0;
  for (const auto& [keyframe, cloud] : scans.json.items()) bytes += bytes_of_cloud(cloud);
  return bytes;
}

}  // namespace

void append_rounded(Json& array, const Eigen::Vector3d& point, int decimals) {
  for (int axis = 0; axis < 3; ++axis) array.push_back(rounded(point[axis], decimals));
}

Json loops_json(const SlamPage& page, const std::set<std::size_t>& opened) {
  Json json = Json::array();
  for (std::size_t i = 0; i < page.loops.size(); ++i)
    json.push_back(loop_json(page, page.loops[i], opened.contains(i)));
  return json;
}

std::set<std::size_t> keyframes_of(const SlamPage& page, const std::vector<std::size_t>& loops) {
  std::set<std::size_t> keyframes;
  for (const std::size_t i : loops) keyframes.insert({page.loops[i].attempt.from, page.loops[i].attempt.to});
  return keyframes;
}

std::optional<FittedScans> fit_scans(const SlamPage& page, const std::set<std::size_t>& keyframes, std::size_t bytes) {
  constexpr std::size_t kSample = 100;  // scans that tell how many points there is room for
  const std::vector<std::size_t> all(keyframes.begin(), keyframes.end()), sample = evenly_chosen(all, kSample);
  const auto budget = static_cast<double>(bytes);
  std::size_t points = kMostPoints;
  for (bool whole = all.size() == sample.size();; whole = true) {
    FittedScans scans = encode_scans(page, whole ? all : sample, points);
    const double share = whole ? 1.0 : static_cast<double>(sample.size()) / static_cast<double>(all.size());
    const double used = static_cast<double>(bytes_of(scans)) / share;
    if (used > budget) points = static_cast<std::size_t>(0.95 * static_cast<double>(points) * budget / used);
    if (points < kFewestPoints) return std::nullopt;
    if (whole && used <= budget) return scans;
  }
}

}  // namespace parte::apps
