#include <apps/eval_run.hpp>

#include <parte/feature_cache.hpp>

#include <tbb/parallel_pipeline.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <atomic>

namespace parte::apps {
namespace {

struct Token {
  const EvalPair* pair = nullptr;
  std::vector<FeaturePair> features;
  std::string lines;
};

}  // namespace

void run_pairs(const Benchmark& benchmark, std::span<const EvalPair> pairs, const PairWork& work,
               const RunOptions& options, const std::function<bool(const std::string& lines)>& done) {
  std::vector<Registration> extractors;
  for (Options o : work.settings) {
    o.threads = options.threads;
    extractors.emplace_back(o);
  }
  FeatureCache cache(options.memory_bytes, [&](std::size_t index) {
    return extractors[index % extractors.size()].extract(benchmark.scans[index / extractors.size()].read());
  });
  std::atomic<bool> stopped = false;
  std::size_t next = 0;
  const auto begin = [&](tbb::flow_control& control) {
    auto token = std::make_shared<Token>();
    if (stopped || next == pairs.size()) return control.stop(), token;
    token->pair = &pairs[next++];
    for (std::size_t k = 0; k < extractors.size(); ++k)
      token->features.push_back({cache.get(token->pair->source * extractors.size() + k),
                                 cache.get(token->pair->target * extractors.size() + k)});
    return token;
  };
  const auto compute = [&](std::shared_ptr<Token> token) {
    token->lines = work.results(*token->pair, token->features);
    return token;
  };
  const auto end = [&](const std::shared_ptr<Token>& token) {
    if (!stopped && !done(token->lines)) stopped = true;
  };
  const int jobs = std::max(1, options.jobs);
  tbb::task_arena arena(std::max(jobs, 1));
  arena.execute([&] {
    tbb::parallel_pipeline(
        static_cast<std::size_t>(jobs),
        tbb::make_filter<void, std::shared_ptr<Token>>(tbb::filter_mode::serial_in_order, begin) &
            tbb::make_filter<std::shared_ptr<Token>, std::shared_ptr<Token>>(tbb::filter_mode::parallel, compute) &
            tbb::make_filter<std::shared_ptr<Token>, void>(tbb::filter_mode::serial_in_order, end));
  });
}

}  // namespace parte::apps
