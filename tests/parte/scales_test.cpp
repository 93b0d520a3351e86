#include <parte/feature_cache.hpp>
#include <parte/registration.hpp>

#include <tests/parte/scenes.hpp>

#include <numeric>
#include <thread>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

namespace {

using namespace parte;
using namespace parte::testing;

const ScanPair& street() {
  static const ScanPair pair = street_pair(3, 10.0, 2.0);
  return pair;
}

Options with_levels(int levels) {
  Options options = Options::lidar();
  options.coarse_levels = levels;
  return options;
}

}  // namespace

TEST_CASE("each scale has voxels twice as large, in the same local coordinates", "[scales]") {
  const Features f = Registration(with_levels(2)).extract(street().source);
  REQUIRE(f.coarse);
  REQUIRE(f.coarse->coarse);
  REQUIRE_FALSE(f.coarse->coarse->coarse);
  REQUIRE(&f.at_level(0) == &f);
  REQUIRE(&f.at_level(2) == f.coarse->coarse.get());
  REQUIRE(&f.coarsest() == &f.at_level(2));
  for (int level = 1; level <= 2; ++level) {
    const Features &fine = f.at_level(level - 1), &coarse = f.at_level(level);
    CHECK(coarse.cloud.origin == fine.cloud.origin);
    CHECK(coarse.sensor == fine.sensor);
    CHECK(coarse.cloud.size() < fine.cloud.size());
    CHECK(std::accumulate(coarse.cloud.counts.begin(), coarse.cloud.counts.end(), 0.0) ==
          std::accumulate(fine.cloud.counts.begin(), fine.cloud.counts.end(), 0.0));
  }
}

TEST_CASE("the features of a coarser scale can be registered by themselves, with those of that voxel too", "[scales]") {
  const Registration fine(with_levels(1));
  Options options = with_levels(0);
  options.voxel *= 2.0;
  const Registration coarse(options);
  const Features source = fine.extract(street().source), target = fine.extract(street().target);
  for (const Features& other : {target.at_level(1), coarse.extract(street().target)}) {
    const Result result = coarse.align(source.at_level(1), other);
    REQUIRE(result.success());
    CHECK((result.T_target_source.inverse() * street().T_target_source).translation().norm() < 0.1);
  }
}

TEST_CASE("scales that are asked later are described as if they had been from the start", "[scales]") {
  const Features late = Registration(with_levels(1)).extract(street().source);
  REQUIRE(late.description_if_made() == nullptr);
  REQUIRE(late.coarse->description_if_made() != nullptr);
  const std::size_t bytes = bytes_of(late);
  REQUIRE(identical(late.description(), Registration(with_levels(0)).extract(street().source).description()));
  REQUIRE(late.description_if_made() == &late.description());
  REQUIRE(bytes_of(late) > bytes);
}

TEST_CASE("many threads that ask at once get one description", "[scales]") {
  const Features f = Registration(with_levels(1)).extract(street().source);
  std::vector<const Description*> answers(8, nullptr);
  std::vector<std::thread> threads;
  for (auto& answer : answers) threads.emplace_back([&f, &answer] { answer = &f.description(); });
  for (std::thread& thread : threads) thread.join();
  for (const Description* answer : answers) CHECK(answer == answers.front());
  CHECK(answers.front()->descriptors.rows() > 0);
}

TEST_CASE("copies of features share their description", "[scales]") {
  const Features f = Registration(with_levels(1)).extract(street().source);
  const Features copy = f;
  REQUIRE(&copy.description() == &f.description());
}

TEST_CASE("an easy pair is aligned at the coarsest scale alone, as closely as at the finest", "[scales]") {
  const Registration fine(with_levels(0)), scales(with_levels(1));
  const Features source = scales.extract(street().source), target = scales.extract(street().target);
  const Result coarse = scales.align(source, target);
  REQUIRE(coarse.success());
  REQUIRE(coarse.levels == 1);
  REQUIRE(coarse.level == 1);
  REQUIRE(source.description_if_made() == nullptr);
  const Result alone = fine.align(fine.extract(street().source), fine.extract(street().target));
  REQUIRE(alone.success());
  REQUIRE((alone.levels == 1 && alone.level == 0));
  const auto apart = alone.T_target_source.inverse() * coarse.T_target_source;
  CHECK(apart.translation().norm() < 0.02);
  CHECK(Eigen::AngleAxisd(apart.linear()).angle() < 0.002);
}

TEST_CASE("without verification there is one scale, the finest", "[scales]") {
  Options options = with_levels(1), single = with_levels(0);
  for (Options* o : {&options, &single}) {
    o->verification.enabled = false;
    o->verification.refine = GENERATE(true, false);
  }
  single.verification.refine = options.verification.refine;
  const Result result = Registration(options).align(Registration(options).extract(street().source),
                                                    Registration(options).extract(street().target));
  const Result alone = Registration(single).align(Registration(single).extract(street().source),
                                                  Registration(single).extract(street().target));
  REQUIRE((result.levels == 1 && result.level == 0));
  REQUIRE(identical(result, alone));
}

TEST_CASE("a description of one's own replaces that of all scales", "[scales]") {
  const Registration registration(with_levels(1));
  Features f = registration.extract(street().source);
  Description mine = f.description();
  mine.descriptors.setZero();
  f.replace_description(mine);
  REQUIRE(f.description().descriptors.isZero());
  REQUIRE(&f.coarsest() == &f);
}

TEST_CASE("a cloud that is too small for a coarser scale has none", "[scales]") {
  Points few;
  for (int i = 0; i < 12; ++i) few.emplace_back(0.31f * static_cast<float>(i), 0.0f, 0.0f);
  const Features f = Registration(with_levels(3)).extract(few);
  REQUIRE(f.status == Status::success);
  REQUIRE(f.coarsest().cloud.size() >= 10);
  REQUIRE(f.coarsest().description_if_made() != nullptr);
}

TEST_CASE("what is described after it was put into the cache counts from the next one on", "[scales][cache]") {
  FeatureCache cache(std::size_t{1} << 30, [](std::size_t) { return Features(); });
  const auto scan = cache.put(0, Registration(with_levels(1)).extract(street().source));
  const std::size_t before = cache.bytes();
  static_cast<void>(scan->description());
  cache.put(1, Features());
  REQUIRE(cache.bytes() == bytes_of(*scan) + bytes_of(Features()));
  REQUIRE(cache.bytes() > before + 100'000);
}
