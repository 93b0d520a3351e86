#include <slam/odometry.hpp>
#include <slam/state_bytes.hpp>

#include <parte/downsample.hpp>

#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace parte::slam {
namespace {

constexpr double kGoodFit = 0.8;        // of the usual fit; a worse one is doubted
constexpr int kPatience = 3;            // scans in doubt that the map does without
constexpr std::size_t kMinPoints = 30;  // after thinning; fewer say nothing of a motion

void require(bool condition, const char* message) {
  if (!condition) throw std::invalid_argument(message);
}

/// In the sensor's frame.
std::vector<Eigen::Vector3d> coordinates(const PointCloud& cloud) {
  std::vector<Eigen::Vector3d> points(cloud.size());
  for (std::size_t i = 0; i < points.size(); ++i) points[i] = cloud.origin + cloud.at(i);
  return points;
}

/// The first point of every cube.
std::vector<Eigen::Vector3d> thinned(std::span<const Eigen::Vector3d> points, double voxel) {
  VoxelMap map(voxel, 1);
  map.add(points);
  return map.points();
}

std::vector<Eigen::Vector3d> moved(std::vector<Eigen::Vector3d> points, const Eigen::Isometry3d& T) {
  for (Eigen::Vector3d& p : points) p = T * p;
  return points;
}

/// Root mean square of how far the points are from the sensor.
double mean_range(std::span<const Eigen::Vector3d> points) {
  double sum = 0.0;
  for (const Eigen::Vector3d& p : points) sum += p.squaredNorm();
  return std::sqrt(sum / static_cast<double>(points.size()));
}

/// Root mean square of how far the points go.
double mean_displacement(std::span<const Eigen::Vector3d> points, const Eigen::Isometry3d& T) {
  double sum = 0.0;
  for (const Eigen::Vector3d& p : points) sum += (T * p - p).squaredNorm();
  return std::sqrt(sum / static_cast<double>(points.size()));
}

/// Where the sensor of the middle of the turn would have seen the point.
Eigen::Vector3d deskewed(const Eigen::Vector3d& point, const Vector6d& velocity) {
  const double turn = std::atan2(point.y(), point.x()) / (2.0 * std::numbers::pi);  // -0.5 to 0.5, 0 is ahead
  return motion(turn * velocity) * point;
}

}  // namespace

void OdometryOptions::validate() const {
  require(voxel > 0.0 && std::isfinite(voxel), "OdometryOptions::voxel must be a positive length");
  require(min_range_m >= 0.0, "OdometryOptions::min_range_m must not be negative");
  require(max_range_m > min_range_m && std::isfinite(max_range_m),
          "OdometryOptions::max_range_m must be greater than min_range_m");
  require(max_range_m < 1e5 * voxel, "OdometryOptions::max_range_m must be less than 100,000 voxels");
  require(min_motion_m > 0.0 && std::isfinite(min_motion_m), "OdometryOptions::min_motion_m must be positive");
  require(first_motion_m >= min_motion_m && std::isfinite(first_motion_m),
          "OdometryOptions::first_motion_m must be at least min_motion_m");
  require(max_iterations >= 1, "OdometryOptions::max_iterations must be at least 1");
  require(threads >= 0, "OdometryOptions::threads must not be negative");
}

Odometry::Odometry(OdometryOptions options)
    : options_((options.validate(), options)),
      map_(options.voxel),
      mean_squared_error_(options.first_motion_m * options.first_motion_m) {}

std::vector<Eigen::Vector3f> Odometry::usable_points(PointsView points) const {
  const double least = options_.min_range_m * options_.min_range_m, most = options_.max_range_m * options_.max_range_m;
  const Vector6d velocity = tangent(T_last_this_);
  std::vector<Eigen::Vector3f> usable;
  usable.reserve(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Eigen::Vector3d p = points[i];
    const double squared = p.squaredNorm();
    if (!(squared >= least && squared <= most)) continue;  // also what is not a number
    usable.push_back((options_.deskew ? deskewed(p, velocity) : p).cast<float>());
  }
  return usable;
}

void Odometry::learn(double error_m) {
  constexpr double kRate = 0.05;  // about the last 20 scans count: sudden motions are forgotten again
  const double rate = std::max(1.0 / ++lessons_, kRate);
  mean_squared_error_ += rate * (error_m * error_m - mean_squared_error_);
}

IcpOptions Odometry::icp_options(double expected_m, double range_m) const {
  IcpOptions icp;
  // The map's own points are half a voxel apart; a search beyond a few voxels is slow and finds little.
  icp.max_distance_m = std::min(3.0 * expected_m + 0.5 * options_.voxel, 5.0 * options_.voxel);
  icp.kernel_m = expected_m;
  icp.last_kernel_m = 0.1 * options_.voxel;
  icp.surface_radius_m = options_.voxel;
  icp.prior_m = expected_m;
  icp.prior_rad = expected_m / range_m;
  icp.max_iterations = options_.max_iterations;
  return icp;
}

IcpResult Odometry::align(std::span<const Eigen::Vector3d> scan, const Eigen::Isometry3d& T_predicted) {
  const double range_m = mean_range(scan), expected_m = std::max(std::sqrt(mean_squared_error_), options_.min_motion_m);
  IcpResult best = align_to_map(scan, map_, T_predicted, icp_options(expected_m, range_m));
  if (!best.converged || best.fit < kGoodFit * mean_fit_) {
    const double wide_m = std::max(options_.first_motion_m, expected_m);
    for (const Eigen::Isometry3d& T_guess : {T_predicted, T_world_last_}) {
      const IcpResult other = align_to_map(scan, map_, T_guess, icp_options(wide_m, range_m));
      if (other.fit > best.fit) best = other;
    }
  }
  if (!(mean_displacement(scan, T_predicted.inverse() * best.T_map_scan) < options_.max_range_m)) return {T_predicted};
  if (best.converged) {
    learn(mean_displacement(scan, T_predicted.inverse() * best.T_map_scan));
    mean_fit_ += 0.1 * (best.fit - mean_fit_);
  }
  return best;
}

Odometry::Step Odometry::step(PointsView points) {
  const std::vector<Eigen::Vector3d> scan = coordinates(voxel_downsample(usable_points(points), 0.5 * options_.voxel));
  const std::vector<Eigen::Vector3d> sparse = thinned(scan, 1.5 * options_.voxel);
  const bool first = map_.empty(), enough = sparse.size() >= kMinPoints;
  Step step{T_world_last_ * T_last_this_, T_last_this_};
  if (enough && first) {
    step.converged = true;
  } else if (enough) {
    const IcpResult icp = align(sparse, step.T_world_lidar);
    step = {icp.T_map_scan, T_world_last_.inverse() * icp.T_map_scan, icp.information, icp.iterations, icp.rms_m,
            icp.converged};
  }
  // A scan in doubt would spoil the map; but where doubt goes on, the next scans have to match something.
  failures_ = step.converged ? 0 : failures_ + 1;
  if (enough && (step.converged || failures_ > kPatience)) map_.add(moved(scan, step.T_world_lidar));
  map_.remove_beyond(step.T_world_lidar.translation(), options_.max_range_m);
  T_world_last_ = step.T_world_lidar;
  T_last_this_ = step.T_last_this;
  return step;
}

Odometry::Step Odometry::add(PointsView points) {
  tbb::task_arena arena(options_.threads > 0 ? options_.threads : tbb::task_arena::automatic);
  return arena.execute([&] { return tbb::this_task_arena::isolate([&] { return step(points); }); });
}

std::string Odometry::state() const {
  std::string bytes;
  for (const Eigen::Isometry3d* pose : {&T_world_last_, &T_last_this_})
    for (int k = 0; k < 16; ++k) put(bytes, pose->matrix().data()[k]);
  put(bytes, mean_squared_error_);
  put(bytes, lessons_);
  put(bytes, mean_fit_);
  put(bytes, failures_);
  map_.save(bytes);
  return bytes;
}

void Odometry::restore(std::string_view state) {
  for (Eigen::Isometry3d* pose : {&T_world_last_, &T_last_this_})
    for (int k = 0; k < 16; ++k) pose->matrix().data()[k] = take<double>(state);
  mean_squared_error_ = take<double>(state);
  lessons_ = take<int>(state);
  mean_fit_ = take<double>(state);
  failures_ = take<int>(state);
  map_.restore(state);
  if (!state.empty()) throw std::invalid_argument("a saved state of the odometry is too long");
}

}  // namespace parte::slam
