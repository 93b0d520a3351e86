#include <parte/confidence.hpp>

#include <parte/registration.hpp>
#include <tests/parte/scenes.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

namespace {

using namespace parte;
using namespace parte::testing;

constexpr AlignmentEvidence kClear{.members = 30,
                                   .overlap = 0.6,
                                   .agreement = 0.998,
                                   .sharpness = 0.85,
                                   .chance_overlap = 0.3,
                                   .chance_agreement = 0.8,
                                   .rival = 0.0,
                                   .correction = 0.3,
                                   .fit = 0.1};
constexpr AlignmentEvidence kPoor{.members = 5,
                                  .overlap = 0.1,
                                  .agreement = 0.85,
                                  .sharpness = 0.5,
                                  .chance_overlap = 0.1,
                                  .chance_agreement = 0.8,
                                  .rival = 0.9,
                                  .correction = 8.0,
                                  .fit = 0.5};

}  // namespace

TEST_CASE("clear evidence is believed and poor evidence is not", "[confidence]") {
  const Sensor sensor = GENERATE(Sensor::lidar, Sensor::rgbd);
  CHECK(confidence(kClear, sensor) > 0.99);
  CHECK(confidence(kPoor, sensor) < 0.05);
  AlignmentEvidence few = kClear;
  few.overlap = 0.02;
  CHECK(confidence(few, sensor) == 0.0);
}

TEST_CASE("whatever speaks against an alignment never raises its confidence", "[confidence]") {
  const Sensor sensor = GENERATE(Sensor::lidar, Sensor::rgbd);
  for (const AlignmentEvidence& from : {kClear, kPoor}) {
    const double before = confidence(from, sensor);
    const auto after = [&](double AlignmentEvidence::*number, double change) {
      AlignmentEvidence e = from;
      e.*number += change;
      return confidence(e, sensor);
    };
    CHECK(after(&AlignmentEvidence::agreement, -0.01) < before);
    CHECK(after(&AlignmentEvidence::rival, 0.1) <= before);
    CHECK(after(&AlignmentEvidence::correction, 1.0) <= before);
    CHECK(after(&AlignmentEvidence::fit, 0.1) <= before);
    CHECK(after(&AlignmentEvidence::members, -3.0) <= before);
    CHECK(after(&AlignmentEvidence::overlap, -0.05) <= before);
    CHECK(after(&AlignmentEvidence::chance_agreement, 0.1) < before);
  }
}

TEST_CASE("confidence is a probability whatever the evidence", "[confidence]") {
  const Sensor sensor = GENERATE(Sensor::lidar, Sensor::rgbd);
  for (const double agreement : {0.0, 0.5, 1.0})
    for (const double rival : {0.0, 1.0, 1e9})
      for (const double length : {0.0, 1.0, 1e9}) {
        const double p = confidence({.members = length,
                                     .overlap = 0.5,
                                     .agreement = agreement,
                                     .rival = rival,
                                     .correction = length,
                                     .fit = length},
                                    sensor);
        CHECK((p >= 0.0 && p <= 1.0));
      }
}

TEST_CASE("a place that repeats has a rival, and one that does not has none", "[confidence]") {
  // A wall with pillars every 2.4 m, seen from 5 m away: moved by one pillar it looks the same, but for its ends.
  Draw draw(3);
  const auto wall = [&](double jitter) {
    Points points;
    const auto coordinate = [&](double low, double high) { return static_cast<float>(draw.uniform(low, high)); };
    for (int i = 0; i < 60'000; ++i) points.emplace_back(coordinate(-24, 24), 5.0f, coordinate(-1.5, 3.0));
    for (int i = 0; i < 60'000; ++i) points.emplace_back(coordinate(-24, 24), coordinate(0, 5), -1.5f);  // the floor
    Draw places(9);
    for (double x = -24.0; x < 24.0; x += 2.4) {
      const double at = x + jitter * places.uniform(-1.0, 1.0), depth = 0.8 + 0.5 * jitter * places.uniform(-1.0, 1.0);
      for (int i = 0; i < 1500; ++i) {
        const float side = coordinate(0.0, depth), z = coordinate(-1.5, 3.0);
        points.emplace_back(static_cast<float>(at + (i % 2 == 0 ? -0.4 : 0.4)), 5.0f - side, z);
        points.emplace_back(static_cast<float>(at + draw.uniform(-0.4, 0.4)), static_cast<float>(5.0 - depth), z);
      }
    }
    return points;
  };
  Options options = Options::rgbd(0.2);
  const Registration registration(options);
  const auto rival = [&](double jitter) {
    const Points points = wall(jitter), again = wall(jitter);
    const Features source = registration.extract(points), target = registration.extract(again);
    std::vector<Correspondence> same;
    for (std::size_t k = 0; k < points.size(); k += 97)
      same.push_back({points[k].cast<double>(), points[k].cast<double>()});
    return registration.align(source, target, same).evidence.rival;
  };
  const double repeats = rival(0.0), unique = rival(1.0);
  CHECK(repeats > 0.8);
  CHECK(unique < 0.65);
}
