#pragma once

#include <parte/registration.hpp>

#include <chrono>
#include <string>
#include <utility>
#include <vector>

namespace parte::apps {

/// Stages in their order, with the time each took [ms].
using StageTimes = std::vector<std::pair<std::string, double>>;

[[nodiscard]] inline StageTimes stage_times(const ExtractTimings& t) {
  return {{"downsample", t.downsample_ms}, {"normals", t.normals_ms}, {"ground", t.ground_ms},
          {"planes", t.planes_ms},         {"fpfh", t.fpfh_ms},       {"pch", t.pch_ms},
          {"surfaces", t.surfaces_ms}};
}

[[nodiscard]] inline StageTimes stage_times(const AlignTimings& t) {
  return {{"describe", t.describe_ms}, {"matching", t.matching_ms},   {"graph", t.graph_ms},
          {"clique", t.clique_ms},     {"transform", t.transform_ms}, {"verification", t.verification_ms}};
}

[[nodiscard]] inline double milliseconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace parte::apps
