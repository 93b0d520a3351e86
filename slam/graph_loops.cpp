#include <slam/graph_loops.hpp>

#include <parte/feature_cache.hpp>
#include <slam/graph_edges.hpp>
#include <slam/loop_evidence.hpp>
#include <slam/partial_loops.hpp>

#include <gtsam/inference/Key.h>

#include <algorithm>
#include <set>
#include <stdexcept>

namespace parte::slam {
namespace {

/// One search over a graph.
class Search {
 public:
  Search(const gtsam::NonlinearFactorGraph& graph, const gtsam::Values& values,
         const std::map<gtsam::Key, ScanOf>& scans, const Registration& registration, const GraphLoopOptions& options)
      : graph_(graph),
        values_(values),
        scans_(scans),
        registration_(registration),
        options_(options),
        chain_(graph, values),
        features_(options.feature_bytes, [this](std::size_t place) { return extract(place); }),
        finder_(registration, options.loops, [this](std::size_t place) { return features_.get(place); }) {
    for (const auto& [key, scan] : scans) keys_.push_back(key);
    for (const auto& factor : graph)  // what it has joined already needs no loop
      if (dynamic_cast<const gtsam::BetweenFactor<gtsam::Pose3>*>(factor.get())) know(factor->front(), factor->back());
    joined_ = tried_;
  }

  /// From every place, by the values given; then once more, by values that the loops have corrected, from the places
  /// that have no loop yet.
  GraphLoops run() {
    if (look(values_)) {
      GraphLoops first = result(false);
      closed_.clear();
      for (const LoopAttempt& a : first.attempts)
        if (a.accepted()) closed_.insert(a.to);
      if (closed_.empty() || look(first.values)) return result(options_.loops.partial_loops);
    }
    return result(false);
  }

 private:
  /// Nothing if one of the poses has no scan.
  void know(gtsam::Key a, gtsam::Key b) {
    const auto p = std::lower_bound(keys_.begin(), keys_.end(), std::min(a, b));
    const auto q = std::lower_bound(keys_.begin(), keys_.end(), std::max(a, b));
    if (q == keys_.end() || *p != std::min(a, b) || *q != std::max(a, b)) return;
    tried_.insert({static_cast<std::size_t>(p - keys_.begin()), static_cast<std::size_t>(q - keys_.begin())});
  }

  Features extract(std::size_t place) { return registration_.extract(scans_.at(keys_[place])(), options_.sensor); }

  /// False if the search was ended.
  bool look(const gtsam::Values& values) {
    const std::vector<gtsam::Pose3> estimates = estimates_of(values);
    finder_.hold(0);
    for (std::size_t k = 0; k < keys_.size(); ++k) {
      if (finder_.places().size() == k)
        finder_.add(make_place(chain_.position(keys_[k]), *features_.get(k), options_.loops));
      if (closed_.contains(k))
        finder_.hold(k);
      else
        try_from(k, estimates);
      if (options_.progress && !options_.progress(++done_, 2 * keys_.size())) return false;
    }
    ask_neighbors(attempts_, finder_, chain_, estimates, options_.rebuild.consistency);
    for (const LoopAttempt& a : attempts_) tried_.insert({a.from, a.to});
    return true;
  }

  [[nodiscard]] std::vector<gtsam::Pose3> estimates_of(const gtsam::Values& values) const {
    std::vector<gtsam::Pose3> estimates;
    for (const gtsam::Key key : keys_) estimates.push_back(values.at<gtsam::Pose3>(key));
    return estimates;
  }

  void try_from(std::size_t place, const std::vector<gtsam::Pose3>& estimates) {
    for (const LoopAttempt& attempt : finder_.search(place, chain_, estimates, tried_)) {
      attempts_.push_back(attempt);
      tried_.insert({attempt.from, attempt.to});
      if (!attempt.accepted()) continue;
      closed_.insert(place);
      finder_.hold(place);
    }
  }

  GraphLoops result(bool partial_loops) const {
    GraphLoops result;
    result.keys = keys_;
    result.attempts = attempts_;
    result.rebuilt = partial_loops ? rebuild_with_partial_loops(result.attempts, finder_, chain_, keys_, graph_,
                                                                values_, options_.rebuild, joined_)
                                   : rebuild_with(result.attempts, keys_, graph_, values_, options_.rebuild);
    result.values = result.rebuilt.values;
    result.graph = graph_;
    for (const LoopAttempt& a : result.attempts)
      if (a.accepted()) add_edge(result.graph, keys_[a.from], keys_[a.to], a.T_from_to, a.covariance);
    return result;
  }

  const gtsam::NonlinearFactorGraph& graph_;
  const gtsam::Values& values_;
  const std::map<gtsam::Key, ScanOf>& scans_;
  const Registration& registration_;
  const GraphLoopOptions& options_;
  OdometryChain chain_;
  FeatureCache features_;
  LoopFinder finder_;
  std::vector<gtsam::Key> keys_;
  std::vector<LoopAttempt> attempts_;
  LoopFinder::Pairs joined_;  ///< by the graph as it was given
  LoopFinder::Pairs tried_;
  std::set<std::size_t> closed_;  ///< places with a loop
  std::size_t done_ = 0;
};

}  // namespace

GraphLoops add_loop_closures(const gtsam::NonlinearFactorGraph& graph, const gtsam::Values& values,
                             const std::map<gtsam::Key, ScanOf>& scans, const Registration& registration,
                             const GraphLoopOptions& options) {
  options.loops.validate();
  options.rebuild.validate();
  const std::vector<gtsam::Key> poses = pose_keys(values);
  for (const auto& [key, scan] : scans)
    if (!std::binary_search(poses.begin(), poses.end(), key))
      throw std::invalid_argument("there is a scan for the key " + gtsam::DefaultKeyFormatter(key) +
                                  ", but the values have no Pose3 for it");
  return Search(graph, values, scans, registration, options).run();
}

}  // namespace parte::slam
