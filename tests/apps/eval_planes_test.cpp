#include <apps/eval_planes.hpp>

#include <tests/parte/clouds.hpp>
#include <tests/parte/scenes.hpp>

#include <set>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

namespace parte::apps {
namespace {

using Catch::Approx;
using Eigen::Vector3d;

constexpr double kSpacing = 0.1;

/// A patch of points on a lattice, corners included; `center` in the caller's coordinates.
void add_patch(Features& features, const Vector3d& center, const Vector3d& edge_u, const Vector3d& edge_v) {
  PlanarPatch patch;
  patch.centroid = center - features.cloud.origin;
  patch.normal = edge_u.cross(edge_v).normalized();
  const int columns = static_cast<int>(std::lround(edge_u.norm() / kSpacing));
  const int rows = static_cast<int>(std::lround(edge_v.norm() / kSpacing));
  for (int i = 0; i <= columns; ++i)
    for (int j = 0; j <= rows; ++j) {
      patch.indices.push_back(static_cast<Index>(features.cloud.size()));
      const Vector3d p = patch.centroid + (1.0 * i / columns - 0.5) * edge_u + (1.0 * j / rows - 0.5) * edge_v;
      features.cloud.points.push_back(p.cast<float>());
    }
  Description description = features.description();
  description.planes.patches.push_back(patch);
  features.replace_description(std::move(description));
}

/// Candidates without matches, distances with one digit so that many are equal.
PlaneTally random_tally(unsigned seed) {
  clouds::Engine engine(seed);
  PlaneTally tally;
  tally.pairs = 3;
  for (std::size_t k = engine() % 80 + 1; k > 0; --k) {
    const double distance = std::round(clouds::uniform(engine, 0.0, 3.0) * 10.0) / 10.0;
    tally.candidates.push_back({.distance = distance, .right = clouds::uniform(engine, 0.0, 2.0) > distance});
  }
  return tally;
}

struct AtLimit {
  double recall = 0.0, precision = 0.0;
};

AtLimit at_limit(const PlaneTally& tally, double limit) {
  double within = 0.0, right_within = 0.0, right = 0.0;
  for (const PlaneCandidate& c : tally.candidates) {
    if (c.right) right += 1.0;
    if (c.distance <= limit) within += 1.0;
    if (c.right && c.distance <= limit) right_within += 1.0;
  }
  return {right_within / right, right_within / within};
}

}  // namespace

TEST_CASE("the hull of a rectangle has its area and perimeter", "[eval]") {
  const Vector3d u = Vector3d(1, 2, 2) / 3.0, v = Vector3d(2, 1, -2) / 3.0;
  Features features;
  add_patch(features, {4, -5, 6}, 4.0 * u, 2.5 * v);
  const HullSize size = hull_size(features.cloud, features.description().planes.patches[0]);
  REQUIRE(size.area_m2 == Approx(10.0).epsilon(1e-5));
  REQUIRE(size.perimeter_m == Approx(13.0).epsilon(1e-5));

  PlanarPatch line = features.description().planes.patches[0];
  line.indices = {0, 1, 2, 3, 4};  // along v
  REQUIRE(hull_size(features.cloud, line).area_m2 == Approx(0.0).margin(1e-5));
  REQUIRE(hull_size(features.cloud, line).perimeter_m == Approx(8.0 * kSpacing).epsilon(1e-4));
  line.indices = {7};
  REQUIRE(hull_size(features.cloud, line).perimeter_m == 0.0);
  line.indices.clear();
  REQUIRE(hull_size(features.cloud, line).perimeter_m == 0.0);
}

TEST_CASE("planes are the same if they face the same way, lie in one plane and overlap", "[eval]") {
  constexpr double kVoxel = 0.3;
  clouds::Engine engine(3);
  const Eigen::Isometry3d T = clouds::random_motion(engine, 20.0);
  struct Case {
    Vector3d shift;
    double tilt_deg;
    bool same;
  };
  // A wall of 4 m by 2 m against itself, moved along and across it and turned about its long middle line. Shifted by
  // s > 0.6 along, the part of it within 0.6 m of the other is (4.6 - s) / 4: a tenth at s = 4.2.
  const Case c = GENERATE(Case{{0, 0, 0}, 0, true}, Case{{4.05, 0, 0}, 0, true}, Case{{4.35, 0, 0}, 0, false},
                          Case{{0, 0, 0.55}, 0, true}, Case{{0, 0, -0.65}, 0, false}, Case{{0, 0, 0}, 9, true},
                          Case{{0, 0, 0}, -11, false}, Case{{0, 0, 0}, 180, false});
  const Eigen::AngleAxisd turn(c.tilt_deg * std::numbers::pi / 180.0, Vector3d::UnitX());
  Features source, target;
  source.cloud.origin = {-30, 20, 5}, target.cloud.origin = {7, 8, -90};
  add_patch(source, {1, 2, 3}, {4, 0, 0}, {0, 2, 0});
  add_patch(source, {40, 2, 3}, {4, 0, 0}, {0, 2, 0});  // the same plane far away
  add_patch(target, T * (Vector3d(1, 2, 3) + c.shift), T.linear() * turn * Vector3d(4, 0, 0),
            T.linear() * turn * Vector3d(0, 2, 0));
  const SamePlanes same = same_planes(source, target, T, kVoxel);
  REQUIRE(same(0, 0) == c.same);
  REQUIRE_FALSE(same(1, 0));
  REQUIRE((same_planes(target, source, T.inverse(), kVoxel) == same.transpose()).all());
}

TEST_CASE("a small patch on a large one is the same plane", "[eval]") {
  Features source, target;
  add_patch(source, {0, 0, 0}, {20, 0, 0}, {0, 10, 0});
  add_patch(target, {6, 3, 0}, {1, 0, 0}, {0, 1, 0});
  REQUIRE(same_planes(source, target, Eigen::Isometry3d::Identity(), 0.3)(0, 0));
}

TEST_CASE("scores of hand-made candidates", "[eval]") {
  PlaneTally tally;
  tally.pairs = 1;
  tally.candidates = {{0.3, 0.5, true, true}, {0.1, 0.9, true, true}, {0.2, 0.4, true, false}};
  PlaneTally more;
  more.pairs = 1;
  more.candidates = {{0.5, 0.1, true, false}, {0.4, 0.0, false, true}};
  tally.add(more);
  // In the order of distances: right, wrong, right, right, wrong. Matched are all but the fourth.
  const PlaneScores s = scores(tally);
  REQUIRE(s.precision == Approx(2.0 / 4.0));
  REQUIRE(s.recall == Approx(2.0 / 3.0));
  REQUIRE(s.f1 == Approx(4.0 / 7.0));
  REQUIRE(s.average_precision == Approx((1.0 + 2.0 / 3.0 + 3.0 / 4.0) / 3.0));
  REQUIRE(s.mean_true_positives == Approx(1.0));
}

TEST_CASE("candidates of one distance count together", "[eval]") {
  PlaneTally tally;
  const bool right_first = GENERATE(true, false);
  tally.candidates = {{.distance = 0.1, .right = right_first}, {.distance = 0.1, .right = !right_first}};
  REQUIRE(scores(tally).average_precision == Approx(0.5));
}

TEST_CASE("average precision and curve are those of every limit", "[eval][oracle]") {
  const PlaneTally tally = random_tally(GENERATE(range(0u, 50u)));
  std::set<double> limits;
  for (const PlaneCandidate& c : tally.candidates) limits.insert(c.distance);
  double expected = 0.0, recall = 0.0;
  std::vector<AtLimit> rises;
  for (const double limit : limits) {
    const AtLimit now = at_limit(tally, limit);
    if (now.recall > recall) rises.push_back(now), expected += (now.recall - recall) * now.precision;
    recall = std::max(recall, now.recall);
  }
  REQUIRE(scores(tally).average_precision == Approx(expected).margin(1e-12));

  const auto curve = precision_recall(tally, 1000);
  REQUIRE(curve.size() == rises.size());
  for (std::size_t k = 0; k < curve.size(); ++k) {
    REQUIRE(curve[k].x == Approx(rises[k].recall));
    REQUIRE(curve[k].y == Approx(rises[k].precision));
  }
  if (curve.size() < 4) return;
  const auto thinned = precision_recall(tally, 4);
  REQUIRE(thinned.size() == 4);
  REQUIRE(thinned.front().x == curve.front().x);
  REQUIRE(thinned.back().x == curve.back().x);
}

TEST_CASE("nothing to count gives zeros", "[eval]") {
  PlaneTally tally;
  tally.pairs = GENERATE(0u, 2u);
  if (GENERATE(true, false)) tally.candidates = {{0.2, 0.0, false, false}};
  const PlaneScores s = scores(tally);
  for (const double value : {s.precision, s.recall, s.f1, s.average_precision, s.mean_true_positives})
    REQUIRE(value == 0.0);
  REQUIRE(precision_recall(tally, 10).empty());
  REQUIRE(confidence_calibration(tally, 10).empty());

  const Features empty;
  for (const PlaneDescriptor d : kPlaneDescriptors) {
    const SamePlanes same = same_planes(empty, empty, Eigen::Isometry3d::Identity(), 0.3);
    REQUIRE(tally_planes(empty, empty, same, d).candidates.empty());
  }
}

TEST_CASE("confidences are binned", "[eval]") {
  PlaneTally tally;
  tally.candidates = {{0, 0.0, true, false}, {0, 0.19, true, true},  {0, 0.2, true, true}, {0, 0.99, true, true},
                      {0, 1.0, true, true},  {0, 0.81, true, false}, {0, 0.5, false, true}};
  const auto curve = confidence_calibration(tally, 5);
  REQUIRE(curve.size() == 3);
  const double centers[] = {0.1, 0.3, 0.9}, parts[] = {0.5, 1.0, 2.0 / 3.0};
  const std::size_t counts[] = {2, 1, 3};
  for (std::size_t k = 0; k < 3; ++k) {
    REQUIRE(curve[k].x == Approx(centers[k]));
    REQUIRE(curve[k].y == Approx(parts[k]));
    REQUIRE(curve[k].count == counts[k]);
  }
}

TEST_CASE("planes are matched by the ratio of their areas", "[eval]") {
  Features source, target;
  const Vector3d up(0, 0, 1);
  for (const double width : {1.0, 4.0, 8.0, 2.1}) add_patch(source, {width, 0, 0}, {width, 0, 0}, up);
  for (const double width : {16.0, 2.0}) add_patch(target, {width, 9, 0}, {width, 0, 0}, up);
  SamePlanes same(4, 2);
  same << false, true, false, true, true, false, false, false;
  // |log2| of the ratios: 4 1 / 2 1 / 1 2 / 2.9 0.07. Mutual minima are (2, 0) and (3, 1).
  const PlaneTally tally = tally_planes(source, target, same, PlaneDescriptor::area);
  REQUIRE(tally.pairs == 1);
  REQUIRE(tally.candidates.size() == 8);
  for (std::size_t k = 0; k < 8; ++k) {
    const double widths[] = {1.0, 4.0, 8.0, 2.1}, target_widths[] = {16.0, 2.0};
    const PlaneCandidate& c = tally.candidates[k];
    REQUIRE(c.distance == Approx(std::abs(std::log(widths[k / 2] / target_widths[k % 2]))).margin(1e-5));
    REQUIRE(c.matched == (k == 4 || k == 7));
    REQUIRE(c.right == (k == 1 || k == 3 || k == 4));
  }
  // Eq. (plane-match-confidence) of (2, 0): 1 against 2, the second choice on either side.
  REQUIRE(tally.candidates[4].confidence == Approx(0.5).epsilon(1e-4));
  const PlaneScores s = scores(tally);
  REQUIRE(s.precision == 0.5);
  REQUIRE(s.recall == Approx(1.0 / 3.0));
  REQUIRE(s.mean_true_positives == 1.0);
}

TEST_CASE("what is around planes tells more than their size", "[eval][slow]") {
  const Registration registration(Options::lidar(0.3));
  std::array<PlaneTally, kPlaneDescriptors.size()> tallies;
  for (const std::uint64_t seed : {1u, 2u, 3u, 4u}) {
    const testing::ScanPair pair = testing::street_pair(seed, 6.0, 0.8);
    const Features source = registration.extract(pair.source), target = registration.extract(pair.target);
    const SamePlanes same = same_planes(source, target, pair.T_target_source, 0.3);
    REQUIRE(same.count() >= 3);
    for (std::size_t k = 0; k < tallies.size(); ++k)
      tallies[k].add(tally_planes(source, target, same, kPlaneDescriptors[k]));
  }
  const PlaneScores pch = scores(tallies[0]), area = scores(tallies[2]);
  CAPTURE(pch.f1, area.f1, pch.average_precision, area.average_precision);
  REQUIRE(pch.f1 > area.f1);
  REQUIRE(pch.average_precision > area.average_precision);
}

}  // namespace parte::apps
