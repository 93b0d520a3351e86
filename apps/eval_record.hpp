#pragma once

#include <apps/eval_benchmark.hpp>
#include <apps/stage_times.hpp>

#include <span>
#include <string>
#include <string_view>

namespace parte::apps {

/// What one method made of one pair.
struct EvalRecord {
  std::size_t pair = 0;
  std::string method, source, target, group, bin;
  std::string status;
  bool estimated = false;  ///< there is a transform, which may be right whether or not the method vouches for it
  bool accepted = false;   ///< the method vouches for it
  Eigen::Isometry3d T_target_source = Eigen::Isometry3d::Identity();
  double error_m = 0.0, error_deg = 0.0;  ///< if estimated
  bool right = false;
  std::size_t point_candidates = 0, plane_candidates = 0, clique_points = 0, clique_planes = 0;
  std::int64_t clique_weight = 0;
  bool proven_optimal = false;
  int hypotheses = 0;
  double overlap = 0.0, agreement = 0.0;
  int level = 0;  ///< of the scale that the clique was found at
  double confidence = 0.0;
  AlignmentEvidence evidence;
  StageTimes times_ms;  ///< empty: not recorded

  [[nodiscard]] double total_ms() const;
};

/// A record of the pair for the method, with the transform judged; no transform, no answer.
[[nodiscard]] EvalRecord judged(const Benchmark& benchmark, const EvalPair& pair, std::string method,
                                const std::optional<Eigen::Isometry3d>& T_target_source);

/// One line of JSON, with its line end; and back. Throws std::invalid_argument saying what is wrong.
[[nodiscard]] std::string to_line(const EvalRecord& record);
[[nodiscard]] EvalRecord parse_record(std::string_view line);

/// Everything but the times, so that equal results have equal texts.
[[nodiscard]] std::string results_csv(std::span<const EvalRecord> records);

}  // namespace parte::apps
