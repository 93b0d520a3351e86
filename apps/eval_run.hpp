#pragma once

#include <apps/eval_benchmark.hpp>
#include <parte/registration.hpp>

#include <functional>
#include <memory>
#include <span>
#include <string>

namespace parte::apps {

struct FeaturePair {
  std::shared_ptr<const Features> source, target;
};

/// What is done with every pair.
struct PairWork {
  std::vector<Options> settings;  ///< the features that are wanted
  /// The lines of results of a pair, from its features by each of the settings. Called by several threads.
  std::function<std::string(const EvalPair& pair, std::span<const FeaturePair> features)> results;
};

struct RunOptions {
  int threads = 0;                                  ///< 0: as many as there are
  int jobs = 1;                                     ///< pairs at a time; with more than one, each has one thread
  std::size_t memory_bytes = std::size_t{2} << 30;  ///< for features
};

/// Calls done(lines) with the results of every pair, in their order, as soon as they are there; ends early where it
/// returns false. Features are made once per scan, as long as the memory suffices.
void run_pairs(const Benchmark& benchmark, std::span<const EvalPair> pairs, const PairWork& work,
               const RunOptions& options, const std::function<bool(const std::string& lines)>& done);

}  // namespace parte::apps
