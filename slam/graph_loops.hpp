#pragma once

#include <slam/loop_finder.hpp>
#include <slam/pose_graph.hpp>

#include <functional>
#include <map>
#include <optional>

/// Loop closures for a pose graph that exists already.
namespace parte::slam {

struct GraphLoopOptions {
  LoopFinderOptions loops;
  RebuildOptions rebuild;
  /// Where the scans were seen from, in the frames of the poses: a lever arm. Without it as Registration::extract()
  /// takes it, which is the origin unless that lies far outside of a scan.
  std::optional<Eigen::Vector3d> sensor = {};
  std::size_t feature_bytes = 1'000'000'000;  ///< memory for features; what does not fit is made again
  /// Called after each place; false ends the search, and what was found so far is used.
  std::function<bool(std::size_t done, std::size_t total)> progress = {};
};

/// Points in the frame of a pose, read when they are needed.
using ScanOf = std::function<std::vector<Eigen::Vector3f>()>;

struct GraphLoops {
  gtsam::NonlinearFactorGraph graph;  ///< the one given, followed by the loops that were accepted
  /// Optimised with a robust loss on the loops (rebuild()). The factors in `graph` are Gaussian: optimising it again
  /// moves the poses a little.
  gtsam::Values values;
  std::vector<gtsam::Key> keys;       ///< of the places, which the attempts count
  std::vector<LoopAttempt> attempts;  ///< all that was tried, and what became of it
  RebuildResult rebuilt;
};

/// Looks for loops between the poses that have a scan, chooses those that agree with each other and with the graph, and
/// adds a BetweenFactor<Pose3> for each. Nothing of the graph given is changed or dropped; it is believed. Poses are
/// taken to follow one another in the order of their keys. Values of other types (landmarks, biases) are optimised
/// along. Throws std::invalid_argument for scans of keys that `values` has no Pose3 for, and what a scan throws.
[[nodiscard]] GraphLoops add_loop_closures(const gtsam::NonlinearFactorGraph& graph, const gtsam::Values& values,
                                           const std::map<gtsam::Key, ScanOf>& scans, const Registration& registration,
                                           const GraphLoopOptions& options = {});

}  // namespace parte::slam
