#include <parte/normals.hpp>
#include <parte/planes.hpp>

#include <tests/parte/clouds.hpp>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <limits>
#include <numeric>
#include <set>
#include <stdexcept>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <tbb/task_arena.h>

namespace parte {
namespace {

using clouds::add_rectangle;
using clouds::Engine;
using clouds::form;
using clouds::kRoomSensor;
using clouds::kRoomSpacing;
using clouds::make_room;
using clouds::random_direction;
using clouds::uniform;
using Eigen::Matrix3d;
using Eigen::Vector3d;

const PlaneOptions kOptions{.thickness = kRoomSpacing, .normal_dispersion = 0.2, .min_points = 100};

void check_same(const std::vector<PlanarPatch>& a, const std::vector<PlanarPatch>& b) {
  REQUIRE(a.size() == b.size());
  for (std::size_t k = 0; k < a.size(); ++k) {
    REQUIRE((a[k].indices == b[k].indices));
    REQUIRE(a[k].normal == b[k].normal);
    REQUIRE(a[k].centroid == b[k].centroid);
  }
}

/// Directions at 0.1, 1, 10 and 45 degrees from `axis`, twelve around it.
std::vector<Vector3d> fan_around(const Vector3d& axis) {
  std::vector<Vector3d> fan;
  const Vector3d side = axis.unitOrthogonal();
  for (const double deg : {0.1, 1.0, 10.0, 45.0})
    for (int k = 0; k < 12; ++k)
      fan.push_back(Eigen::AngleAxisd(k * EIGEN_PI / 6.0, axis) *
                    (Eigen::AngleAxisd(deg * EIGEN_PI / 180.0, side) * axis));
  return fan;
}

/// What holds for the patches of any cloud.
void check_patches(const PointCloud& cloud, const std::vector<PlanarPatch>& patches, const Vector3d& sensor,
                   const PlaneOptions& options) {
  std::set<Index> taken;
  std::size_t previous = cloud.size(), total = 0;
  for (const auto& patch : patches) {
    REQUIRE(patch.indices.size() >= static_cast<std::size_t>(options.min_points));
    REQUIRE(patch.indices.size() <= previous);
    previous = patch.indices.size();
    total += patch.indices.size();
    REQUIRE(std::is_sorted(patch.indices.begin(), patch.indices.end()));
    taken.insert(patch.indices.begin(), patch.indices.end());
    REQUIRE(std::all_of(patch.indices.begin(), patch.indices.end(), [&](Index i) { return cloud.has_normal(i); }));

    const clouds::Moments m = clouds::direct_moments(cloud, patch.indices);
    REQUIRE((patch.centroid - m.mean).norm() < 1e-6);
    REQUIRE((patch.covariance - m.covariance).norm() < 1e-6);
    REQUIRE(std::abs(patch.normal.norm() - 1.0) < 1e-9);
    REQUIRE(std::abs(patch.offset() - patch.normal.dot(m.mean)) < 1e-6);
    REQUIRE(patch.normal.dot(sensor - patch.centroid) >= 0.0);
    for (const Vector3d& other : fan_around(patch.normal))  // the least-squares fit to its points
      REQUIRE(form(m.covariance, patch.normal) <= form(m.covariance, other) + 1e-9);
    // eq. (patch-validity), for the normal that eq. (patch-normal) has
    const auto u = constrained_normal(m.normals, m.covariance, options.thickness * options.thickness + 1e-9);
    REQUIRE(u);
    REQUIRE(form(m.covariance, *u) <= options.thickness * options.thickness + 2e-9);
    REQUIRE(1.0 - form(m.normals, *u) <= options.normal_dispersion * options.normal_dispersion + 1e-6);
  }
  REQUIRE(taken.size() == total);
}

}  // namespace

TEST_CASE("moments of a union are those of all its points", "[planes][oracle]") {
  Engine engine(GENERATE(range(50, 60)));
  const Vector3d middle = clouds::uniform_vector(engine, 200.0);
  std::vector<Vector3d> points, normals;
  PatchStatistics whole;
  for (int part = 0; part < 6; ++part) {
    PatchStatistics statistics;
    for (int k = 0; k < 1 + part * part * 4; ++k) {
      points.push_back(middle + clouds::uniform_vector(engine, 3.0 + part));
      normals.push_back(random_direction(engine));
      const auto single = PatchStatistics::of_point(points.back(), normals.back());
      statistics = k % 2 == 0 ? statistics.merged(single) : single.merged(statistics);
    }
    whole = part % 2 == 0 ? whole.merged(statistics) : statistics.merged(whole);
    const clouds::Moments m = clouds::direct_moments(points, normals);
    REQUIRE(whole.count == static_cast<double>(points.size()));
    REQUIRE((whole.mean - m.mean).norm() < 1e-10);
    REQUIRE((whole.covariance - m.covariance).norm() < 1e-9);
    REQUIRE((whole.normals - m.normals).norm() < 1e-12);
  }
}

TEST_CASE("the patch normal is the best feasible direction", "[planes][oracle]") {
  const int seed = GENERATE(range(0, 216));
  const clouds::PatchNormalProblem problem = clouds::random_problem(seed);
  const auto u = constrained_normal(problem.Q, problem.C, problem.limit);
  INFO("seed " << seed);
  REQUIRE(u.has_value() == (problem.spread[2] <= problem.limit));
  const double best = clouds::best_on_dense_sphere(problem);
  if (!u) {
    REQUIRE(best < 0.0);  // nor did the samples find one
    return;
  }
  REQUIRE(std::abs(u->norm() - 1.0) < 1e-9);
  REQUIRE(form(problem.C, *u) <= problem.limit * (1.0 + 1e-6));
  REQUIRE(form(problem.Q, *u) >= best - 1e-7);
}

TEST_CASE("the patch normal is a mixture where both matrices have the same axes", "[planes]") {
  // Maximise 0.9 a^2 + 0.1 b^2 with a^2 + b^2 / 2 <= 0.1: a^2 = 0.1, and the rest along the third axis.
  const Matrix3d Q = Vector3d(0.9, 0.1, 0.0).asDiagonal(), C = Vector3d(1.0, 0.5, 0.0).asDiagonal();
  const auto u = constrained_normal(Q, C, 0.1);
  REQUIRE(u.has_value());
  REQUIRE((u->cwiseAbs() - Vector3d(std::sqrt(0.1), 0.0, std::sqrt(0.9))).norm() < 1e-5);
}

TEST_CASE("the walls of a room are found", "[planes]") {
  const double noise = GENERATE(0.0, 0.005, 0.02);
  const auto room = make_room(noise, 60);
  const auto patches = extract_planes(room.cloud, room.neighbors, {}, kRoomSensor, kOptions);
  check_patches(room.cloud, patches, kRoomSensor, kOptions);
  REQUIRE(patches.size() >= 6);
  std::set<int> found;
  for (std::size_t k = 0; k < 6; ++k) {
    std::vector<std::size_t> votes(6, 0);
    for (const Index i : patches[k].indices) ++votes[room.wall_of[i]];
    const auto winner = std::max_element(votes.begin(), votes.end()) - votes.begin();
    const auto& wall = room.walls[winner];
    found.insert(static_cast<int>(winner));
    REQUIRE(patches[k].normal.dot(wall.normal) > std::cos(0.5 / 57.3));
    REQUIRE(std::abs(patches[k].offset() - wall.offset) < 0.02);
    REQUIRE(static_cast<double>(votes[winner]) > 0.97 * static_cast<double>(patches[k].indices.size()));
    // Near the corners neighbourhoods are bent; elsewhere all points belong to the wall.
    std::size_t missed = 0;
    for (Index i = 0; i < room.cloud.size(); ++i)
      missed += room.wall_of[i] == winner && room.to_corner(i) > 5.5 * kRoomSpacing &&
                !std::binary_search(patches[k].indices.begin(), patches[k].indices.end(), i);
    REQUIRE(missed < patches[k].indices.size() / 100);
  }
  REQUIRE(found.size() == 6);
}

TEST_CASE("patches of a curved surface are valid, and no two neighbours could still be merged", "[planes]") {
  Engine engine(61);
  PointCloud cloud;
  for (int k = 0; k < 8000; ++k) cloud.points.push_back((2.0 * random_direction(engine)).cast<float>());
  cloud.points.emplace_back(50.0f, 0.0f, 0.0f);  // has no normal
  const auto neighbors = estimate_normals(cloud, Vector3d::Zero(), {.radius = 0.25});
  const PlaneOptions options{.thickness = GENERATE(0.03, 0.005), .normal_dispersion = 0.2, .min_points = 3};
  const auto patches = extract_planes(cloud, neighbors, {}, Vector3d::Zero(), options);
  check_patches(cloud, patches, Vector3d::Zero(), options);

  std::vector<int> patch_of(cloud.size(), -1);
  for (std::size_t k = 0; k < patches.size(); ++k)
    for (const Index i : patches[k].indices) patch_of[i] = static_cast<int>(k);
  std::set<std::pair<int, int>> pairs;
  for (Index i = 0; i < cloud.size(); ++i)
    for (const Index j : neighbors[i])
      if (patch_of[i] >= 0 && patch_of[j] > patch_of[i]) pairs.emplace(patch_of[i], patch_of[j]);
  REQUIRE(pairs.size() > 100);
  std::size_t mergeable = 0;
  for (const auto& [a, b] : pairs) {
    std::vector<Index> both = patches[a].indices;
    both.insert(both.end(), patches[b].indices.begin(), patches[b].indices.end());
    const clouds::Moments m = clouds::direct_moments(cloud, both);
    const auto u = constrained_normal(m.normals, m.covariance, options.thickness * options.thickness);
    mergeable += u && 1.0 - form(m.normals, *u) < options.normal_dispersion * options.normal_dispersion - 1e-7;
  }
  REQUIRE(mergeable == 0);
}

TEST_CASE("patches exactly as thick as allowed are made, whatever rounding says", "[planes]") {
  Engine engine(GENERATE(range(0, 20)));
  const Vector3d normal = random_direction(engine), u = normal.unitOrthogonal(), v = normal.cross(u);
  PointCloud cloud;
  std::vector<Index> all(25);
  std::iota(all.begin(), all.end(), Index{0});
  for (const Index i : all) {
    cloud.points.push_back((i % 5 * u + i / 5 * v + 0.01 * clouds::gaussian(engine) * normal).cast<float>());
    cloud.normals.push_back((i % 2 == 0 ? normal : random_direction(engine)).cast<float>());  // v1(Q) is not feasible
  }
  const auto neighbors = radius_neighbors(cloud.points, 9.0, 25);
  const Matrix3d C = clouds::direct_moments(cloud, all).covariance;
  const double thinnest = Eigen::SelfAdjointEigenSolver<Matrix3d>(C).eigenvalues()[0];
  std::size_t made = 0;
  for (int step = -20; step <= 20; ++step) {
    const PlaneOptions options{
        .thickness = std::sqrt(thinnest + step * 1e-15), .normal_dispersion = 1.0, .min_points = 3};
    std::vector<PlanarPatch> patches;
    REQUIRE_NOTHROW(patches = extract_planes(cloud, neighbors, {}, 5.0 * normal, options));
    for (const PlanarPatch& patch : patches) REQUIRE(patch.normal.allFinite());
    made += patches.empty() ? 0 : 1;
  }
  REQUIRE(made > 0);  // on one side of the limit, not on the other
  REQUIRE(made < 41);
}

TEST_CASE("patches with too little support are dropped", "[planes]") {
  Engine engine(62);
  PointCloud cloud;
  add_rectangle(cloud.points, {{0.0, 0.0, 2.0}, {2.0, 0.0, 0.0}, {0.0, 2.0, 0.0}, 0.1, 0.002}, engine);  // 400 points
  add_rectangle(cloud.points, {{9.0, 0.0, 2.0}, {1.0, 0.0, 0.0}, {0.0, 0.9, 0.0}, 0.1, 0.002}, engine);  // 90 points
  const auto neighbors = estimate_normals(cloud, Vector3d::Zero(), {.radius = 0.25});
  const auto count = [&](int min_points) {
    const PlaneOptions options{.thickness = 0.1, .normal_dispersion = 0.2, .min_points = min_points};
    return extract_planes(cloud, neighbors, {}, Vector3d::Zero(), options).size();
  };
  REQUIRE(count(80) == 2);
  REQUIRE(count(91) == 1);
  REQUIRE(count(401) == 0);
}

TEST_CASE("excluded points are in no patch, and join none", "[planes]") {
  const auto room = make_room(0.005, 63);
  std::vector<bool> excluded(room.cloud.size());
  for (std::size_t i = 0; i < excluded.size(); ++i)  // the floor, and a band across the ceiling
    excluded[i] = room.wall_of[i] == 4 || (room.wall_of[i] == 5 && std::abs(room.cloud.points[i].x() - 4.0f) < 0.4f);
  const auto patches = extract_planes(room.cloud, room.neighbors, excluded, kRoomSensor, kOptions);
  check_patches(room.cloud, patches, kRoomSensor, kOptions);
  std::size_t ceilings = 0;
  for (const auto& patch : patches) {
    REQUIRE(std::none_of(patch.indices.begin(), patch.indices.end(), [&](Index i) { return excluded[i]; }));
    ceilings += patch.normal.z() < -0.99;
  }
  REQUIRE(patches.size() == 6);
  REQUIRE(ceilings == 2);
}

TEST_CASE("patches do not depend on the number of threads", "[planes]") {
  const auto room = make_room(0.02, 65);
  const auto extract = [&] { return extract_planes(room.cloud, room.neighbors, {}, kRoomSensor, kOptions); };
  const auto expected = tbb::task_arena(1).execute(extract);
  REQUIRE(expected.size() >= 6);
  for (const int threads : {2, 5}) check_same(tbb::task_arena(threads).execute(extract), expected);
}

TEST_CASE("a patch is made of any points", "[planes]") {
  const auto room = make_room(0.01, 66);
  std::vector<Index> floor;
  for (Index i = 0; i < room.cloud.size(); ++i)
    if (room.wall_of[i] == 4) floor.push_back(i);
  std::reverse(floor.begin(), floor.end());
  const PlanarPatch patch = fit_patch(room.cloud, floor, kRoomSensor);
  const clouds::Moments m = clouds::direct_moments(room.cloud, floor);
  REQUIRE((patch.centroid - m.mean).norm() < 1e-6);
  REQUIRE((patch.covariance - m.covariance).norm() < 1e-6);
  REQUIRE(patch.normal.dot(room.walls[4].normal) > 0.99999);
  std::reverse(floor.begin(), floor.end());
  REQUIRE((patch.indices == floor));
}

TEST_CASE("clouds without planes, and wrong options", "[planes]") {
  REQUIRE(extract_planes({}, {}, {}, kRoomSensor, kOptions).empty());
  REQUIRE_NOTHROW(kOptions.validate());
  REQUIRE_THROWS_AS((PlaneOptions{.thickness = 0.0}.validate()), std::invalid_argument);
  REQUIRE_THROWS_AS((PlaneOptions{.normal_dispersion = -0.1}.validate()), std::invalid_argument);
  REQUIRE_THROWS_AS((PlaneOptions{.min_points = 0}.validate()), std::invalid_argument);
}

}  // namespace parte
