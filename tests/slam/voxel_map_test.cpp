#include <slam/voxel_map.hpp>

#include <tests/slam/numerics.hpp>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators_range.hpp>

using namespace parte::slam;
using Eigen::Vector3d;

TEST_CASE("the voxel map finds the nearest point that brute force finds", "[odometry][oracle]") {
  Draw draw(GENERATE(range(0u, 5u)));
  const Vector3d far_away(1e5, -2e5, 300.0);  // where single precision would be off by centimetres
  VoxelMap map(0.7);
  std::vector<Vector3d> input;
  for (int k = 0; k < 2000; ++k) input.push_back(far_away + draw.in_box(4.0));
  map.add(input);
  const std::vector<Vector3d> points = map.points();
  REQUIRE(points.size() > 1000);
  REQUIRE(map.size() == points.size());
  for (int k = 0; k < 300; ++k) {
    const Vector3d place = far_away + draw.in_box(7.0);
    const double radius = draw.uniform(0.1, 3.0);
    double best = radius;
    for (const Vector3d& p : points) best = std::min(best, (p - place).norm());
    const auto found = map.nearest(place, radius);
    REQUIRE(found.has_value() == (best < radius));
    if (found) REQUIRE(std::abs((*found - place).norm() - best) < 1e-5);
  }
}

TEST_CASE("the voxel map keeps what came first, at a distance, and forgets what is far", "[odometry]") {
  VoxelMap map(1.0, 4);
  const std::vector<Vector3d> points{{0.1, 0.1, 0.1}, {0.2, 0.1, 0.1}, {0.9, 0.1, 0.1}, {50.5, 0.5, 0.5}};
  map.add(points);
  REQUIRE(map.size() == 3);  // the second is nearer than half a metre to the first
  REQUIRE(map.nearest({0.2, 0.1, 0.1}, 1.0)->isApprox(points[0], 1e-6));
  map.remove_beyond(Vector3d(50.0, 0.0, 0.0), 20.0);
  REQUIRE(map.size() == 1);
  REQUIRE_FALSE(map.nearest(points[0], 5.0));
  REQUIRE(map.nearest(points[3], 5.0));
  map.add(points);
  REQUIRE(map.size() == 3);
}

TEST_CASE("the surface of a voxel map is the plane through its points", "[odometry][oracle]") {
  Draw draw(3);
  const Vector3d normal = draw.in_box(1.0).normalized(), middle(20.0, -30.0, 5.0);
  const Vector3d u = normal.unitOrthogonal(), v = normal.cross(u);
  std::vector<Vector3d> points;
  for (int k = 0; k < 3000; ++k) points.push_back(middle + draw.uniform(-3, 3) * u + draw.uniform(-3, 3) * v);
  VoxelMap map(1.0);
  map.add(points);
  const VoxelMap::Surface surface = map.surface(middle, 1.0);
  int within = 0;
  Vector3d sum = Vector3d::Zero();
  for (const Vector3d& p : map.points())
    if ((p - middle).norm() < 1.0) ++within, sum += p;
  REQUIRE(surface.count == within);
  REQUIRE((surface.mean - sum / within).norm() < 1e-5);
  REQUIRE(std::abs(surface.normal.dot(normal)) > 0.9999);
  REQUIRE(surface.variances[0] < 1e-6);
  REQUIRE(surface.variances[1] > 0.1);
}

TEST_CASE("the voxel map knows how many scans ago it saw a place first", "[odometry]") {
  VoxelMap map(1.0);
  const Vector3d first(0.5, 0.5, 0.5), second(3.5, 0.5, 0.5), never(9.5, 0.5, 0.5);
  map.add(std::vector{first});
  map.add(std::vector{first, second});
  map.add(std::vector<Vector3d>{});
  REQUIRE(map.age(first) == 3);
  REQUIRE(map.age(second) == 2);
  REQUIRE(map.age(never) == 0);
  std::string bytes;
  map.save(bytes);
  VoxelMap restored(1.0);
  std::string_view view = bytes;
  restored.restore(view);
  restored.add(std::vector{never});
  REQUIRE(restored.age(second) == 3);
  REQUIRE(restored.age(never) == 1);
}
