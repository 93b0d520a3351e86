#include <apps/slam_report.hpp>

#include <apps/html_report.hpp>
#include <apps/report_loops.hpp>
#include <apps/slam_output.hpp>

namespace parte::apps {
namespace {

using Json = nlohmann::ordered_json;
using Poses = std::vector<Eigen::Isometry3d>;

constexpr std::size_t kPageBytes = 14'500'000;
constexpr std::size_t kMapPoints = 1'000'000, kMapBytes = 4'500'000;

Json polyline(const Poses& poses, const Eigen::Isometry3d& T = Eigen::Isometry3d::Identity()) {
  Json json = Json::array();
  for (const Eigen::Isometry3d& pose : poses) append_rounded(json, T * pose.translation());
  return json;
}

Json map_json(const SlamPage& page, Json& notes) {
  if (page.map.empty()) return nullptr;
  std::size_t limit = kMapPoints;
  datasets::Points points = thinned(page.map, page.map_voxel, limit);
  Json json = encode_cloud(points, grid_step(page.map_voxel));
  while (bytes_of_cloud(json) > kMapBytes) {
    limit = static_cast<std::size_t>(0.95 * static_cast<double>(points.size()) * kMapBytes /
                                     static_cast<double>(bytes_of_cloud(json)));
    points = thinned(page.map, page.map_voxel, limit);
    json = encode_cloud(points, grid_step(page.map_voxel));
  }
  if (points.size() < page.map.size())
    notes.push_back("The map is thinned out from " + std::to_string(page.map.size()) + " to " +
                    std::to_string(points.size()) + " points.");
  return json;
}

/// Everything but the loops and their scans.
Json frame_json(const SlamPage& page, Json& notes) {
  Json json = report_head("slam", page.metrics.at("sequence"), page.info.command);
  double seconds = 0.0;
  for (const auto& [stage, ms] : page.metrics.at("times_ms").items()) seconds += ms.get<double>() / 1e3;
  json["metrics"] = page.metrics;
  json["seconds"] = seconds;
  json["upright"] = page.upright;
  json["warnings"] = page.warnings;
  json["frame_ids"] = page.frame_ids;
  json["times_s"] = rounded(page.times_s, 3);
  json["odometry"] = polyline(page.odometry);
  json["corrected"] = polyline(page.corrected);
  for (const char* name : {"truth", "error_odometry_m", "error_corrected_m"}) json[name] = nullptr;
  if (!page.truth.empty()) {
    json["truth"] = polyline(page.truth, slam::align_positions(page.truth, page.corrected));
    json["error_odometry_m"] = rounded(position_errors_m(page.odometry, page.truth), 4);
    json["error_corrected_m"] = rounded(position_errors_m(page.corrected, page.truth), 4);
  }
  json["keyframes"] = page.keyframes;
  json["map"] = map_json(page, notes);
  json["config"] = page.info.settings;
  return json;
}

/// Loops of one kind, of which some can be opened.
struct Kind {
  const char* name;
  std::size_t limit;                         // on the others
  std::vector<std::size_t> notable, others;  // notable: the program and the truth disagree

  void add(std::size_t loop, bool is_notable) { (is_notable ? notable : others).push_back(loop); }
  [[nodiscard]] std::size_t size() const { return notable.size() + others.size(); }
};

std::vector<Kind> kinds_of(const SlamPage& page) {
  constexpr std::size_t kMaxRefused = 80, kMaxUnregistered = 20;
  std::vector<Kind> kinds = {{"accepted loops", page.loops.size(), {}, {}},
                             {"refused registrations", kMaxRefused, {}, {}},
                             {"candidates that were not registered", kMaxUnregistered, {}, {}}};
  for (std::size_t i = 0; i < page.loops.size(); ++i) {
    const auto& [attempt, detail, error, true_overlap] = page.loops[i];
    if (!attempt.registered())
      kinds[2].add(i, false);
    else
      kinds[attempt.accepted() ? 0 : 1].add(i, error && error->right != attempt.accepted());
  }
  return kinds;
}

/// Those that can be opened if there is room for `part` of them. Notable ones come last to be left out.
std::vector<std::size_t> opened(const Kind& kind, double part) {
  constexpr std::size_t kMaxNotable = 200;
  constexpr double kNeedy = 0.1;  // of the others: now the notable ones are thinned out, too
  const auto share = [&](std::size_t all) { return static_cast<std::size_t>(part * static_cast<double>(all)); };
  const std::size_t notable = std::min(kMaxNotable, kind.notable.size());
  std::vector<std::size_t> loops = evenly_chosen(kind.notable, part < kNeedy ? share(notable) : notable);
  const std::vector<std::size_t> others = evenly_chosen(kind.others, share(std::min(kind.limit, kind.others.size())));
  loops.insert(loops.end(), others.begin(), others.end());
  return loops;
}

std::string opened_note(const char* kind, std::size_t shown, std::size_t all) {
  return "Of " + std::to_string(all) + " " + kind + ", " + std::to_string(shown) + " can be opened; the others keep " +
         "their numbers.";
}

}  // namespace

std::vector<double> position_errors_m(const Poses& estimate, const Poses& truth) {
  const Eigen::Isometry3d T = slam::align_positions(estimate, truth);
  std::vector<double> errors;
  for (std::size_t i = 0; i < estimate.size(); ++i)
    errors.push_back((T * estimate[i].translation() - truth[i].translation()).norm());
  return errors;
}

SlamPage page_of(const SlamReplay& run, const SlamMetrics& metrics, const RunInfo& info) {
  const datasets::Sequence& sequence = run.input().sequence;
  SlamPage page;
  page.info = info;
  page.metrics = to_json(metrics);
  page.frame_ids.assign(sequence.ids.begin(), sequence.ids.end());
  page.times_s = sequence.times_s;
  page.odometry = run.odometry_trajectory();
  page.corrected = run.mapper().trajectory();
  page.truth = sequence.ground_truth;
  page.upright = run.sensor() == Sensor::lidar;
  for (const KeyframeRecord& keyframe : run.keyframes) {
    page.keyframes.push_back(keyframe.place.position);
    for (const JudgedAttempt& a : keyframe.attempts)
      page.loops.push_back({a.attempt, a.detail, error_of(run, a), a.true_overlap});
  }
  page.scan = [&run](std::size_t keyframe) -> const datasets::Points& { return run.keyframes[keyframe].map_points; };
  return page;
}

Json slam_report(const SlamPage& page) {
  Json notes = page.notes;
  Json report = frame_json(page, notes);
  const std::vector<Kind> kinds = kinds_of(page);
  const std::size_t fixed = empty_report_bytes() + report_data(report).size();
  for (double part = 1.0;; part *= 0.8) {
    std::vector<std::size_t> shown;
    Json left_out = Json::array();
    for (const Kind& kind : kinds) {
      const std::vector<std::size_t> loops = opened(kind, part);
      shown.insert(shown.end(), loops.begin(), loops.end());
      if (loops.size() < kind.size()) left_out.push_back(opened_note(kind.name, loops.size(), kind.size()));
    }
    report["loops"] = loops_json(page, {shown.begin(), shown.end()});
    const std::size_t used = fixed + report_data(report["loops"]).size();
    const std::optional<FittedScans> scans =
        fit_scans(page, keyframes_of(page, shown), used < kPageBytes ? kPageBytes - used : 0);
    if (!scans && !shown.empty()) continue;
    notes.insert(notes.end(), left_out.begin(), left_out.end());
    if (scans && scans->thinned)
      notes.push_back("Scans are thinned out to " + std::to_string(scans->points) + " points each at most.");
    report["scans"] = scans ? scans->json : Json::object();
    break;
  }
  report["notes"] = notes;
  return report;
}

}  // namespace parte::apps
