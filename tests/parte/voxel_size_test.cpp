#include <parte/voxel_size.hpp>

#include <datasets/world/presets.hpp>
#include <datasets/world/sensors.hpp>
#include <datasets/world/synthetic.hpp>
#include <tests/parte/clouds.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <catch2/catch_approx.hpp>
#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>

namespace {

using namespace parte;
using Vectors = std::vector<Eigen::Vector3d>;

/// A wavy ground of the given half width with a wall, sampled at random.
Vectors landscape(std::size_t count, double half_width, std::uint64_t seed) {
  clouds::Engine engine(seed);
  Vectors points(count);
  for (Eigen::Vector3d& p : points) {
    p = clouds::uniform_vector(engine, half_width);
    if (p.z() < 0.0) {
      p.z() = 0.05 * half_width * std::sin(5.0 * p.x() / half_width);
    } else {
      p.y() = 0.7 * half_width;
    }
  }
  return points;
}

Vectors scaled(Vectors points, double factor) {
  for (Eigen::Vector3d& p : points) p *= factor;
  return points;
}

/// The radius as it is defined, by sorting.
double plain_radius(const Vectors& points) {
  const auto at = [](std::vector<double> values, double q) {
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
  };
  std::array<std::vector<double>, 3> axes;
  for (const Eigen::Vector3d& p : points)
    for (std::size_t a = 0; a < 3; ++a) axes[a].push_back(p[static_cast<Eigen::Index>(a)]);
  const Eigen::Vector3d middle(at(axes[0], 0.5), at(axes[1], 0.5), at(axes[2], 0.5));
  std::vector<double> distances;
  for (const Eigen::Vector3d& p : points) distances.push_back((p - middle).norm());
  return std::sqrt(at(distances, 0.25) * at(distances, 0.98));
}

std::size_t occupied(const Vectors& points, double voxel) {
  std::vector<std::array<double, 3>> cells;
  for (const Eigen::Vector3d& p : points)
    cells.push_back({std::floor(p.x() / voxel), std::floor(p.y() / voxel), std::floor(p.z() / voxel)});
  std::sort(cells.begin(), cells.end());
  return static_cast<std::size_t>(std::unique(cells.begin(), cells.end()) - cells.begin());
}

/// The first of a written-out series that is nearest to the part of the radius, then the first that suits both clouds.
VoxelChoice plain_choice(const Vectors& a, const Vectors& b, Sensor sensor) {
  const std::vector<double> series = {0.001, 0.0015, 0.002, 0.003, 0.005, 0.007, 0.01, 0.015, 0.02, 0.03, 0.05,
                                      0.07,  0.1,    0.15,  0.2,   0.3,   0.5,   0.7,  1,     1.5,  2,    3,
                                      5,     7,      10,    15,    20,    30,    50,   70,    100};
  const double radius = std::min(plain_radius(a), plain_radius(b)), wanted = radius / voxels_per_radius(sensor);
  auto it = std::min_element(series.begin(), series.end(), [&](double x, double y) {
    return std::abs(std::log(x / wanted)) < std::abs(std::log(y / wanted));
  });
  VoxelReason reason = VoxelReason::extent;
  for (;; ++it) {
    const std::array<std::size_t, 2> voxels = {occupied(a, *it), occupied(b, *it)}, points = {a.size(), b.size()};
    const auto sparse = [&](std::size_t k) {
      return static_cast<double>(points[k]) < kSparsePoints * static_cast<double>(voxels[k]);
    };
    if (voxels[0] > kCrowdedVoxels) {
      reason = VoxelReason::crowded;
    } else if (sparse(0)) {
      reason = VoxelReason::sparse;
    } else if (voxels[1] > kCrowdedVoxels) {
      reason = VoxelReason::crowded;
    } else if (sparse(1)) {
      reason = VoxelReason::sparse;
    } else {
      return {*it, radius, reason};
    }
  }
}

}  // namespace

TEST_CASE("the voxel size is the first of the series that suits both clouds", "[voxel_size][oracle]") {
  const auto [count, other_count] = GENERATE(
      table<std::size_t, std::size_t>({{3'000, 4'000}, {20'000, 2'000}, {100'000, 90'000}, {250'000, 200'000}}));
  const double half_width = GENERATE(0.15, 2.0, 33.0, 600.0);
  const Sensor sensor = GENERATE(Sensor::lidar, Sensor::rgbd);
  const Vectors a = landscape(count, half_width, 1), b = landscape(other_count, 1.3 * half_width, 2);
  CAPTURE(count, other_count, half_width);
  const VoxelChoice choice = choose_voxel(a, b, sensor), plain = plain_choice(a, b, sensor);
  CHECK(choice.voxel == plain.voxel);  // to the bit: the doubles that the literals are
  CHECK(choice.reason == plain.reason);
  CHECK(choice.radius_m == Catch::Approx(plain.radius_m));
}

TEST_CASE("each reason for a voxel size occurs", "[voxel_size]") {
  const auto reason = [](std::size_t count, Sensor sensor) {
    const Vectors points = landscape(count, 30.0, 1);
    return choose_voxel(points, points, sensor).reason;
  };
  CHECK(reason(3'000, Sensor::lidar) == VoxelReason::sparse);
  CHECK(reason(100'000, Sensor::rgbd) == VoxelReason::extent);
  clouds::Engine engine(1);
  const auto hall = clouds::uniform_points(300'000, 30.0, engine);  // a volume, not a surface
  CHECK(choose_voxel(hall, hall, Sensor::lidar).reason == VoxelReason::crowded);
}

TEST_CASE("the voxel size scales with the clouds and does not depend on their order or place", "[voxel_size]") {
  const Vectors a = landscape(60'000, 25.0, 1), b = landscape(8'000, 20.0, 2);
  const double voxel = choose_voxel(a, b, Sensor::lidar).voxel;
  CHECK(choose_voxel(b, a, Sensor::lidar).voxel == voxel);
  for (const double factor : {1e-6, 0.001, 1000.0, 1e7}) {
    const Vectors small = scaled(a, factor), other = scaled(b, factor);
    CHECK(choose_voxel(small, other, Sensor::lidar).voxel == Catch::Approx(factor * voxel).epsilon(1e-12));
  }
  Vectors moved = a;
  for (Eigen::Vector3d& p : moved) p += Eigen::Vector3d(4.5e5, 5.4e6, 300.0);
  CHECK(choose_voxel(moved, b, Sensor::lidar).voxel == voxel);
}

TEST_CASE("what is no return does not change the voxel size", "[voxel_size]") {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN(), kInf = std::numeric_limits<double>::infinity();
  const Vectors clean = landscape(50'000, 30.0, 1);
  const VoxelChoice expected = choose_voxel(clean, clean, Sensor::lidar);
  const auto with = [&](const Eigen::Vector3d& junk, std::size_t count) {
    Vectors points = clean;
    for (std::size_t i = 0; i < count; ++i) points.insert(points.begin() + static_cast<std::ptrdiff_t>(i), junk);
    return choose_voxel(points, clean, Sensor::lidar).voxel;
  };
  CHECK(with({kNan, 0.0, 0.0}, 3'000) == expected.voxel);
  CHECK(with({0.0, kInf, 0.0}, 3'000) == expected.voxel);
  CHECK(with({0.0, 0.0, 0.0}, 3'000) == expected.voxel);
  CHECK(with({1e6, -1e6, 1e6}, 500) == expected.voxel);       // outliers
  CHECK(with({1e6, 0.0, 0.0}, 5'000) <= 2 * expected.voxel);  // a tenth of the points, as some sensors have it
}

TEST_CASE("clouds without extent get the sensor's default, and one cloud is enough", "[voxel_size]") {
  const Vectors none, place(100, Eigen::Vector3d(1.0, 2.0, 3.0)), cloud = landscape(50'000, 30.0, 1);
  for (const Vectors* empty : {&none, &place}) {
    const VoxelChoice lidar = choose_voxel(*empty, none, Sensor::lidar);
    CHECK(lidar.voxel == Options::lidar().voxel);
    CHECK(lidar.reason == VoxelReason::unknown);
    CHECK(choose_voxel(none, *empty, Sensor::rgbd).voxel == Options::rgbd().voxel);
  }
  CHECK(choose_voxel(none, cloud, Sensor::lidar).voxel == choose_voxel(cloud, cloud, Sensor::lidar).voxel);
  for (const std::size_t few : {1u, 2u, 3u, 10u}) {
    const Vectors points(cloud.begin(), cloud.begin() + few);
    const double voxel = choose_voxel(points, points, Sensor::lidar).voxel;
    CHECK((voxel > 0.0 && std::isfinite(voxel)));
  }
}

TEST_CASE("synthetic scans get the voxel size of the sensors they imitate", "[voxel_size]") {
  const datasets::World street = datasets::make_street(1);
  const datasets::RayTracer tracer(street.mesh);
  const auto a = datasets::scan_lidar(tracer, datasets::street_pose(street, 94.0, -1.0, 2.6));
  const auto b = datasets::scan_lidar(tracer, datasets::street_pose(street, 106.0, 1.0, 0.0));
  CHECK(choose_voxel(a, b, Sensor::lidar).voxel == 0.3);
  datasets::SyntheticOptions indoor;
  indoor.preset = datasets::Preset::indoor;
  const datasets::Sequence rooms = datasets::open_synthetic(indoor);
  CHECK(choose_voxel(rooms.read(0), rooms.read(1), Sensor::rgbd).voxel == 0.05);
}
