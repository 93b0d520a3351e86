#include <parte/hypothesis.hpp>

#include <tests/parte/scenes.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

namespace {

using namespace parte;
using namespace parte::testing;
using Eigen::Isometry3d;
using Eigen::Vector3d;

constexpr double kDegree = std::numbers::pi / 180.0;

Isometry3d turned(double degrees, const Vector3d& axis) {
  return Isometry3d(Eigen::AngleAxisd(degrees * kDegree, axis.normalized()));
}

/// The four walls of a tunnel, 60 m long, and blocks that hang from them, such that half a turn about its axis changes
/// nothing. The sensor is in the middle.
Points symmetric_tunnel(Draw& draw) {
  constexpr double kLength = 30.0, kSide = 4.0, kHeight = 1.8;  // halves [m]
  Points points;
  const auto add = [&](double x, double y, double z) {
    for (const double sign : {1.0, -1.0}) points.push_back(Vector3d(x, sign * y, sign * z).cast<float>());
  };
  for (int i = 0; i < 30'000; ++i) {
    const double x = draw.uniform(-kLength, kLength);
    add(x, draw.uniform(-kSide, kSide), -kHeight);
    add(x, kSide, draw.uniform(-kHeight, kHeight));
  }
  for (int block = 0; block < 12; ++block) {
    const double x = draw.uniform(-20.0, 20.0), width = draw.uniform(0.4, 1.0), depth = draw.uniform(0.5, 1.5),
                 z = draw.uniform(-0.6, 0.6);
    for (int i = 0; i < 400; ++i) {
      const double u = draw.uniform(-1.0, 1.0), v = draw.uniform(-0.6, 0.6), w = draw.uniform(0.0, 1.0);
      add(x + u * width, kSide - depth, z + v);
      add(x + (x > 0.0 ? -width : width), kSide - w * depth, z + v);
    }
  }
  return points;
}

std::vector<Correspondence> moved_by(const Isometry3d& T, const Points& points, std::size_t count) {
  std::vector<Correspondence> result;
  for (std::size_t k = 0; k < count; ++k) {
    const Vector3d p = points[k * points.size() / count].cast<double>();
    result.push_back({p, T * p});
  }
  return result;
}

}  // namespace

TEST_CASE("the grounds of two LiDAR scans must face the same way within 30 degrees", "[hypothesis]") {
  const ScanPair pair = street_pair(3, 5.0, 0.0);
  Options options = Options::lidar();
  options.verification.enabled = options.verification.refine = false;  // lest the tilt be taken back
  const bool use_ground = GENERATE(true, false);
  options.use_ground = use_ground;
  const Registration registration(options);
  const Features source = registration.extract(pair.source), target = registration.extract(pair.target);
  const Candidates candidates{source, target, 0, options};
  const Vector3d axis = GENERATE(Vector3d(1, 0, 0), Vector3d(0, 1, 0), Vector3d(-1, 2, 0));
  for (const double tilt_deg : {0.0, 25.0, 35.0, 90.0, 180.0}) {
    CAPTURE(use_ground, axis.transpose(), tilt_deg);
    Hypothesis h;
    h.refinement.T_target_source =
        local(pair.T_target_source, source, target) * turned(tilt_deg, axis) * turned(100.0, Vector3d::UnitZ());
    judge(h, candidates, options);
    REQUIRE(h.ground_fits == (!use_ground || tilt_deg < 30.0));
  }
}

TEST_CASE("a clique of two members is no success, however well the clouds agree", "[hypothesis]") {
  const ScanPair pair = street_pair(3, 5.0, 0.0);
  const Options options = Options::lidar();
  const Registration registration(options);
  const Features source = registration.extract(pair.source), target = registration.extract(pair.target);
  const Candidates candidates{source, target, 0, options};
  const auto judged = [&](std::size_t members) {
    Hypothesis h;
    for (std::size_t k = 0; k < members; ++k) h.clique.vertices.push_back(static_cast<Index>(k));
    h.estimate.size = 20.0;
    h.estimate.T_target_source = h.refinement.T_target_source = local(pair.T_target_source, source, target);
    Candidates c = candidates;
    for (std::size_t k = 0; k < members; ++k) {
      const Eigen::Vector3d p = source.cloud.at(k * source.cloud.size() / members);
      c.points.push_back({p, h.estimate.T_target_source * p});
    }
    judge(h, c, options);
    return h;
  };
  REQUIRE(is_success(judged(20), options));
  const Hypothesis few = judged(2);
  REQUIRE(few.overlap.agreement() > 0.98);
  REQUIRE_FALSE(is_success(few, options));
  REQUIRE_FALSE(is_better(few, judged(3), options));
}

TEST_CASE("a tunnel that looks the same upside down is not accepted upside down", "[hypothesis]") {
  Draw draw(5);
  const Points tunnel = symmetric_tunnel(draw);
  Options options = Options::lidar();
  options.verification.max_hypotheses = 1;  // no other clique may save the day
  options.use_ground = GENERATE(true, false);
  const Registration registration(options);
  const Features features = registration.extract(tunnel);
  const Isometry3d upright = Isometry3d::Identity(), upside_down = turned(180.0, Vector3d::UnitX());
  REQUIRE(registration.align(features, features, moved_by(upright, tunnel, 300)).success());
  const Result result = registration.align(features, features, moved_by(upside_down, tunnel, 300));
  REQUIRE(angle_deg(result.T_target_source, upside_down) < 1.0);
  // The clouds themselves see nothing wrong: it is the ground that refuses.
  REQUIRE(result.confidence >= options.verification.min_confidence);
  REQUIRE(result.status == (options.use_ground ? Status::not_verified : Status::success));
}
