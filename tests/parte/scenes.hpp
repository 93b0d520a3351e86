#pragma once

// Scan pairs of synthetic worlds with known motion, and small clouds that make trouble.

#include <parte/registration.hpp>

#include <datasets/world/presets.hpp>
#include <datasets/world/sensors.hpp>
#include <tests/parte/graphs.hpp>

#include <numbers>

namespace parte::testing {

using Points = std::vector<Eigen::Vector3f>;

struct ScanPair {
  Points source, target;
  Eigen::Isometry3d T_target_source;
};

/// Two LiDAR scans of one street, `distance` [m] and `yaw` [rad] apart.
inline ScanPair street_pair(std::uint64_t seed, double distance, double yaw) {
  const datasets::World street = datasets::make_street(seed);
  const datasets::RayTracer tracer(street.mesh);
  const double start = 40.0 + 10.0 * static_cast<double>(seed % 10);
  const Eigen::Isometry3d T_world_source = datasets::street_pose(street, start, 0.0, 0.0);
  const Eigen::Isometry3d T_world_target = datasets::street_pose(street, start + distance, 0.5, yaw);
  datasets::LidarOptions options;
  options.azimuth_steps = 900;
  options.seed = 2 * seed;
  const Points source = datasets::scan_lidar(tracer, T_world_source, options);
  options.seed = 2 * seed + 1;
  return {source, datasets::scan_lidar(tracer, T_world_target, options), T_world_target.inverse() * T_world_source};
}

/// Two views of one furnished room, from places that differ by up to `distance` [m] along each axis.
inline ScanPair room_pair(std::uint64_t seed, double distance) {
  const datasets::RayTracer tracer(datasets::make_room(seed));
  Draw draw(seed);
  const auto view = [&] {
    const Eigen::Vector3d step = draw.in_cube(0.5 * distance), turn = draw.in_cube(0.4);
    const Eigen::Vector3d eye(2.2 + step.x(), 1.8 + step.y(), 1.6 + 0.3 * step.z());
    return datasets::look_at(eye, Eigen::Vector3d(5.0, 4.0, 0.8) + turn);
  };
  const Eigen::Isometry3d T_world_source = view(), T_world_target = view();
  datasets::DepthOptions options;
  options.width = 240, options.height = 180;
  options.seed = 2 * seed;
  const Points source = datasets::scan_depth(tracer, T_world_source, options);
  options.seed = 2 * seed + 1;
  return {source, datasets::scan_depth(tracer, T_world_target, options), T_world_target.inverse() * T_world_source};
}

inline double angle_deg(const Eigen::Isometry3d& a, const Eigen::Isometry3d& b) {
  const Eigen::Quaterniond between(a.linear().transpose() * b.linear());
  return 2.0 * std::atan2(between.vec().norm(), std::abs(between.w())) * 180.0 / std::numbers::pi;
}

/// RMS distance [m] between where two transforms put a cloud.
template <class Cloud>
double displacement_m(const Eigen::Isometry3d& a, const Eigen::Isometry3d& b, const Cloud& cloud) {
  double sum = 0.0, count = 0.0;
  for (std::size_t i = 0; i < cloud.size(); i += 50, ++count) {
    const Eigen::Vector3d p = cloud[i].template cast<double>();
    sum += (a * p - b * p).squaredNorm();
  }
  return std::sqrt(sum / count);
}

/// The cloud after a motion, in double precision for places far away.
inline std::vector<Eigen::Vector3d> moved(const Points& points, const Eigen::Isometry3d& T) {
  std::vector<Eigen::Vector3d> result;
  for (const Eigen::Vector3f& p : points) result.push_back(T * p.cast<double>());
  return result;
}

inline Eigen::Isometry3d shift(const Eigen::Vector3d& by) { return Eigen::Isometry3d(Eigen::Translation3d(by)); }

/// Between local coordinates, given the transform between the callers'.
inline Eigen::Isometry3d local(const Eigen::Isometry3d& T_target_source, const Features& source,
                               const Features& target) {
  return shift(-target.cloud.origin) * T_target_source * shift(source.cloud.origin);
}

/// The same bits everywhere in what a registration returns, timings aside.
inline bool identical(const Result& a, const Result& b) {
  const auto same_pair = [](const Correspondence& x, const Correspondence& y) {
    return x.source == y.source && x.target == y.target;
  };
  const auto same_planes = [](const PlaneMatch& x, const PlaneMatch& y) {
    return x.source == y.source && x.target == y.target && x.confidence == y.confidence;
  };
  return a.status == b.status && a.T_target_source.matrix() == b.T_target_source.matrix() &&
         a.T_clique.matrix() == b.T_clique.matrix() && a.information == b.information && a.partial == b.partial &&
         a.surface_evidence.information == b.surface_evidence.information &&
         a.surface_evidence.open == b.surface_evidence.open && a.surface_information == b.surface_information &&
         a.surface_rms_m == b.surface_rms_m && a.free_directions == b.free_directions &&
         std::ranges::equal(a.clique_points, b.clique_points, same_pair) && a.clique_matches == b.clique_matches &&
         std::ranges::equal(a.clique_planes, b.clique_planes, same_planes) && a.clique_weight == b.clique_weight &&
         a.proven_optimal == b.proven_optimal && a.hypotheses == b.hypotheses && a.level == b.level &&
         a.levels == b.levels && a.confidence == b.confidence && a.point_candidates == b.point_candidates &&
         a.plane_candidates == b.plane_candidates && a.point_rms_m == b.point_rms_m &&
         a.overlap.supported == b.overlap.supported && a.overlap.conflicting == b.overlap.conflicting &&
         a.overlap.unseen == b.overlap.unseen;
}
inline bool identical(const Description& a, const Description& b) {
  const auto same_patch = [](const PlanarPatch& x, const PlanarPatch& y) {
    return x.indices == y.indices && x.centroid == y.centroid && x.normal == y.normal && x.covariance == y.covariance;
  };
  return std::ranges::equal(a.planes.patches, b.planes.patches, same_patch) && a.planes.context == b.planes.context &&
         a.planes.box_context == b.planes.box_context && a.planes.groups == b.planes.groups &&
         a.point_indices == b.point_indices && a.descriptors == b.descriptors && a.upright == b.upright;
}
/// At all scales.
inline bool identical(const Features& a, const Features& b) {
  if ((a.coarse == nullptr) != (b.coarse == nullptr) || (a.coarse && !identical(*a.coarse, *b.coarse))) return false;
  return a.status == b.status && a.cloud.origin == b.cloud.origin && a.cloud.points == b.cloud.points &&
         a.cloud.normals == b.cloud.normals && a.cloud.on_line == b.cloud.on_line &&
         a.cloud.heights == b.cloud.heights && a.cloud.roughness == b.cloud.roughness &&
         a.surfaces.surfels.points == b.surfaces.surfels.points &&
         a.surfaces.surfels.normals == b.surfaces.surfels.normals && a.cloud.dropped == b.cloud.dropped &&
         a.sensor == b.sensor && a.ground == b.ground && identical(a.description(), b.description()) &&
         a.surfaces.samples == b.surfaces.samples && a.surfaces.free_range == b.surfaces.free_range;
}

/// Correspondences of which some obey the motion, each off by less than `noise` [m]; the others are anywhere.
inline std::vector<Correspondence> correspondences(Draw& draw, const ScanPair& pair, std::size_t count,
                                                   double outlier_ratio, double noise) {
  std::vector<Correspondence> result;
  const auto any = [&](const Points& cloud) -> Eigen::Vector3d {
    return cloud[static_cast<std::size_t>(draw.integer(0, static_cast<int>(cloud.size()) - 1))].cast<double>();
  };
  const auto inliers = static_cast<std::size_t>(std::lround((1.0 - outlier_ratio) * static_cast<double>(count)));
  for (std::size_t i = 0; i < count; ++i) {
    const Eigen::Vector3d p = any(pair.source);
    result.push_back({p, i < inliers ? pair.T_target_source * p + draw.in_ball(noise) : any(pair.target)});
  }
  draw.shuffle(result);
  return result;
}

}  // namespace parte::testing
