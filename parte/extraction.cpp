#include <parte/extraction.hpp>

#include <parte/downsample.hpp>
#include <parte/stop_watch.hpp>

#include <tbb/collaborative_call_once.h>

#include <atomic>

namespace parte {
namespace {

constexpr std::size_t kMinPoints = 10;  // less is no cloud

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

/// A cloud with all of its normals, those included that are too weak for verification.
struct Normals {
  PointCloud cloud;
  Neighborhoods neighbors;
};

/// What is matched: patches, then the descriptors of what is on none of them.
Description describe(const Normals& scan, const std::vector<bool>& on_ground, const Eigen::Vector3d& sensor,
                     const Options& o) {
  StopWatch watch;
  Description d;
  std::vector<PlanarPatch> patches;
  if (o.use_planes) {
    if (o.use_patches) patches = extract_planes(scan.cloud, scan.neighbors, on_ground, sensor, o.planes());
    if (auto ground = indices_where(on_ground); static_cast<int>(ground.size()) >= o.plane_min_points) {
      patches.insert(patches.begin(), fit_patch(scan.cloud, std::move(ground), sensor));
      patches.front().ground = true;
    }
  }
  d.timings.planes_ms = watch.lap();

  d.point_indices = non_planar_points(scan.cloud, patches);
  const bool has_ground = !patches.empty() && patches.front().ground;
  const std::vector<bool> no_support = has_ground && !o.ground_support ? on_ground : std::vector<bool>{};
  d.descriptors = o.orient_normals ? compute_fpfh(scan.cloud, d.point_indices, o.fpfh(), no_support)
                                   : compute_fpfh(without_sides(scan.cloud), d.point_indices, o.fpfh(), no_support);
  if (has_ground && o.upright_descriptors) d.upright = describe_upright(scan.cloud, d.point_indices, patches.front());
  d.timings.fpfh_ms = watch.lap();

  d.planes = describe_planes(scan.cloud, std::move(patches), o.plane_features());
  d.timings.pch_ms = watch.lap();
  return d;
}

/// Zero if it is too small for a plane.
Eigen::Vector3d mean_ground_normal(const PointCloud& cloud, const std::vector<bool>& on_ground, const Options& o) {
  Eigen::Vector3d sum = Eigen::Vector3d::Zero();
  int count = 0;
  for (Index i = 0; i < cloud.size(); ++i)
    if (on_ground[i]) ++count, sum += cloud.normals[i].z() < 0.0f ? Eigen::Vector3d(-cloud.normal(i)) : cloud.normal(i);
  return count < o.plane_min_points ? Eigen::Vector3d::Zero() : sum.normalized();
}

/// From a cloud without normals: these and the ground, and what is left to do for a description.
void find_geometry(Features& f, Normals& scan, const Options& o) {
  StopWatch watch;
  scan.neighbors = estimate_normals(scan.cloud, f.sensor, o.normals());
  f.timings.normals_ms += watch.lap();
  f.ground.assign(scan.cloud.size(), false);
  if (o.use_planes && o.use_ground && o.sensor == Sensor::lidar) f.ground = segment_ground(scan.cloud, o.ground);
  f.up = mean_ground_normal(scan.cloud, f.ground, o);
  f.timings.ground_ms += watch.lap();
}

}  // namespace

/// A description that is made when it is first asked for, by whichever thread.
struct LateDescription {
  explicit LateDescription(Options options) : options(std::move(options)) {}
  Options options;
  tbb::collaborative_once_flag once;
  std::atomic<bool> made = false;
  Description description;
};

namespace {

std::shared_ptr<LateDescription> made_already(Description description) {
  auto late = std::make_shared<LateDescription>(Options());
  tbb::collaborative_call_once(late->once, [&] { late->description = std::move(description); });
  late->made = true;
  return late;
}

/// Describes the coarsest scale.
void describe_now(Features& f, const Normals& scan, const Options& o) {
  f.late = made_already(describe(scan, f.ground, f.sensor, o));
  f.timings += f.late->description.timings;
}

/// The surfaces that judge alignments; weak normals leave the cloud.
void find_surfaces(Features& f, const Normals& scan, const Options& o) {
  StopWatch watch;
  drop_weak_normals(f.cloud, scan.neighbors);
  f.surfaces = SurfaceModel(f.cloud, f.ground, f.sensor, 2.0 * o.verification.radius * o.voxel);
  f.timings.surfaces_ms = watch.lap();
}

/// The same scan on larger voxels, down to the coarsest; nothing where no cloud is left.
std::shared_ptr<const Features> coarse_features(const Features& fine, int levels, const Options& fine_options) {
  if (levels == 0) return nullptr;
  const Options o = fine_options.at_level(1);
  StopWatch watch;
  auto f = std::make_shared<Features>();
  Normals scan{coarsened(fine.cloud, o.voxel), {}};
  f->timings.downsample_ms = watch.lap();
  if (scan.cloud.size() < kMinPoints) return nullptr;
  f->status = Status::success;
  f->sensor = fine.sensor;
  find_geometry(*f, scan, o);
  f->cloud = scan.cloud;
  f->coarse = coarse_features(*f, levels - 1, o);
  if (f->coarse)
    f->late = std::make_shared<LateDescription>(o);
  else
    describe_now(*f, scan, o);
  find_surfaces(*f, scan, o);
  return f;
}

}  // namespace

const Description& Features::description() const {
  static const Description kNone;
  if (!late) return kNone;  // of a cloud that cannot be used
  tbb::collaborative_call_once(late->once, [&] {
    StopWatch watch;
    Normals scan{cloud, {}};
    scan.neighbors = estimate_normals(scan.cloud, sensor, late->options.normals());
    const double normals_ms = watch.lap();
    late->description = describe(scan, ground, sensor, late->options);
    late->description.timings.normals_ms = normals_ms;
  });
  late->made = true;
  return late->description;
}

void Features::replace_description(Description description) {
  coarse = nullptr;
  late = made_already(std::move(description));
}

const Description* Features::description_if_made() const { return late && late->made ? &late->description : nullptr; }

const Features& Features::at_level(int level) const {
  return level > 0 && coarse ? coarse->at_level(level - 1) : *this;
}

const Features& Features::coarsest() const { return coarse ? coarse->coarsest() : *this; }

ExtractTimings& ExtractTimings::operator+=(const ExtractTimings& other) {
  for (double ExtractTimings::*ms :
       {&ExtractTimings::downsample_ms, &ExtractTimings::normals_ms, &ExtractTimings::ground_ms,
        &ExtractTimings::planes_ms, &ExtractTimings::fpfh_ms, &ExtractTimings::pch_ms, &ExtractTimings::surfaces_ms})
    this->*ms += other.*ms;
  return *this;
}

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

  Normals scan{std::move(f.cloud), {}};
  find_geometry(f, scan, o);
  f.cloud = scan.cloud;
  f.coarse = coarse_features(f, o.coarse_levels, o);
  if (f.coarse)
    f.late = std::make_shared<LateDescription>(o);
  else
    describe_now(f, scan, o);
  for (const Features* c = f.coarse.get(); c != nullptr; c = c->coarse.get()) f.timings += c->timings;
  find_surfaces(f, scan, o);
}

}  // namespace parte
