#include <parte/registration.hpp>

#include <tests/parte/scenes.hpp>

#include <catch2/catch_test_macros.hpp>

// Random worlds with known motion: most are registered, and none wrongly.

namespace {

using namespace parte;
using namespace parte::testing;

struct Tally {
  int pairs = 0, successes = 0;
};

/// A success must be within the tolerance, whatever the pair.
void judge(const Registration& registration, const ScanPair& pair, double metres, double degrees, Tally& tally) {
  const Result result = registration.align(registration.extract(pair.source), registration.extract(pair.target));
  ++tally.pairs;
  tally.successes += result.success();
  if (!result.success()) return;
  CAPTURE(result.clique_weight, result.overlap.agreement(), result.overlap.fraction());
  CHECK(displacement_m(result.T_target_source, pair.T_target_source, pair.source) < metres);
  CHECK(angle_deg(result.T_target_source, pair.T_target_source) < degrees);
}

}  // namespace

TEST_CASE("streets are registered from anywhere within 12 m", "[property][slow]") {
  const Registration registration(Options::lidar());
  Tally tally;
  for (unsigned seed = 100; seed < 135; ++seed) {
    Draw draw(seed);
    const double distance = draw.uniform(0.0, 12.0), yaw = draw.uniform(-3.14, 3.14);
    CAPTURE(seed, distance, yaw);
    judge(registration, street_pair(seed, distance, yaw), 0.3, 1.5, tally);
  }
  REQUIRE(tally.successes >= 33);
}

TEST_CASE("rooms are registered from near views", "[property][slow]") {
  const Registration registration(Options::rgbd());
  Tally tally;
  for (unsigned seed = 200; seed < 235; ++seed) {
    CAPTURE(seed);
    judge(registration, room_pair(seed, 1.0), 0.05, 2.0, tally);
  }
  REQUIRE(tally.successes >= 33);
}

TEST_CASE("views that share little are registered rightly or not at all", "[property][slow]") {
  const Registration outdoors(Options::lidar()), indoors(Options::rgbd());
  Tally far, wide;
  for (unsigned seed = 300; seed < 310; ++seed) {
    Draw draw(seed);
    const double distance = draw.uniform(25.0, 45.0), yaw = draw.uniform(-3.14, 3.14);
    CAPTURE(seed, distance, yaw);
    judge(outdoors, street_pair(seed, distance, yaw), 0.6, 2.0, far);
    judge(indoors, room_pair(seed, 3.0), 0.1, 3.0, wide);
  }
  CHECK(far.successes > 0);
  CHECK(wide.successes > 0);
}

TEST_CASE("different worlds are told apart", "[property][slow]") {
  const Registration registration(Options::lidar());
  std::vector<Features> streets;
  for (unsigned seed = 400; seed < 408; ++seed)
    streets.push_back(registration.extract(street_pair(seed, 5.0, 1.0).source));
  for (std::size_t a = 0; a < streets.size(); ++a)
    for (std::size_t b = 0; b < streets.size(); ++b) {
      if (a == b) continue;
      CAPTURE(a, b);
      CHECK_FALSE(registration.align(streets[a], streets[b]).success());
    }
}
