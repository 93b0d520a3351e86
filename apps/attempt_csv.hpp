#pragma once

#include <apps/csv.hpp>
#include <slam/loop_finder.hpp>

namespace parte::apps {

inline constexpr const char* kAttemptColumns =
    "kind,expected_distance_m,unlikeness,status,reason,clique_points,clique_planes,clique_weight,proven_optimal,"
    "residual_m,overlap,agreement,odometry_chi2,milliseconds";
inline constexpr const char* kExplanationColumns = "sharpness,confidence,evidence,partial,detail";

[[nodiscard]] inline std::string_view kind_of(const slam::LoopAttempt& a) {
  return a.neighbor ? "neighbour" : a.look_alike ? "look-alike" : "nearby";
}

inline void add_columns(Csv& csv, const slam::LoopAttempt& a) {
  csv << kind_of(a) << a.expected_distance_m << a.unlikeness << (a.accepted() ? "accepted" : "refused") << a.reason()
      << a.clique_points << a.clique_planes << a.clique_weight << (a.proven_optimal ? 1 : 0) << a.residual_m
      << a.overlap << a.agreement << a.odometry_chi2 << a.milliseconds;
}

inline void add_explanation(Csv& csv, const slam::LoopAttempt& a) {
  csv << a.sharpness << a.confidence << a.evidence << (a.partial ? 1 : 0) << quoted_cell(a.detail);
}

}  // namespace parte::apps
