#include <slam/scan_descriptor.hpp>

#include "there_and_back.hpp"

#include <limits>
#include <numbers>
#include <random>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

namespace {

using namespace parte::slam;
using Cloud = std::vector<Eigen::Vector3f>;

Cloud turned(Cloud cloud, double degrees) {
  const Eigen::AngleAxisf turn(static_cast<float>(degrees * std::numbers::pi / 180.0), Eigen::Vector3f::UnitZ());
  for (Eigen::Vector3f& p : cloud) p = turn * p;
  return cloud;
}

/// The definition, without matrices.
double distance_by_loops(const ScanDescriptor& a, const ScanDescriptor& b) {
  const Eigen::Index rings = a.heights.rows(), sectors = a.heights.cols();
  double best = 0.0;
  for (Eigen::Index turn = 0; turn < sectors; ++turn) {
    double sum = 0.0;
    int seen = 0;
    for (Eigen::Index s = 0; s < sectors; ++s) {
      double ab = 0.0, aa = 0.0, bb = 0.0;
      for (Eigen::Index r = 0; r < rings; ++r) {
        const double x = a.heights(r, s), y = b.heights(r, (s + turn) % sectors);
        ab += x * y, aa += x * x, bb += y * y;
      }
      if (aa + bb == 0.0) continue;
      ++seen;
      if (aa > 0.0 && bb > 0.0) sum += ab / std::sqrt(aa * bb);
    }
    if (seen > 0) best = std::max(best, sum / seen);
  }
  return 1.0 - best;
}

ScanDescriptor random_descriptor(unsigned seed) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<float> height(-8.0f, 8.0f);
  Eigen::MatrixXf heights(6, 10);
  for (Eigen::Index i = 0; i < heights.size(); ++i) heights.data()[i] = std::max(0.0f, height(engine));
  heights.col(seed % 10).setZero();
  return descriptor_of(heights);
}

}  // namespace

TEST_CASE("the distance of two scan descriptors is what its definition says", "[descriptor][oracle]") {
  const unsigned seed = static_cast<unsigned>(GENERATE(range(0, 50)));
  const ScanDescriptor a = random_descriptor(seed), b = random_descriptor(seed + 1000);
  REQUIRE(descriptor_distance(a, b) == Catch::Approx(distance_by_loops(a, b)).margin(1e-5));
  REQUIRE(descriptor_distance(a, b) == Catch::Approx(descriptor_distance(b, a)).margin(1e-5));
  REQUIRE(descriptor_distance(a, a) == Catch::Approx(0.0).margin(1e-5));
}

TEST_CASE("a place looks the same whichever way the sensor faces, and unlike another place", "[descriptor]") {
  const ThereAndBack drive;
  const Cloud here = drive.scan(2), there = drive.scan(15);
  const ScanDescriptor place = describe_scan(here);
  const double elsewhere = descriptor_distance(place, describe_scan(there));
  for (const double degrees : {6.0, 48.0, 180.0, 3.0, 101.5}) {
    const ScanDescriptor same = describe_scan(turned(here, degrees));
    CHECK((same.rings - place.rings).norm() < 0.1f * place.rings.norm());
    CHECK(descriptor_distance(place, same) < 0.5 * elsewhere);
  }
}

TEST_CASE("a scan descriptor leaves out what is not finite or too far", "[descriptor]") {
  const float nan = std::numeric_limits<float>::quiet_NaN(), inf = std::numeric_limits<float>::infinity();
  const Cloud cloud = {{10, 0, 1}, {nan, 0, 1}, {0, inf, 1}, {70, 0, 1}, {-10, 0, nan}};
  const ScanDescriptor d = describe_scan(cloud);
  REQUIRE((d.heights.array() > 0.0f).count() == 1);
  REQUIRE(descriptor_distance(describe_scan(Cloud{}), d) == 1.0);
  REQUIRE_THROWS_AS(describe_scan(cloud, {.max_range_m = 0.0}), std::invalid_argument);
}
