#include <apps/slam_output.hpp>

#include <apps/terminal.hpp>
#include <apps/text_table.hpp>

#include <algorithm>
#include <cstdio>

#include <nlohmann/json.hpp>

namespace parte::apps {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const std::optional<TrajectoryErrors>& errors) {
  if (!errors) return nullptr;
  Json json = {{"ate_rmse_m", errors->ate_m},
               {"ate_rmse_first_pose_m", errors->ate_first_pose_m},
               {"end_point_m", errors->end_m},
               {"lateral_rmse_m", errors->lateral.lateral_rmse_m},
               {"yaw_rmse_deg", errors->lateral.yaw_rmse_deg},
               {"rpe_translation_m", errors->step.translation_rmse_m},
               {"rpe_rotation_deg", errors->step.rotation_rmse_deg}};
  json["t_rel_percent"] = errors->kitti ? Json(errors->kitti->t_rel_percent) : Json(nullptr);
  json["r_rel_deg_per_100m"] = errors->kitti ? Json(errors->kitti->r_rel_deg_per_100m) : Json(nullptr);
  return json;
}

Json to_json(const std::vector<SuccessRate>& rates) {
  Json json = Json::array();
  for (const SuccessRate& rate : rates)
    json.push_back({{"kind", rate.kind}, {"tried", rate.tried}, {"right", rate.right}});
  return json;
}

Json to_json(const LoopMetrics& m, bool truth) {
  Json json = {{"tried", m.tried}, {"accepted", m.accepted}, {"refused", m.refused}, {"median_chi2", m.median_chi2}};
  if (!truth) return json;
  json["wrong"] = m.wrong;
  json["precision_percent"] = m.precision() ? Json(*m.precision()) : Json(nullptr);
  json["revisits"] = m.revisits;
  json["closed_revisits"] = m.closed_revisits;
  json["recall_percent"] = m.recall() ? Json(*m.recall()) : Json(nullptr);
  json["mean_nees"] = m.mean_nees;
  json["registrations"] = {{"by_distance", to_json(m.by_distance)},
                           {"by_rotation", to_json(m.by_rotation)},
                           {"by_overlap", to_json(m.by_overlap)}};
  return json;
}

/// A line of the table; nothing in it where the path is too short for the measure.
template <class Value>
void row(const char* name, const SlamMetrics& m, const Value& value) {
  const std::optional<double> before = value(*m.odometry), after = value(*m.corrected);
  if (!before || !after) return;
  const auto cell = [](double number) {
    const std::string text = with_digits(number, 3);
    return std::string(12 - std::min<std::size_t>(12, text.size()), ' ') + text;
  };
  const std::string better = *after <= *before ? styled(cell(*after), Style::good) : cell(*after);
  std::printf("%s%s%s\n", label(name).c_str(), cell(*before).c_str(), better.c_str());
}

void print_errors(const SlamMetrics& m) {
  using E = const TrajectoryErrors&;
  using Value = std::optional<double>;
  std::printf("%s%12s%12s\n", label("").c_str(), "odometry", "with loops");
  row("ATE RMSE [m]", m, [](E e) { return Value(e.ate_m); });
  row("ATE, first pose [m]", m, [](E e) { return Value(e.ate_first_pose_m); });
  row("lateral [m]", m, [](E e) { return Value(e.lateral.lateral_rmse_m); });
  row("yaw [deg]", m, [](E e) { return Value(e.lateral.yaw_rmse_deg); });
  row("end point [m]", m, [](E e) { return Value(e.end_m); });
  row("RPE [m]", m, [](E e) { return Value(e.step.translation_rmse_m); });
  row("RPE [deg]", m, [](E e) { return Value(e.step.rotation_rmse_deg); });
  row("t_rel [%]", m, [](E e) { return e.kitti ? Value(e.kitti->t_rel_percent) : Value(); });
  row("r_rel [deg/100 m]", m, [](E e) { return e.kitti ? Value(e.kitti->r_rel_deg_per_100m) : Value(); });
}

void print_rates(const char* name, const std::vector<SuccessRate>& rates) {
  if (std::all_of(rates.begin(), rates.end(), [](const SuccessRate& rate) { return rate.tried == 0; })) return;
  std::printf("%s", label(name).c_str());
  const char* separator = "";
  for (const SuccessRate& rate : rates) {
    if (rate.tried == 0) continue;
    std::printf("%s%s %zu/%zu", std::exchange(separator, ", "), rate.kind.c_str(), rate.right, rate.tried);
  }
  std::printf("\n");
}

/// A line for each reason, the most frequent first; loops.csv has every candidate's numbers.
void print_refusals(const LoopMetrics& m) {
  std::vector<std::pair<std::string, std::size_t>> reasons(m.refused.begin(), m.refused.end());
  std::stable_sort(reasons.begin(), reasons.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  for (const auto& [reason, count] : reasons) {
    const std::string& options = m.options.at(reason);
    std::printf("%s%zu %s%s\n", label("").c_str(), count, reason.c_str(),
                options.empty() ? "" : (" (" + options + ")").c_str());
  }
}

void print_loops(const LoopMetrics& m, bool truth) {
  std::printf("%s%zu tried, %zu accepted", label("loops").c_str(), m.tried, m.accepted);
  if (truth && m.precision()) {
    const std::string text = "precision " + with_digits(*m.precision(), 1) + " %";
    std::printf(" (%s)", styled(text, m.wrong == 0 ? Style::good : Style::bad).c_str());
  }
  std::printf(", %zu refused\n", m.tried - m.accepted);
  print_refusals(m);
  if (truth) {
    if (m.recall())
      std::printf("%s%zu of %zu keyframes that return to a place (%.1f %%)\n", label("recall").c_str(),
                  m.closed_revisits, m.revisits, *m.recall());
    print_rates("right, by distance", m.by_distance);
    print_rates("right, by rotation", m.by_rotation);
    print_rates("right, by overlap", m.by_overlap);
    if (m.accepted > m.wrong) std::printf("%s%.1f (6 is ideal)\n", label("mean NEES of loops").c_str(), m.mean_nees);
  } else if (m.accepted > 0) {
    std::printf("%smedian chi2 %.1f with 6 degrees of freedom (at most 5.3 is expected)\n",
                label("loop consistency").c_str(), m.median_chi2);
  }
}

}  // namespace

Json to_json(const SlamMetrics& m) {
  const bool truth = m.corrected.has_value();
  Json json = {{"sequence", m.sequence},   {"frames", m.frames}, {"voxel_m", m.voxel_m},
               {"keyframes", m.keyframes}, {"path_m", m.path_m}, {"odometry_lost_frames", m.lost}};
  json["ground_truth"] = truth;
  json["odometry"] = to_json(m.odometry);
  json["corrected"] = to_json(m.corrected);
  json["loops"] = to_json(m.loops, truth);
  json["rebuild"] = {{"clusters", m.rebuild.clusters},
                     {"used_clusters", m.rebuild.used_clusters},
                     {"rounds", m.rebuild.rounds},
                     {"cost", m.rebuild.cost}};
  json["times_ms"] = {{"odometry_and_reading", m.times.odometry_ms},
                      {"features", m.times.extract_ms},
                      {"loops", m.times.loops_ms},
                      {"rebuild", m.times.rebuild_ms}};
  json["peak_memory_gb"] = m.peak_memory_gb;
  return json;
}

std::string json_text(const Json& json) { return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

void print_summary(const SlamMetrics& m, const std::filesystem::path& folder) {
  const StageTimes& t = m.times;
  std::printf("%s%zu frames, %zu keyframes, %.0f m\n", label("mapped").c_str(), m.frames, m.keyframes, m.path_m);
  if (m.lost > 0) std::printf("%slost in %zu frame%s\n", label("odometry").c_str(), m.lost, m.lost == 1 ? "" : "s");
  if (m.corrected)
    print_errors(m);
  else
    std::printf("%sno ground truth: trajectory errors and the precision of loops cannot be known\n",
                label("accuracy").c_str());
  print_loops(m.loops, m.corrected.has_value());
  std::printf("%sodometry and reading %.1f s, features %.1f s, loops %.1f s, rebuild %.1f s; %.2f GB at most\n",
              label("time").c_str(), t.odometry_ms / 1e3, t.extract_ms / 1e3, t.loops_ms / 1e3, t.rebuild_ms / 1e3,
              m.peak_memory_gb);
  print_written(folder, {{"report.html", "all of this to look at: trajectory, loops, map"},
                         {"trajectory.tum", "poses after loop closing, also as trajectory_kitti.txt"},
                         {"odometry.tum", "poses before, also as odometry_kitti.txt"},
                         {"map.ply", "points of all keyframes"},
                         {"loops.csv", "every candidate, and why it was accepted or refused"},
                         {"graph.g2o", "the pose graph with the accepted loops"},
                         {"metrics.json", "these numbers for programs"},
                         {"config.toml", "the settings, for --config"}});
}

}  // namespace parte::apps
