#include <parte/feature_cache.hpp>

#include <vector>

#include <catch2/catch_test_macros.hpp>

namespace {

using namespace parte;

Features of_size(std::size_t points) {
  Features features;
  features.cloud.points.resize(points);
  return features;
}

}  // namespace

TEST_CASE("features beyond the budget are made again, those not used for longest first", "[cache]") {
  std::vector<std::size_t> made;
  const std::size_t one = bytes_of(of_size(1000));
  FeatureCache cache(3 * one + one / 2, [&](std::size_t index) {
    made.push_back(index);
    return of_size(1000);
  });
  for (std::size_t i = 0; i < 3; ++i) cache.put(i, of_size(1000));
  REQUIRE(cache.get(0)->cloud.size() == 1000);
  REQUIRE(made.empty());
  cache.put(3, of_size(1000));  // 1 has to go: 0 was used after it
  REQUIRE(cache.bytes() <= 3 * one + one / 2);
  (void)cache.get(0);
  (void)cache.get(2);
  REQUIRE(made.empty());
  (void)cache.get(1);
  REQUIRE(made == std::vector<std::size_t>{1});
  REQUIRE(cache.misses() == 1);
}

TEST_CASE("features stay valid for whoever holds them, and one larger than the budget is still served", "[cache]") {
  FeatureCache cache(1, [](std::size_t index) { return of_size(100 + index); });
  const auto first = cache.get(0);
  const auto second = cache.get(1);
  REQUIRE(first->cloud.size() == 100);
  REQUIRE(second->cloud.size() == 101);
  REQUIRE(cache.bytes() == bytes_of(*second));
}
