#include <parte/verification.hpp>

#include <parte/align_near.hpp>

#include <tests/parte/scenes.hpp>

#include <limits>
#include <map>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

namespace {

using namespace parte;
using namespace parte::testing;
using Eigen::Isometry3d;
using Eigen::Vector3d;
using Eigen::Vector3f;

constexpr std::size_t kSamples = 1500;
constexpr NearLimits kConfirmed{.min_agreement = 0.98, .min_sharpness = 0.6, .min_overlap = 0.08};

/// Features of two scans of one world, and the truth between their local frames.
struct Aligned {
  Options options;
  Features source, target;
  Isometry3d T;

  Aligned(const ScanPair& pair, const Options& o) : options(o) {
    const Registration registration(options);
    source = registration.extract(pair.source), target = registration.extract(pair.target);
    T = local(pair.T_target_source, source, target);
  }
  [[nodiscard]] Surfaces from() const { return {source.cloud, source.surfaces}; }
  [[nodiscard]] Surfaces to() const { return {target.cloud, target.surfaces}; }
  [[nodiscard]] Overlap overlap(const Isometry3d& T_target_source) const {
    return measure_overlap(from(), to(), T_target_source, options.verification.radius * options.voxel, kSamples);
  }
  [[nodiscard]] bool confirmed(const Isometry3d& T_target_source) const {
    return kConfirmed.confirm(overlap(T_target_source));
  }
};

/// Extracted once, however many cases look at them.
const Aligned& scans_of(bool outdoors, unsigned seed) {
  static std::map<std::pair<bool, unsigned>, Aligned> known;
  auto found = known.find({outdoors, seed});
  if (found == known.end())
    found = known
                .emplace(std::pair{outdoors, seed}, outdoors
                                                        ? Aligned(street_pair(seed, 10.0, 2.0 + seed), Options::lidar())
                                                        : Aligned(room_pair(seed, 1.0), Options::rgbd()))
                .first;
  return found->second;
}

Isometry3d turn(double degrees, const Vector3d& axis) {
  return Isometry3d(Eigen::AngleAxisd(degrees * std::numbers::pi / 180.0, axis));
}

PointCloud with_normals(Points points, const Vector3d& sensor, double radius) {
  PointCloud cloud;
  cloud.points = std::move(points);
  estimate_normals(cloud, sensor, {radius, 30, 5});
  return cloud;
}

/// The upper half of a sphere around the origin.
PointCloud dome(double radius) {
  Points points;
  const int count = 20'000;
  for (int k = 0; k < count; ++k) {
    const double z = (k + 0.5) / count, angle = 2.399963229728653 * k, r = std::sqrt(1.0 - z * z);
    points.push_back((radius * Vector3d(r * std::cos(angle), r * std::sin(angle), z)).cast<float>());
  }
  return with_normals(std::move(points), Vector3d::Zero(), 0.3);
}

PointCloud floor_of(double edge, double spacing) {
  Points points;
  for (double x = -edge / 2; x <= edge / 2; x += spacing)
    for (double y = -edge / 2; y <= edge / 2; y += spacing) points.emplace_back(Vector3d(x, y, 0.0).cast<float>());
  return with_normals(std::move(points), Vector3d(0, 0, 2), 3.0 * spacing);
}

}  // namespace

TEST_CASE("a cloud agrees with itself altogether", "[verification]") {
  const Aligned& scans = scans_of(GENERATE(false, true), 1);
  const Overlap overlap = measure_overlap(scans.from(), scans.from(), Isometry3d::Identity(),
                                          scans.options.verification.radius * scans.options.voxel, kSamples);
  REQUIRE(overlap.supported > 0);
  REQUIRE(overlap.conflicting == 0);
  REQUIRE(overlap.unseen == 0);
  REQUIRE(overlap.score() == 1.0);
}

TEST_CASE("the true alignment is confirmed and wrong ones are not", "[verification]") {
  const auto seed = GENERATE(range(0u, 3u));
  const bool outdoors = GENERATE(true, false);
  const Aligned& scans = scans_of(outdoors, seed);
  const Overlap truth = scans.overlap(scans.T);
  CAPTURE(seed, outdoors);
  REQUIRE(truth.agreement() > 0.99);
  REQUIRE(truth.fraction() > 0.4);
  REQUIRE(kConfirmed.confirm(truth));
  for (int axis = 0; axis < 3; ++axis)
    for (const double voxels : {-24.0, -12.0, -6.0, 6.0, 12.0, 24.0}) {
      const Isometry3d wrong = scans.T * shift(voxels * scans.options.voxel * Vector3d::Unit(axis));
      CAPTURE(axis, voxels);
      REQUIRE_FALSE(scans.confirmed(wrong));
      REQUIRE(scans.overlap(wrong).score() < 0.75 * truth.score());
    }
  for (int axis = 0; axis < 3; ++axis)
    for (const double degrees : {-45.0, -20.0, 20.0, 45.0, 90.0, 180.0}) {
      const Isometry3d wrong = scans.T * turn(degrees, Vector3d::Unit(axis));
      CAPTURE(axis, degrees);
      REQUIRE_FALSE(scans.confirmed(wrong));
      REQUIRE(scans.overlap(wrong).score() < 0.75 * truth.score());
    }
}

TEST_CASE("nobody votes for an alignment that is no number", "[verification]") {
  const Aligned& scans = scans_of(GENERATE(false, true), 1);
  Isometry3d T = Isometry3d::Identity();
  T.translation().setConstant(std::numeric_limits<double>::quiet_NaN());
  const Overlap overlap = scans.overlap(T);
  REQUIRE(overlap.supported + overlap.conflicting == 0);
  REQUIRE(overlap.unseen > 0);
}

TEST_CASE("a car moved sideways or turned meets what the other scan saw to be empty", "[verification]") {
  const Aligned& scans = scans_of(true, GENERATE(range(0u, 3u)));
  for (const Isometry3d& error : {shift({0, 3, 0}), shift({0, -3, 0}), turn(15, Vector3d::UnitZ())}) {
    const Overlap overlap = scans.overlap(scans.T * error);
    REQUIRE(overlap.conflicting > 100);
    REQUIRE(overlap.agreement() < 0.8);
  }
}

TEST_CASE("overlap is the same seen from either side", "[verification]") {
  const Aligned& scans = scans_of(GENERATE(false, true), 2);
  const double radius = scans.options.verification.radius * scans.options.voxel;
  const Isometry3d T = scans.T * shift(GENERATE(0.0, 1.0, 10.0) * scans.options.voxel * Vector3d::UnitX());
  const std::size_t samples = GENERATE(100u, 1500u);
  const Overlap there = measure_overlap(scans.from(), scans.to(), T, radius, samples);
  const Overlap back = measure_overlap(scans.to(), scans.from(), T.inverse(), radius, samples);
  const std::size_t votes = there.supported + there.conflicting + there.unseen;
  REQUIRE(votes > 0);
  REQUIRE(votes <= 2 * samples);
  REQUIRE(votes == back.supported + back.conflicting + back.unseen);
  REQUIRE(std::abs(there.fraction() - back.fraction()) < 0.005);  // rounding may move a vote
  REQUIRE(std::abs(there.agreement() - back.agreement()) < 0.005);
}

TEST_CASE("space is free up to what was hit, and unknown where nothing was", "[verification]") {
  const PointCloud cloud = dome(5.0);
  const SurfaceModel model(cloud, std::vector<bool>(cloud.size(), false), Vector3d::Zero(), 0.3);
  Draw draw(1);
  int up = 0, known = 0;
  for (int trial = 0; trial < 1000; ++trial) {
    const Vector3d direction = draw.direction();
    const float free = model.free_until((draw.uniform(0.5, 20.0) * direction).cast<float>());
    CAPTURE(direction.transpose());
    REQUIRE(free <= 5.001f);
    REQUIRE((free == 0.0f || free > 4.5f));
    if (direction.z() < -0.2) REQUIRE(free == 0.0f);
    if (direction.z() > 0.2) ++up, known += free > 0.0f;
  }
  REQUIRE(known > 0.9 * up);  // narrow views near the zenith may be missed
}

TEST_CASE("no point of a scan lies where that scan saw nothing", "[verification]") {
  const Aligned& scans = scans_of(GENERATE(false, true), 0);
  const SurfaceModel& model = scans.source.surfaces;
  for (const Vector3f& p : scans.source.cloud.points)
    REQUIRE(model.free_until(p) <= (p - model.sensor).norm() * 1.0001f);
}

TEST_CASE("witnesses stand off the ground and have normals", "[verification]") {
  const Aligned& scans = scans_of(true, 0);
  REQUIRE_FALSE(scans.source.surfaces.samples.empty());
  for (const Index i : scans.source.surfaces.samples) {
    REQUIRE_FALSE(scans.source.ground[i]);
    REQUIRE(scans.source.cloud.has_normal(i));
  }
}

TEST_CASE("refinement brings small errors back", "[verification]") {
  const auto seed = GENERATE(range(0u, 6u));
  const bool outdoors = GENERATE(true, false);
  const Aligned& scans = scans_of(outdoors, seed % 3);
  Draw draw(seed);
  const double voxel = scans.options.voxel, radius = scans.options.verification.radius * voxel;
  const Isometry3d start =
      scans.T * shift(1.5 * voxel * draw.direction()) * turn(draw.uniform(1.0, 2.0), draw.direction());
  const Isometry3d refined =
      refine(scans.from(), scans.to(), start, 1e-3 * Matrix6d::Identity(), radius).T_target_source;
  CAPTURE(seed, outdoors, displacement_m(start, scans.T, scans.source.cloud.points));
  REQUIRE(displacement_m(refined, scans.T, scans.source.cloud.points) < 0.5 * voxel);
  REQUIRE(angle_deg(refined, scans.T) < 1.0);
  REQUIRE(scans.overlap(refined).score() >= scans.overlap(start).score());
}

TEST_CASE("refinement keeps to the prior where surfaces leave it open", "[verification]") {
  const PointCloud floor = floor_of(10.0, 0.2);
  const SurfaceModel model(floor, std::vector<bool>(floor.size(), false), Vector3d(0, 0, 2), 0.5);
  const Isometry3d start = shift({0.3, -0.2, 0.15});
  const Isometry3d refined = refine({floor, model}, {floor, model}, start, Matrix6d::Identity(), 0.5).T_target_source;
  REQUIRE(std::abs(refined.translation().z()) < 0.01);
  REQUIRE((refined.translation() - start.translation()).head<2>().norm() < 0.01);
  REQUIRE(angle_deg(refined, start) < 0.1);
}

TEST_CASE("an alignment that is expected needs agreement, overlap and sharpness", "[verification]") {
  const NearLimits limits{.min_agreement = 0.9, .min_sharpness = 0.5, .min_overlap = 0.2};
  const auto confirmed = [&](std::size_t supported, std::size_t conflicting, std::size_t unseen, double close = 0.9) {
    Overlap overlap;
    overlap.supported = supported, overlap.conflicting = conflicting, overlap.unseen = unseen;
    overlap.close = static_cast<std::size_t>(close * static_cast<double>(supported));
    return limits.confirm(overlap);
  };
  REQUIRE(confirmed(950, 50, 0));
  REQUIRE(confirmed(300, 10, 690));
  REQUIRE_FALSE(confirmed(850, 150, 0));      // too many conflicts
  REQUIRE_FALSE(confirmed(150, 0, 850));      // too little in common
  REQUIRE_FALSE(confirmed(950, 50, 0, 0.3));  // near each other, not upon each other
  REQUIRE_FALSE(confirmed(0, 0, 1000));
  REQUIRE_FALSE(confirmed(0, 0, 0));
  REQUIRE(Overlap{}.agreement() == 0.0);
  REQUIRE(Overlap{}.fraction() == 0.0);
}
