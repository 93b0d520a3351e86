#pragma once

#include <apps/slam_report.hpp>

#include <functional>

namespace parte::apps {

/// Adds loop closures to the g2o file of the configuration and writes graph.g2o (the input and the new edges),
/// optimised.g2o (the same with the poses corrected), loops.csv, report.html and metrics.json. `go_on` is asked after
/// each scan; when it says no, the loops found until then are used. Throws IoError and std::invalid_argument.
void close_graph(SlamConfig config, const RunInfo& info, const std::function<bool()>& go_on);

}  // namespace parte::apps
