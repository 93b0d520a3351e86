#include <apps/register_report.hpp>

#include <apps/stage_times.hpp>
#include <apps/voxel_report.hpp>

#include <cstdio>
#include <numbers>
#include <utility>

#include <nlohmann/json.hpp>

namespace parte::apps {
namespace {

using Json = nlohmann::ordered_json;

template <class Timings>
StageTimes with_total(const Timings& timings) {
  StageTimes times = stage_times(timings);
  times.emplace_back("total", timings.total_ms());
  return times;
}

const char* plural(std::size_t count) { return count == 1 ? "" : "s"; }

/// Begins a line; the rest of it follows.
void label(const char* text) { std::printf("%-17s", text); }

/// `level`: of the scale that its matches are of.
void print_scan(const char* role, const Scan& scan, int level) {
  const Features& f = scan.features;
  const Description& described = f.at_level(level).description();
  const std::size_t planes = described.planes.patches.size();
  label(role);
  std::printf("%s\n", scan.name.c_str());
  label("");
  std::printf("%zu points, %zu after downsampling; %zu plane%s, %zu points off the planes\n", scan.points.size(),
              f.cloud.size(), planes, plural(planes), described.point_indices.size());
  if (f.cloud.dropped == 0) return;
  label("");
  std::printf("%zu points left out: not finite, or absurdly far\n", f.cloud.dropped);
}

void print_settings(const Run& run, const Options& options) {
  label("settings");
  std::printf("%s, voxel %g m", name_of(options.sensor), options.voxel);
  if (run.voxel) std::printf(" (automatic: %s)", explanation(*run.voxel, options.sensor).c_str());
  std::printf("\n");
  const std::string warning = run.voxel ? unit_warning(*run.voxel, options.sensor) : "";
  if (warning.empty()) return;
  label("WARNING");
  std::printf("%s\n", warning.c_str());
}

void print_clique(const Result& r) {
  label("candidates");
  std::printf("%zu point pairs, %zu plane pairs\n", r.point_candidates, r.plane_candidates);
  if (r.clique_points.empty() && r.clique_planes.empty()) return;
  label("clique");
  std::printf("%zu point%s + %zu plane%s, weight %lld, %s\n", r.clique_points.size(), plural(r.clique_points.size()),
              r.clique_planes.size(), plural(r.clique_planes.size()), static_cast<long long>(r.clique_weight),
              r.proven_optimal ? "proven optimal" : "not proven optimal");
  label("residual");
  std::printf("%.3f m RMS over the clique's points\n", r.point_rms_m);
  label("overlap");
  std::printf("%.1f %% of the surfaces coincide, %.1f %% of the evidence agrees\n", 100.0 * r.overlap.fraction(),
              100.0 * r.overlap.agreement());
  label("confidence");
  std::printf("%.4f that it is correct\n", r.confidence);
}

void print_transform(const Eigen::Isometry3d& T) {
  const Eigen::Quaterniond q(T.linear());
  const Eigen::Vector3d t = T.translation();
  for (int row = 0; row < 4; ++row) {
    label(row == 0 ? "T_target_source" : "");
    std::printf("%10.6f %10.6f %10.6f %12.6f\n", T(row, 0), T(row, 1), T(row, 2), T(row, 3));
  }
  label("translation [m]");
  std::printf("%.4f %.4f %.4f\n", t.x(), t.y(), t.z());
  label("quaternion xyzw");
  std::printf("%.6f %.6f %.6f %.6f\n", q.x(), q.y(), q.z(), q.w());
}

void print_covariance(const Matrix6d& covariance) {
  const Vector6d sigma = covariance.diagonal().cwiseSqrt();
  const Eigen::Vector3d deg = sigma.head<3>() * 180.0 / std::numbers::pi, m = sigma.tail<3>();
  label("std. deviation");
  std::printf("%.3f %.3f %.3f deg about, %.4f %.4f %.4f m along the source's x, y, z\n", deg.x(), deg.y(), deg.z(),
              m.x(), m.y(), m.z());
}

void print_times(const char* title, const StageTimes& times) {
  label(title);
  const char* separator = "";
  for (const auto& [name, ms] : times) std::printf("%s%s %.1f", std::exchange(separator, ", "), name.c_str(), ms);
  std::printf("\n");
}

/// What may help when nothing was found.
const char* advice(Status status) {
  switch (status) {
    case Status::success:
      return "";
    case Status::too_few_points:
      return "a smaller --voxel keeps more points";
    case Status::too_many_points:
      return "a larger --voxel keeps fewer points";
    case Status::too_few_correspondences:
      return "the clouds have little in common at this --voxel";
    case Status::degenerate:
      return "what matched leaves some direction of motion open";
    case Status::not_verified:
      return "a transform was found, but the aligned clouds contradict it";
  }
  return "";
}

Json to_json(const StageTimes& times) {
  Json json;
  for (const auto& [name, ms] : times) json[name + "_ms"] = ms;
  return json;
}

Json to_json(const Scan& scan, int level) {
  const Description& described = scan.features.at_level(level).description();
  return {{"name", scan.name},
          {"points", scan.points.size()},
          {"points_downsampled", scan.features.cloud.size()},
          {"points_dropped", scan.features.cloud.dropped},
          {"points_described", described.point_indices.size()},
          {"planes", described.planes.patches.size()},
          {"timings", to_json(with_total(scan.features.timings))}};
}

Json voxel_choice(const Run& run, Sensor sensor) {
  if (!run.voxel) return {{"by", "user"}};
  Json json = {{"by", name_of(run.voxel->reason)},
               {"explanation", explanation(*run.voxel, sensor)},
               {"radius_m", run.voxel->radius_m}};
  if (const std::string warning = unit_warning(*run.voxel, sensor); !warning.empty()) json["warning"] = warning;
  return json;
}

template <class Matrix>
Json to_json_rows(const Matrix& matrix) {
  Json rows = Json::array();
  for (Eigen::Index r = 0; r < matrix.rows(); ++r) {
    rows.push_back(Json::array());
    for (Eigen::Index c = 0; c < matrix.cols(); ++c) rows.back().push_back(matrix(r, c));
  }
  return rows;
}

}  // namespace

PoseError pose_error(const Eigen::Isometry3d& estimate, const Eigen::Isometry3d& truth) {
  const Eigen::AngleAxisd rotation(Eigen::Matrix3d(truth.linear().transpose() * estimate.linear()));
  return {(estimate.translation() - truth.translation()).norm(), rotation.angle() * 180.0 / std::numbers::pi};
}

void print_report(const Run& run, const Options& options) {
  const Result& r = run.result;
  print_scan("source", run.source, r.level);
  print_scan("target", run.target, r.level);
  print_settings(run, options);
  print_clique(r);
  if (r.success()) print_transform(r.T_target_source);
  if (run.covariance) print_covariance(*run.covariance);
  label("status");
  if (r.success()) {
    std::printf("registered\n");
  } else {
    std::printf("not registered: %s (%s)\n", std::string(to_string(r.status)).c_str(), advice(r.status));
  }
  if (run.truth && r.success()) {
    const PoseError error = pose_error(r.T_target_source, *run.truth);
    label("against truth");
    std::printf("%.3f m, %.3f deg: %s\n", error.translation_m, error.rotation_deg, error.small() ? "correct" : "WRONG");
  }
  print_times("source [ms]", with_total(run.source.features.timings));
  print_times("target [ms]", with_total(run.target.features.timings));
  print_times("align [ms]", with_total(r.timings));
}

void print_json(const Run& run, const Options& options) {
  const Result& r = run.result;
  const Eigen::Quaterniond q(r.T_target_source.linear());
  const Eigen::Vector3d t = r.T_target_source.translation();
  Json json = {{"registered", r.success()}, {"status", to_string(r.status)}};
  json["source"] = to_json(run.source, r.level);
  json["target"] = to_json(run.target, r.level);
  json["sensor"] = name_of(options.sensor);
  json["voxel_m"] = options.voxel;
  json["voxel_choice"] = voxel_choice(run, options.sensor);
  json["point_candidates"] = r.point_candidates;
  json["plane_candidates"] = r.plane_candidates;
  json["clique"] = {{"points", r.clique_points.size()},
                    {"planes", r.clique_planes.size()},
                    {"weight", r.clique_weight},
                    {"proven_optimal", r.proven_optimal},
                    {"point_rms_m", r.point_rms_m}};
  json["confidence"] = r.confidence;
  json["overlap"] = {{"fraction", r.overlap.fraction()}, {"agreement", r.overlap.agreement()}};
  json["timings"] = to_json(with_total(r.timings));
  if (r.success()) {  // a program must not mistake an identity for an answer
    json["T_target_source"] = to_json_rows(r.T_target_source.matrix());
    json["translation_m"] = {t.x(), t.y(), t.z()};
    json["quaternion_xyzw"] = {q.x(), q.y(), q.z(), q.w()};
  }
  if (run.covariance) json["covariance"] = to_json_rows(*run.covariance);
  if (run.truth && r.success()) {
    const PoseError error = pose_error(r.T_target_source, *run.truth);
    json["error"] = {{"translation_m", error.translation_m}, {"rotation_deg", error.rotation_deg}};
  }
  std::printf("%s\n", json.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
}

}  // namespace parte::apps
