#include <parte/matching.hpp>
#include <parte/upright.hpp>

#include <tests/parte/clouds.hpp>

#include <catch2/catch_test_macros.hpp>

namespace {

using parte::describe_upright;
using parte::FpfhMatrix;
using parte::Index;
using parte::Match;
using parte::PlanarPatch;
using parte::PointCloud;
using parte::UprightMatrix;

constexpr float kMetre = 15.0f, kUp = 20.0f;

/// Two terraces of ground, 3 m apart in height, with their border at x = 0; then the points at `places`, facing up.
struct Terraces {
  PointCloud cloud;
  PlanarPatch ground;
  std::vector<Index> centers;

  explicit Terraces(const std::vector<Eigen::Vector3f>& places) {
    for (int x = -20; x < 20; ++x)
      for (int y = -20; y < 20; ++y) cloud.points.emplace_back(x + 0.5f, y + 0.5f, x < 0 ? 0.0f : 3.0f);
    std::vector<Index> all;
    for (Index i = 0; i < cloud.size(); ++i) all.push_back(i);
    for (const auto& p : places) centers.push_back(static_cast<Index>(cloud.size())), cloud.points.push_back(p);
    cloud.normals.assign(cloud.size(), Eigen::Vector3f::UnitZ());
    ground = parte::fit_patch(cloud, all, {0.0, 0.0, 20.0});
    ground.normal = Eigen::Vector3d::UnitZ();
    ground.ground = true;
  }
};

}  // namespace

TEST_CASE("heights are over the ground around a point", "[upright]") {
  const Terraces scene({{-10.0f, 1.0f, 2.0f}, {10.0f, 1.0f, 5.0f}, {-30.0f, 1.0f, 2.0f}, {90.0f, 0.0f, 2.0f}});
  const UprightMatrix rows = describe_upright(scene.cloud, scene.centers, scene.ground);
  REQUIRE(rows.rows() == 4);
  REQUIRE(std::abs(rows(0, 0) - 2.0f * kMetre) < 1e-3f);
  REQUIRE(std::abs(rows(1, 0) - 2.0f * kMetre) < 1e-3f);
  REQUIRE(std::abs(rows(2, 0) - 2.0f * kMetre) < 1e-3f);           // the nearest cells that have ground
  REQUIRE(std::abs(rows(3, 0) - (2.0f - 1.5f) * kMetre) < 1e-3f);  // none near: over the plane of all ground
}

TEST_CASE("surfaces face up as far as their normals say", "[upright]") {
  Terraces scene({{-10.0f, 1.0f, 2.0f}, {-9.0f, 1.0f, 2.0f}, {-8.0f, 1.0f, 2.0f}});
  scene.cloud.normals[scene.centers[1]] = Eigen::Vector3f::UnitX();
  scene.cloud.normals[scene.centers[2]] = {0.6f, 0.0f, -0.8f};
  const UprightMatrix rows = describe_upright(scene.cloud, scene.centers, scene.ground);
  const float expected[] = {1.0f, 0.0f, -0.8f};
  for (int k = 0; k < 3; ++k) REQUIRE(std::abs(rows(k, 1) - kUp * expected[k]) < 1e-3f);
}

TEST_CASE("what stands beside descriptors decides between equal ones, if both sides have it", "[upright][matching]") {
  FpfhMatrix source = FpfhMatrix::Zero(3, parte::kFpfhSize), target = source;
  source.topRows(2).setConstant(9.0f), target.topRows(2).setConstant(9.0f);  // the last row has no descriptor
  UprightMatrix above(3, 2), below(3, 2);
  above << 30.0f, 20.0f, 0.0f, 20.0f, 7.0f, 7.0f;
  below << 1.0f, 20.0f, 29.0f, 20.0f, 7.0f, 7.0f;
  REQUIRE(parte::match_points(source, target, above, below) == std::vector<Match>{{0, 1}, {1, 0}});
  for (const auto& alone : {parte::match_points(source, target, above, {}), parte::match_points(source, target)})
    REQUIRE(alone == std::vector<Match>{{0, 0}});
}
