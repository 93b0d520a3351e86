#include <slam/factor.hpp>

#include <slam/pose3.hpp>
#include <tests/parte/scenes.hpp>

#include <Eigen/Dense>
#include <stdexcept>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>

using namespace parte;
using namespace parte::testing;

namespace {

/// Normalised estimation error squared: 6 on average if the covariance is right.
double nees(const Result& result, const Eigen::Isometry3d& truth, const CovarianceOptions& options) {
  const gtsam::Pose3 estimate = slam::to_pose3(result.T_target_source);
  const Vector6d error = estimate.localCoordinates(slam::to_pose3(truth));
  return error.dot(registration_covariance(result, options).ldlt().solve(error));
}

Result align(const ScanPair& pair) {
  const Registration registration(Options::lidar());
  return registration.align(registration.extract(pair.source), registration.extract(pair.target));
}

}  // namespace

TEST_CASE("the factor measures the source's pose in the target's frame", "[factor]") {
  const ScanPair pair = street_pair(2, 8.0, 0.5);
  const Result result = align(pair);
  const auto factor = slam::make_between_factor(7, 3, result);
  REQUIRE(factor.key1() == 7);
  REQUIRE(factor.key2() == 3);
  const gtsam::Pose3 target(gtsam::Rot3::RzRyRx(0.1, 0.2, 0.3), gtsam::Point3(4, 5, 6));
  const gtsam::Pose3 source = target * slam::to_pose3(result.T_target_source);
  REQUIRE(factor.evaluateError(target, source).norm() < 1e-9);
  // A small motion of the source, in its own frame and rotation first, costs what the covariance says.
  gtsam::Values values;
  values.insert(7, target);
  Vector6d xi;
  xi << 1e-4, -2e-4, 3e-4, 4e-3, -5e-3, 6e-3;
  values.insert(3, source.retract(xi));
  const double expected = 0.5 * xi.dot(registration_covariance(result).ldlt().solve(xi));
  REQUIRE(factor.error(values) == Catch::Approx(expected).epsilon(0.01));
}

TEST_CASE("the clique's covariance is that of its transform under independent noise", "[factor][oracle]") {
  constexpr int kTrials = 150;
  constexpr double kNoise = 0.03;  // [m] a coordinate, far within the tolerance of the consistency tests
  Options options = Options::lidar();
  options.use_planes = false;
  options.verification.enabled = false;
  options.verification.refine = false;
  const Registration registration(options);
  const ScanPair pair = street_pair(2, 8.0, 0.5);
  const Features source = registration.extract(pair.source), target = registration.extract(pair.target);
  const CovarianceOptions independent{
      .clique_inflation = 1.0, .surface_inflation = 1.0, .small_clique = 0.0, .voxel_m = 1e-3, .sensor_noise_m = 0.0};
  double sum = 0.0;
  for (unsigned trial = 0; trial < kTrials; ++trial) {
    Draw draw(trial);
    std::vector<Correspondence> exact = correspondences(draw, pair, 60, 0.0, 1e-9), noisy = exact;
    const auto normal = [&] {  // twelve uniform draws: nearly normal
      double total = -6.0;
      for (int i = 0; i < 12; ++i) total += draw.uniform(0.0, 1.0);
      return total;
    };
    for (Correspondence& c : noisy) {
      const double x = normal(), y = normal(), z = normal();
      c.target += kNoise * Eigen::Vector3d(x, y, z);
    }
    const Result result = registration.align(source, target, noisy);
    REQUIRE(result.success());
    REQUIRE(result.clique_points.size() == noisy.size());
    sum += nees(result, pair.T_target_source, independent);
  }
  REQUIRE(sum / kTrials == Catch::Approx(6.0).margin(1.2));
}

TEST_CASE("the covariance of accepted street pairs fits their errors", "[factor]") {
  double sum = 0.0;
  int accepted = 0;
  for (std::uint64_t seed = 20; seed < 32; ++seed) {
    const ScanPair pair = street_pair(seed, 4.0 + static_cast<double>(seed % 4) * 4.0, 0.6 * static_cast<double>(seed));
    const Result result = align(pair);
    if (!result.success()) continue;
    ++accepted;
    sum += nees(result, pair.T_target_source, {});
  }
  REQUIRE(accepted >= 8);
  REQUIRE(sum / accepted > 2.5);
  REQUIRE(sum / accepted < 10.0);
}

TEST_CASE("more and larger evidence is trusted more, and none not at all", "[factor]") {
  Result result;
  REQUIRE_THROWS_AS(registration_covariance(result), std::invalid_argument);
  result.status = Status::success;
  result.information = Matrix6d::Identity() * 100.0;
  result.clique_points.resize(10);
  result.point_rms_m = 0.3;
  const double few = registration_covariance(result).trace();
  result.clique_points.resize(100);
  REQUIRE(registration_covariance(result).trace() < few);
  result.point_rms_m = 0.0;  // residuals of a lucky clique are no smaller than the sensor's noise
  REQUIRE(registration_covariance(result).trace() > 1e-5);
  for (const CovarianceOptions& bad : {CovarianceOptions{.clique_inflation = 0.0}, CovarianceOptions{.voxel_m = -1.0},
                                       CovarianceOptions{.small_clique = -1.0}})
    REQUIRE_THROWS_AS(registration_covariance(result, bad), std::invalid_argument);
}

TEST_CASE("a partial result is wide along what it leaves open, and there alone", "[factor]") {
  Result result = align(street_pair(2, 8.0, 0.5));
  REQUIRE(result.success());
  const Matrix6d complete = registration_covariance(result);
  result.status = Status::degenerate;
  REQUIRE_THROWS_AS(registration_covariance(result), std::invalid_argument);
  result.partial = true;
  const Vector6d along = Vector6d::Unit(3);
  result.free_directions = {along};
  CovarianceOptions options;
  options.open_m = 50.0;
  const Matrix6d covariance = registration_covariance(result, options);
  REQUIRE(std::sqrt(covariance(3, 3)) == Catch::Approx(50.0).epsilon(0.01));
  Matrix6d rest = covariance - registration_covariance(align(street_pair(2, 8.0, 0.5)), options);
  rest(3, 3) = 0.0;
  REQUIRE(rest.norm() < 1e-9);
  REQUIRE((complete - complete.transpose()).isZero(0.0));
  options.open_m = 0.0;
  REQUIRE_THROWS_AS(registration_covariance(result, options), std::invalid_argument);
}

TEST_CASE("the scale of a covariance is that of the pair or a fixed one", "[factor]") {
  const Result result = align(street_pair(2, 8.0, 0.5));
  CovarianceOptions fixed;
  fixed.scale = CovarianceScale::fixed;
  CovarianceOptions inflated = fixed;
  inflated.surface_inflation *= 4.0, inflated.clique_inflation *= 4.0;
  REQUIRE(registration_covariance(result, inflated).trace() ==
          Catch::Approx(4.0 * registration_covariance(result, fixed).trace()).epsilon(0.01));
  CovarianceOptions measured = inflated;
  measured.scale = CovarianceScale::measured;  // surfaces that leave nothing open need no inflation
  REQUIRE(result.surface_evidence.open.isZero(1e-9));
  REQUIRE(registration_covariance(result, measured) == registration_covariance(result));
}
