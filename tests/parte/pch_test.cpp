#include <parte/matching.hpp>
#include <parte/pch.hpp>

#include <tests/parte/clouds.hpp>

#include <algorithm>
#include <functional>
#include <numeric>
#include <set>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

namespace {

using Eigen::Vector3d;
using parte::bounding_box;
using parte::chi2_distance;
using parte::Index;
using parte::kPchSize;
using parte::normalised;
using parte::PatchBox;
using parte::Pch;
using parte::PlanarPatch;
using parte::plane_context;
using parte::PointCloud;
using parte::clouds::add_rectangle;
using parte::clouds::Engine;
using parte::clouds::random_direction;
using parte::clouds::uniform;

struct Scene {
  PointCloud cloud;
  PlanarPatch patch;
};

/// A long rectangle with clutter on both sides of it, every point with a normal.
Scene cluttered_rectangle(unsigned seed) {
  Engine engine(seed);
  Scene scene;
  auto& [cloud, patch] = scene;
  add_rectangle(cloud.points, {{1.0, 2.0, 0.5}, {6.0, 3.0, 0.0}, {-0.6, 1.2, 1.5}, 0.12, 0.01}, engine);
  const std::size_t support = cloud.size();
  const Vector3d normal = Vector3d(6.0, 3.0, 0.0).cross(Vector3d(-0.6, 1.2, 1.5)).normalized();
  cloud.normals.assign(support, normal.cast<float>());
  patch.indices.resize(support);
  std::iota(patch.indices.begin(), patch.indices.end(), Index{0});
  const auto moments = parte::clouds::direct_moments(cloud, patch.indices);
  patch.centroid = moments.mean;
  patch.covariance = moments.covariance;
  patch.normal = normal;
  for (int k = 0; k < 5000; ++k) {
    cloud.points.push_back((patch.centroid + parte::clouds::uniform_vector(engine, 8.0)).cast<float>());
    cloud.normals.push_back(random_direction(engine).cast<float>());
  }
  return scene;
}

/// Eq. by eq.: delta = u'(p - mu), a = u'nu; 16 bins of [-r, r] by 12 bins of [-1, 1].
Pch counted(const Scene& scene, double r, const PatchBox* box = nullptr) {
  Pch histogram{};
  const auto& [cloud, patch] = scene;
  for (std::size_t i = 0; i < cloud.size(); ++i) {
    const Vector3d from_middle = cloud.at(i) - patch.centroid;
    const double delta = patch.normal.dot(from_middle), a = patch.normal.dot(cloud.normal(i));
    if (std::abs(delta) > r) continue;
    if (box != nullptr) {
      const Vector3d d = cloud.at(i) - box->center;
      if (std::abs(d.dot(box->axis_u)) > box->half_u || std::abs(d.dot(box->axis_v)) > box->half_v) continue;
    }
    const int row = std::clamp(static_cast<int>(std::floor((delta + r) / (2.0 * r) * 16.0)), 0, 15);
    const int column = std::clamp(static_cast<int>(std::floor((a + 1.0) / 2.0 * 12.0)), 0, 11);
    histogram[12 * row + column] += 1.0;
  }
  return histogram;
}

double total(const Pch& h) { return std::accumulate(h.begin(), h.end(), 0.0); }

double l1_distance(const Pch& h, const Pch& g) {
  return std::transform_reduce(h.begin(), h.end(), g.begin(), 0.0, std::plus<>{},
                               [](double a, double b) { return std::abs(a - b); });
}

Pch random_histogram(Engine& engine, double empty_fraction) {
  Pch h{};
  for (auto& x : h) x = uniform(engine, 0.0, 1.0) < empty_fraction ? 0.0 : uniform(engine, 0.0, 10.0);
  return h;
}

/// A rectangle of 200 points parallel to the xy plane, seen from above or from below.
PlanarPatch add_patch(PointCloud& cloud, const Vector3d& corner, bool from_above, Engine& engine) {
  std::vector<Index> indices(200);
  std::iota(indices.begin(), indices.end(), static_cast<Index>(cloud.size()));
  add_rectangle(cloud.points, {corner, {2.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, 0.1, 0.005}, engine);
  cloud.normals.resize(cloud.size(), (from_above ? 1.0f : -1.0f) * Eigen::Vector3f::UnitZ());
  return parte::fit_patch(cloud, indices, corner + (from_above ? 5.0 : -5.0) * Vector3d::UnitZ());
}

}  // namespace

TEST_CASE("contexts count the points of their bins", "[pch][oracle]") {
  const Scene scene = cluttered_rectangle(GENERATE(90u, 91u, 92u));
  const double half_range = GENERATE(0.5, 2.0, 20.0);
  const Pch context = plane_context(scene.cloud, scene.patch, half_range, {});
  const Pch expected = counted(scene, half_range);
  REQUIRE(total(expected) > 500.0);
  REQUIRE(std::abs(total(context) - total(expected)) <= 1.0);
  REQUIRE(l1_distance(context, expected) <= 4.0);  // two points on borders
}

TEST_CASE("box contexts count the points above and below the box", "[pch][oracle]") {
  const Scene scene = cluttered_rectangle(GENERATE(93u, 94u));
  const PatchBox box = bounding_box(scene.cloud, scene.patch);
  const Pch context = plane_context(scene.cloud, scene.patch, 3.0, {}, &box);
  REQUIRE(l1_distance(context, counted(scene, 3.0, &box)) <= 4.0);
  REQUIRE(total(context) < 0.8 * total(plane_context(scene.cloud, scene.patch, 3.0, {})));
  REQUIRE(total(context) > static_cast<double>(scene.patch.indices.size()));
}

TEST_CASE("a patch's box lies in its plane and fits it closely", "[pch]") {
  const Scene scene = cluttered_rectangle(95);
  const PatchBox box = bounding_box(scene.cloud, scene.patch);
  const Vector3d n = scene.patch.normal;
  REQUIRE(std::abs(box.axis_u.norm() - 1.0) < 1e-6);
  REQUIRE(std::abs(box.axis_v.norm() - 1.0) < 1e-6);
  REQUIRE(std::abs(box.axis_u.dot(box.axis_v)) < 1e-6);
  REQUIRE(std::abs(box.axis_u.dot(n)) < 1e-6);
  REQUIRE(std::abs(box.axis_v.dot(n)) < 1e-6);
  const double area = 6.708 * 2.012;
  REQUIRE(4.0 * box.half_u * box.half_v > 0.9 * area);
  REQUIRE(4.0 * box.half_u * box.half_v < 1.15 * area);
  PatchBox grown = box;  // by what rounding may take from the outermost points
  grown.half_u += 1e-9, grown.half_v += 1e-9;
  std::size_t outside = 0;
  for (const Index i : scene.patch.indices) outside += !grown.contains_projection(scene.cloud.at(i));
  REQUIRE(outside == 0);
  for (const double height : {-9.0, 0.0, 4.0}) {
    const Vector3d above = box.center + height * n;
    REQUIRE(box.contains_projection(above + 0.99 * box.half_u * box.axis_u - 0.99 * box.half_v * box.axis_v));
    REQUIRE(!box.contains_projection(above + 1.01 * box.half_u * box.axis_u));
    REQUIRE(!box.contains_projection(above - 1.01 * box.half_v * box.axis_v));
  }
}

TEST_CASE("contexts do not change under motion", "[pch]") {
  const Scene scene = cluttered_rectangle(96);
  Engine engine(GENERATE(range(0u, 6u)));
  const Eigen::Isometry3d T = parte::clouds::random_motion(engine, 10.0);
  Scene other{parte::clouds::moved(scene.cloud, T), scene.patch};
  other.patch.centroid = T * scene.patch.centroid;
  other.patch.normal = T.linear() * scene.patch.normal;
  other.patch.covariance = T.linear() * scene.patch.covariance * T.linear().transpose();
  REQUIRE(l1_distance(plane_context(scene.cloud, scene.patch, 4.0, {}),
                      plane_context(other.cloud, other.patch, 4.0, {})) <= 4.0);
  const PatchBox box = bounding_box(scene.cloud, scene.patch), other_box = bounding_box(other.cloud, other.patch);
  const Pch context = plane_context(scene.cloud, scene.patch, 4.0, {}, &box);
  REQUIRE(l1_distance(context, plane_context(other.cloud, other.patch, 4.0, {}, &other_box)) < 0.01 * total(context));
}

TEST_CASE("normalised histograms sum to one", "[pch]") {
  Engine engine(97);
  const Pch h = random_histogram(engine, 0.5), unit = normalised(h);
  REQUIRE(std::abs(total(unit) - 1.0) < 1e-12);
  for (int k = 0; k < kPchSize; ++k) REQUIRE(std::abs(unit[k] * total(h) - h[k]) < 1e-12);
  REQUIRE(normalised(Pch{}) == Pch{});
}

TEST_CASE("chi2 distances follow the formula", "[pch][oracle]") {
  Engine engine(GENERATE(range(0u, 20u)));
  const Pch h = random_histogram(engine, 0.6), g = random_histogram(engine, 0.6);
  long double expected = 0.0L;
  for (int k = 0; k < kPchSize; ++k)
    if (h[k] + g[k] > 0.0) expected += static_cast<long double>(h[k] - g[k]) * (h[k] - g[k]) / (h[k] + g[k]);
  REQUIRE(std::abs(chi2_distance(h, g) - static_cast<double>(expected)) < 1e-9);
  REQUIRE(chi2_distance(h, g) == chi2_distance(g, h));
  REQUIRE(chi2_distance(h, h) == 0.0);
  Pch even = normalised(h), odd = normalised(g);
  for (int k = 0; k < kPchSize; ++k) (k % 2 == 0 ? odd : even)[k] = 0.0;
  REQUIRE(std::abs(chi2_distance(normalised(even), normalised(odd)) - 2.0) < 1e-12);
  REQUIRE(chi2_distance(Pch{}, Pch{}) == 0.0);
}

TEST_CASE("patches are described at both levels, and grouped by plane", "[pch]") {
  Engine engine(98);
  PointCloud cloud;
  std::vector<PlanarPatch> patches;
  patches.push_back(add_patch(cloud, {0.0, 0.0, 0.0}, true, engine));
  patches.push_back(add_patch(cloud, {0.0, 0.0, 1.0}, true, engine));    // parallel, a metre above
  patches.push_back(add_patch(cloud, {6.0, 1.0, 0.05}, true, engine));   // on the first one's plane
  patches.push_back(add_patch(cloud, {12.0, 0.0, 0.0}, false, engine));  // there too, but seen from the other side
  patches.push_back(add_patch(cloud, {0.0, 9.0, -0.05}, true, engine));  // on the first one's plane
  const parte::PlaneFeatureOptions options{.half_range = 3.0, .coplanar_angle_deg = 5.0, .coplanar_distance = 0.3};
  const auto planes = parte::describe_planes(cloud, patches, options);
  REQUIRE(planes.patches.size() == 5);
  REQUIRE(planes.context.size() == 5);
  REQUIRE(planes.box_context.size() == 5);
  for (std::size_t k = 0; k < 5; ++k) {
    REQUIRE(planes.patches[k].indices == patches[k].indices);
    const PatchBox box = bounding_box(cloud, patches[k]);
    REQUIRE(planes.context[k] == plane_context(cloud, patches[k], 3.0, {}));
    REQUIRE(planes.box_context[k] == plane_context(cloud, patches[k], 3.0, {}, &box));
    REQUIRE(total(planes.box_context[k]) < total(planes.context[k]));
  }
  std::set<std::set<Index>> groups;
  for (const auto& group : planes.groups) groups.emplace(group.begin(), group.end());
  REQUIRE(groups == std::set<std::set<Index>>{{0, 2, 4}, {1}, {3}});
}

TEST_CASE("the ground is a plane of its own, and no context of others", "[pch]") {
  Engine engine(99);
  PointCloud cloud;
  std::vector<PlanarPatch> patches;
  patches.push_back(add_patch(cloud, {0.0, 0.0, 0.0}, true, engine));
  patches.push_back(add_patch(cloud, {6.0, 0.0, 0.05}, true, engine));  // on the ground's plane, and so is the next one
  patches.push_back(add_patch(cloud, {0.0, 9.0, -0.05}, true, engine));
  patches.front().ground = true;
  std::vector<bool> on_ground(cloud.size(), false);
  for (const Index i : patches.front().indices) on_ground[i] = true;
  const auto planes = parte::describe_planes(cloud, patches, {.half_range = 3.0, .coplanar_distance = 0.3});
  REQUIRE(planes.groups == std::vector<std::vector<Index>>{{0}, {1, 2}});
  REQUIRE(planes.context[0] == plane_context(cloud, patches[0], 3.0, {}));
  REQUIRE(total(planes.context[0]) == 600.0);
  for (const std::size_t k : {1, 2}) {
    const PatchBox box = bounding_box(cloud, patches[k]);
    REQUIRE(planes.context[k] == plane_context(cloud, patches[k], 3.0, on_ground));
    REQUIRE(total(planes.context[k]) == 400.0);
    REQUIRE(planes.box_context[k] == plane_context(cloud, patches[k], 3.0, on_ground, &box));
  }
}
