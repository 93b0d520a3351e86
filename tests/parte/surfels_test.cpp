#include <parte/surfels.hpp>

#include <parte/normals.hpp>

#include <tests/parte/clouds.hpp>

#include <cmath>
#include <numbers>

#include <catch2/catch_test_macros.hpp>

namespace {

using namespace parte;
using namespace parte::clouds;
using Eigen::Vector3d;
using Eigen::Vector3f;

constexpr double kVoxel = 0.3;
const Vector3d kSensor(0.0, 0.0, 1.7);

PointCloud with_normals(std::vector<Vector3f> points) {
  PointCloud cloud;
  cloud.points = std::move(points);
  estimate_normals(cloud, kSensor, {2.0 * kVoxel, 30, 5});
  return cloud;
}

Surfels surfels_of(const PointCloud& cloud) {
  return make_surfels(cloud, std::vector<bool>(cloud.size(), true), kSensor.cast<float>(), 2.0 * kVoxel);
}

/// Rings of a spinning LiDAR on level ground, from 8 m on 1 to 2.5 m apart, with errors along the rays.
std::vector<Vector3f> rings(double noise_m, Engine& engine) {
  std::vector<Vector3f> points;
  for (double degrees = 12.0; degrees > 6.0; degrees -= 1.33) {
    const double elevation = degrees * std::numbers::pi / 180.0, range = kSensor.z() / std::sin(elevation);
    for (double turn = 0.0; turn < 2.0 * std::numbers::pi; turn += kVoxel / range) {
      const Vector3d ray(std::cos(turn) * std::cos(elevation), std::sin(turn) * std::cos(elevation),
                         -std::sin(elevation));
      points.emplace_back((kSensor + (range + noise_m * gaussian(engine)) * ray).cast<float>());
    }
  }
  return points;
}

double tilt(const Vector3f& normal) { return std::acos(std::min(1.0, std::abs(double{normal.z()}))); }

double rms_height(const std::vector<Vector3f>& points) {
  double sum = 0.0;
  for (const Vector3f& p : points) sum += p.z() * p.z();
  return std::sqrt(sum / static_cast<double>(points.size()));
}

}  // namespace

TEST_CASE("rings on the ground find the ground", "[surfels][oracle]") {
  Engine engine(1);
  const PointCloud cloud = with_normals(rings(0.03, engine));
  const Surfels surfels = surfels_of(cloud);
  double tilted = 0.0, level = 0.0;
  std::size_t found = 0;
  for (Index i = 0; i < cloud.size(); ++i) {
    REQUIRE(cloud.is_on_line(i));
    tilted += tilt(cloud.normals[i]) / static_cast<double>(cloud.size());
    if (surfels.normals[i] == cloud.normals[i]) continue;
    ++found;
    level += tilt(surfels.normals[i]);
    REQUIRE(surfels.normals[i].dot(kSensor.cast<float>() - cloud.points[i]) > 0.0f);
  }
  REQUIRE(tilted > 0.07);  // at right angles to the rays: 4 degrees and more
  REQUIRE(found > cloud.size() * 9 / 10);
  REQUIRE(level / static_cast<double>(found) < 0.02);
  REQUIRE(surfels.ground.size() == cloud.size());
  REQUIRE(surfels.others.empty());
}

TEST_CASE("points move onto the plane through their neighbours", "[surfels][oracle]") {
  Engine engine(2);
  std::vector<Vector3f> points;
  for (double x = -5.0; x < 5.0; x += kVoxel)
    for (double y = -5.0; y < 5.0; y += kVoxel)
      points.emplace_back(Vector3d(x, y, 0.03 * gaussian(engine)).cast<float>());
  const Surfels surfels = surfels_of(with_normals(points));
  // A plane of three parameters fitted to the 13 points within two voxels leaves sqrt(1/13) in its middle, and more at
  // the border of the cloud.
  REQUIRE(rms_height(surfels.points) < 0.4 * rms_height(points));
}

TEST_CASE("a lone line stays a line", "[surfels]") {
  std::vector<Vector3f> pole;
  for (double z = 0.0; z < 6.0; z += 0.1) pole.emplace_back(Vector3d(5.0, 0.0, z).cast<float>());
  const PointCloud cloud = with_normals(pole);
  const Surfels surfels = surfels_of(cloud);
  REQUIRE(surfels.normals == cloud.normals);
  REQUIRE(surfels.points == cloud.points);
  REQUIRE(surfels.ground.empty());
}

TEST_CASE("an empty cloud has no surfels", "[surfels]") { REQUIRE(surfels_of(with_normals({})).points.empty()); }
