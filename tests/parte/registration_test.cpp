#include <parte/registration.hpp>

#include <tests/parte/scenes.hpp>

#include <Eigen/Dense>
#include <thread>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

namespace {

using namespace parte;
using namespace parte::testing;
using Eigen::Isometry3d;
using Eigen::Vector3d;

const ScanPair& street() {
  static const ScanPair pair = street_pair(1, 10.0, 2.0);
  return pair;
}
const ScanPair& room() {
  static const ScanPair pair = room_pair(1, 1.0);
  return pair;
}

Result align(const Registration& registration, const ScanPair& pair) {
  return registration.align(registration.extract(pair.source), registration.extract(pair.target));
}

struct Tolerance {
  double metres, degrees;
};
constexpr Tolerance kStreet{0.15, 1.0}, kRoom{0.05, 1.5};

template <class Cloud>
void require_near(const Isometry3d& found, const Isometry3d& truth, const Cloud& cloud, Tolerance tolerance) {
  CAPTURE(displacement_m(found, truth, cloud), angle_deg(found, truth));
  REQUIRE(displacement_m(found, truth, cloud) < tolerance.metres);
  REQUIRE(angle_deg(found, truth) < tolerance.degrees);
}

Isometry3d any_motion(Draw& draw, bool upright) {
  Isometry3d T = draw.motion(20.0);
  if (upright) T.linear() = Eigen::AngleAxisd(draw.uniform(-3.1, 3.1), Vector3d::UnitZ()).toRotationMatrix();
  return T;
}

}  // namespace

TEST_CASE("a car ten metres on, turned by any angle, is found in a street", "[registration]") {
  const double yaw = GENERATE(0.0, 1.0, -2.0, 3.14159);
  const ScanPair pair = street_pair(static_cast<std::uint64_t>(10.0 + yaw), 10.0, yaw);
  const Result result = align(Registration(Options::lidar()), pair);
  REQUIRE(result.success());
  require_near(result.T_target_source, pair.T_target_source, pair.source, kStreet);
}

TEST_CASE("a camera is found in a room", "[registration]") {
  const ScanPair pair = room_pair(GENERATE(range(0u, 4u)), 1.0);
  const Result result = align(Registration(Options::rgbd()), pair);
  REQUIRE(result.success());
  require_near(result.T_target_source, pair.T_target_source, pair.source, kRoom);
}

TEST_CASE("a source that is moved first gives the motion that undoes it", "[registration]") {
  const bool outdoors = GENERATE(true, false);
  Draw draw(GENERATE(range(0u, 3u)));
  const ScanPair& pair = outdoors ? street() : room();
  const Registration registration(outdoors ? Options::lidar() : Options::rgbd());
  const Isometry3d X = any_motion(draw, outdoors);
  const auto source = moved(pair.source, X);
  const Result plain = align(registration, pair);
  const Result result =
      registration.align(registration.extract(source, X.translation()), registration.extract(pair.target));
  CAPTURE(outdoors, to_string(result.status), result.clique_points.size(), result.overlap.agreement());
  REQUIRE(plain.success());
  REQUIRE(result.success());
  require_near(result.T_target_source, plain.T_target_source * X.inverse(), source, outdoors ? kStreet : kRoom);
  require_near(result.T_target_source, pair.T_target_source * X.inverse(), source, outdoors ? kStreet : kRoom);
}

TEST_CASE("the way back is the inverse of the way there", "[registration]") {
  const bool outdoors = GENERATE(true, false);
  const ScanPair& pair = outdoors ? street() : room();
  const Registration registration(outdoors ? Options::lidar() : Options::rgbd());
  const Features a = registration.extract(pair.source), b = registration.extract(pair.target);
  const Result there = registration.align(a, b), back = registration.align(b, a);
  REQUIRE(there.success());
  REQUIRE(back.success());
  require_near(back.T_target_source.inverse(), there.T_target_source, pair.source, outdoors ? kStreet : kRoom);
}

TEST_CASE("every bit is the same on one thread and on many, and run to run", "[registration]") {
  const bool outdoors = GENERATE(true, false);
  const ScanPair& pair = outdoors ? street() : room();
  Options options = outdoors ? Options::lidar() : Options::rgbd();
  options.threads = 1;
  const Registration alone(options);
  const Features source = alone.extract(pair.source), target = alone.extract(pair.target);
  const Result result = alone.align(source, target);
  REQUIRE(result.success());
  for (const int threads : {1, 2, 4, 0}) {
    options.threads = threads;
    const Registration other(options);
    const Features again = other.extract(pair.source);
    REQUIRE(identical(again, source));
    REQUIRE(identical(other.align(again, other.extract(pair.target)), result));
  }
}

TEST_CASE("one instance serves many threads at once", "[registration]") {
  const Registration registration(Options::rgbd());
  const ScanPair other = room_pair(2, 1.0);
  const Result expected[] = {align(registration, room()), align(registration, other)};
  std::vector<Result> found(6);
  std::vector<std::thread> threads;
  for (std::size_t k = 0; k < found.size(); ++k)
    threads.emplace_back([&, k] { found[k] = align(registration, k % 2 ? other : room()); });
  for (std::thread& t : threads) t.join();
  for (std::size_t k = 0; k < found.size(); ++k) REQUIRE(identical(found[k], expected[k % 2]));
  REQUIRE_FALSE(identical(expected[0], expected[1]));
}

TEST_CASE("without patches, planes on and planes off are the same", "[registration]") {
  Options options = Options::lidar();
  options.use_ground = false;
  options.plane_min_points = 1'000'000'000;
  const Result with = align(Registration(options), street());
  options.use_planes = false;
  const Result without = align(Registration(options), street());
  REQUIRE(with.plane_candidates == 0);
  REQUIRE(with.point_candidates > 0);
  REQUIRE(identical(with, without));
}

TEST_CASE("correspondences from elsewhere replace the descriptors", "[registration]") {
  const double outliers = GENERATE(0.0, 0.5, 0.9, 0.95, 0.99);
  const bool outdoors = GENERATE(true, false);
  const ScanPair& pair = outdoors ? street() : room();
  const Options options = outdoors ? Options::lidar() : Options::rgbd();
  const Registration registration(options);
  Features source = registration.extract(pair.source), target = registration.extract(pair.target);
  Draw draw(7);
  const auto points = correspondences(draw, pair, 2000, outliers, 0.5 * options.voxel);
  for (Features* f : {&source, &target}) {
    Description blank = f->description();
    blank.descriptors.setConstant(1.0f), blank.upright.setConstant(1.0f);
    for (Pch& h : blank.planes.context) h.fill(1.0);
    for (Pch& h : blank.planes.box_context) h.fill(1.0);
    f->replace_description(std::move(blank));
  }
  CAPTURE(outliers, outdoors);
  REQUIRE_FALSE(registration.align(source, target).success());
  const Result result = registration.align(source, target, points);
  REQUIRE(result.point_candidates == 2000);
  REQUIRE(result.success());
  REQUIRE(result.clique_matches.size() == result.clique_points.size());
  for (std::size_t i = 0; i < result.clique_points.size(); ++i) {
    const auto [k, same] = result.clique_matches[i];
    REQUIRE(k == same);
    REQUIRE((result.clique_points[i].source - points[k].source).norm() < 1e-9);
    REQUIRE((result.clique_points[i].target - points[k].target).norm() < 1e-9);
  }
  require_near(result.T_target_source, pair.T_target_source, pair.source, outdoors ? kStreet : kRoom);
}

TEST_CASE("coordinates far from the origin cost no accuracy", "[registration]") {
  const bool outdoors = GENERATE(true, false), given = GENERATE(true, false);
  const ScanPair& pair = outdoors ? street() : room();
  const Registration registration(outdoors ? Options::lidar() : Options::rgbd());
  const Isometry3d S = shift({1e6, -1e6, 1e6}), Q = shift({-1e6, 5e6, 200.0});
  const auto source = moved(pair.source, S), target = moved(pair.target, Q);
  std::optional<Vector3d> from, to;
  if (given) from = S.translation(), to = Q.translation();
  const Result result = registration.align(registration.extract(source, from), registration.extract(target, to));
  CAPTURE(outdoors, given, to_string(result.status));
  CHECK(result.success());
  require_near(result.T_target_source, Q * pair.T_target_source * S.inverse(), source, outdoors ? kStreet : kRoom);
  REQUIRE_FALSE(result.clique_points.empty());
  for (const Correspondence& c : result.clique_points) REQUIRE((result.T_clique * c.source - c.target).norm() < 2.0);
}

TEST_CASE("every mode aligns an easy pair", "[registration]") {
  const bool outdoors = GENERATE(true, false);
  Options options = outdoors ? Options::lidar() : Options::rgbd();
  options.plane_weights = GENERATE(PlaneWeights::none, PlaneWeights::fixed, PlaneWeights::confidence);
  options.plane_matching = GENERATE(PlaneMatching::one_level, PlaneMatching::two_level);
  options.verification.refine = GENERATE(true, false);
  const ScanPair& pair = outdoors ? street() : room();
  const Result result = align(Registration(options), pair);
  REQUIRE(result.success());
  const double wider = options.verification.refine ? 1.0 : 4.0;  // the clique's own transform is a rougher one
  const Tolerance t = outdoors ? kStreet : kRoom;
  require_near(result.T_target_source, pair.T_target_source, pair.source, {wider * t.metres, wider * t.degrees});
  if (!options.verification.refine) REQUIRE(result.T_target_source.matrix() == result.T_clique.matrix());
}

TEST_CASE("a result is consistent with itself", "[registration]") {
  const bool planes = GENERATE(true, false);
  Options options = Options::rgbd();
  options.use_planes = planes;
  const Registration registration(options);
  const Isometry3d X = shift({30.0, -40.0, 2.0});  // the frame of the information matrix shows
  const auto points = moved(room().source, X);
  const Features source = registration.extract(points, X.translation()), target = registration.extract(room().target);
  const Result result = registration.align(source, target);
  REQUIRE(result.success());
  REQUIRE(result.free_directions.empty());
  REQUIRE(result.hypotheses >= 1);
  REQUIRE(result.point_candidates >= result.clique_points.size());
  REQUIRE(result.plane_candidates >= result.clique_planes.size());
  REQUIRE(result.clique_planes.empty() != planes);

  REQUIRE(result.clique_matches.size() == result.clique_points.size());
  for (std::size_t i = 0; i < result.clique_points.size(); ++i) {
    const auto [from, to] = result.clique_matches[i];
    const Features &matched = source.at_level(result.level), &onto = target.at_level(result.level);
    REQUIRE(result.clique_points[i].source == matched.cloud.at(from) + matched.cloud.origin);
    REQUIRE(result.clique_points[i].target == onto.cloud.at(to) + onto.cloud.origin);
  }

  const auto &patches = source.at_level(result.level).description().planes.patches,
             &others = target.at_level(result.level).description().planes.patches;
  auto weight = static_cast<std::int64_t>(result.clique_points.size());
  for (const PlaneMatch& m : result.clique_planes) {
    REQUIRE((m.confidence >= 0.0 && m.confidence <= 1.0));
    REQUIRE((m.source < patches.size() && m.target < others.size()));
    weight += std::max(1, static_cast<int>(std::ceil(options.plane_weight * m.confidence)));
  }
  REQUIRE(result.clique_weight == weight);

  double squared = 0.0;
  Matrix6d information = Matrix6d::Zero();
  for (const Correspondence& a : result.clique_points) {
    squared += (result.T_clique * a.source - a.target).squaredNorm();
    Eigen::Matrix<double, 3, 6> J;  // of T exp(xi) p, but for the rotation of T
    J << 0, a.source.z(), -a.source.y(), 1, 0, 0, -a.source.z(), 0, a.source.x(), 0, 1, 0, a.source.y(), -a.source.x(),
        0, 0, 0, 1;
    information += J.transpose() * J;
    for (const Correspondence& b : result.clique_points)
      REQUIRE(std::abs((a.source - b.source).norm() - (a.target - b.target).norm()) <=
              2.0 * options.at_level(result.level).voxel + 1e-3);
  }
  REQUIRE(std::abs(result.point_rms_m - std::sqrt(squared / static_cast<double>(result.clique_points.size()))) < 1e-4);
  if (!planes) REQUIRE(result.information.isApprox(information, 1e-6));
  REQUIRE(result.information.isApprox(result.information.transpose(), 1e-9));
  REQUIRE(Eigen::SelfAdjointEigenSolver<Matrix6d>(result.information - information).eigenvalues().minCoeff() > -0.01);

  REQUIRE((result.overlap.fraction() > 0.0 && result.overlap.fraction() <= 1.0));
  REQUIRE((result.overlap.agreement() > 0.0 && result.overlap.agreement() <= 1.0));
  const AlignTimings& t = result.timings;
  for (const double ms : {t.matching_ms, t.graph_ms, t.clique_ms, t.transform_ms, t.verification_ms})
    REQUIRE(ms >= 0.0);
  REQUIRE(t.total_ms() > 0.0);
  REQUIRE(source.timings.total_ms() > 0.0);
}

TEST_CASE("scans of different places are no success", "[registration]") {
  const auto seed = GENERATE(range(20u, 26u));
  const Registration registration(Options::lidar());
  const Features a = registration.extract(street_pair(seed, 10.0, 0.0).source);
  const Features b = registration.extract(street_pair(seed + 50, 10.0, 0.0).target);
  const Result result = registration.align(a, b);
  REQUIRE_FALSE(result.success());
  REQUIRE_FALSE(to_string(result.status).empty());
}
