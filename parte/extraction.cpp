#include <parte/extraction.hpp>

#include <parte/downsample.hpp>
#include <parte/stop_watch.hpp>

namespace parte {
namespace {

constexpr std::size_t kMinPoints = 10;

/// Local coordinates put (0, 0, 0) at the median of the raw points, which a spinning LiDAR has near its foot.
Eigen::Vector3d local_sensor(const PointCloud& cloud, const std::optional<Eigen::Vector3d>& sensor, Sensor kind) {
  if (sensor) return *sensor - cloud.origin;
  if (cloud.size() == 0) return Eigen::Vector3d::Zero();
  Eigen::Vector3f low = cloud.points.front(), high = low;
  for (const auto& p : cloud.points) low = low.cwiseMin(p), high = high.cwiseMax(p);
  const Eigen::Vector3d origin = -cloud.origin;
  const Eigen::Vector3d nearest = origin.cwiseMax(low.cast<double>()).cwiseMin(high.cast<double>());
  const bool outside = (origin - nearest).norm() > (high - low).cast<double>().norm();
  if (!outside) return origin;
  return kind == Sensor::lidar ? Eigen::Vector3d(0.0, 0.0, 2.0) : Eigen::Vector3d(0.5 * (low + high).cast<double>());
}

std::vector<Index> indices_where(const std::vector<bool>& flags) {
  std::vector<Index> indices;
  for (Index i = 0; i < flags.size(); ++i)
    if (flags[i]) indices.push_back(i);
  return indices;
}

/// Points that lie on no patch: the descriptor centres.
std::vector<Index> non_planar_points(const PointCloud& cloud, const std::vector<PlanarPatch>& patches) {
  std::vector<bool> free(cloud.size(), true);
  for (const auto& patch : patches)
    for (const Index i : patch.indices) free[i] = false;
  for (Index i = 0; i < cloud.size(); ++i)
    if (!cloud.has_normal(i)) free[i] = false;
  return indices_where(free);
}

/// The cloud with normals of no particular side: of n and -n, the one whose largest coordinate is positive.
PointCloud without_sides(PointCloud cloud) {
  for (Eigen::Vector3f& n : cloud.normals) {
    Eigen::Index largest = 0;
    n.cwiseAbs().maxCoeff(&largest);
    if (n[largest] < 0.0f) n = -n;
  }
  return cloud;
}

}  // namespace

void extract_into(Features& f, PointsView points, const std::optional<Eigen::Vector3d>& sensor, const Options& o) {
  StopWatch watch;
  f.cloud = voxel_downsample(points, o.voxel);
  f.timings.downsample_ms = watch.lap();
  f.status = f.cloud.size() < kMinPoints     ? Status::too_few_points
             : f.cloud.size() > o.max_points ? Status::too_many_points
                                             : Status::success;
  f.sensor = local_sensor(f.cloud, sensor, o.sensor);
  f.ground.assign(f.cloud.size(), false);
  if (f.status != Status::success) return;

  const Neighborhoods neighbors = estimate_normals(f.cloud, f.sensor, o.normals());
  f.timings.normals_ms = watch.lap();

  std::vector<PlanarPatch> patches;
  if (o.use_planes && o.use_ground && o.sensor == Sensor::lidar) f.ground = segment_ground(f.cloud, o.ground);
  f.timings.ground_ms = watch.lap();

  if (o.use_planes) {
    if (o.use_patches) patches = extract_planes(f.cloud, neighbors, f.ground, f.sensor, o.planes());
    if (auto ground = indices_where(f.ground); static_cast<int>(ground.size()) >= o.plane_min_points) {
      patches.insert(patches.begin(), fit_patch(f.cloud, std::move(ground), f.sensor));
      patches.front().ground = true;
    }
  }
  f.timings.planes_ms = watch.lap();

  f.point_indices = non_planar_points(f.cloud, patches);
  const bool has_ground = !patches.empty() && patches.front().ground;
  const std::vector<bool> no_support = has_ground && !o.ground_support ? f.ground : std::vector<bool>{};
  f.descriptors = o.orient_normals ? compute_fpfh(f.cloud, f.point_indices, o.fpfh(), no_support)
                                   : compute_fpfh(without_sides(f.cloud), f.point_indices, o.fpfh(), no_support);
  if (has_ground && o.upright_descriptors) f.upright = describe_upright(f.cloud, f.point_indices, patches.front());
  f.timings.fpfh_ms = watch.lap();

  f.planes = describe_planes(f.cloud, std::move(patches), o.plane_features());
  f.timings.pch_ms = watch.lap();
  drop_weak_normals(f.cloud, neighbors);
  f.surfaces = SurfaceModel(f.cloud, f.ground, f.sensor, 2.0 * o.verification.radius * o.voxel);
  f.timings.surfaces_ms = watch.lap();
}

}  // namespace parte
