#include <slam/odometry.hpp>
#include <slam/state_bytes.hpp>

#include <parte/decompositions.hpp>
#include <parte/downsample.hpp>

#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace parte::slam {
namespace {

constexpr double kGoodFit = 0.8;        // of the usual fit; a worse one is doubted
constexpr double kLostFit = 0.5;        // of the usual fit; with a worse one the scan is lost
constexpr double kBetterFit = 1.05;     // what another guess must gain
constexpr double kSamePlace = 0.1;      // [voxels] two alignments that differ by less are one
constexpr double kSpacing = 1.5;        // of the points that are aligned [voxels]
constexpr double kAnchorVoxel = 0.3;    // of the map's: what the registration needs to see edges
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

/// Of the same deviation in all directions.
Matrix6d covariance_of(double deviation_rad, double deviation_m) {
  Vector6d variances;
  variances << Eigen::Vector3d::Constant(deviation_rad * deviation_rad),
      Eigen::Vector3d::Constant(deviation_m * deviation_m);
  return variances.asDiagonal();
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

void deskew(std::vector<Eigen::Vector3f>& points, const Eigen::Isometry3d& motion_before) {
  const Vector6d velocity = tangent(motion_before);
  for (Eigen::Vector3f& p : points) p = deskewed(p.cast<double>(), velocity).cast<float>();
}

Odometry::Odometry(OdometryOptions options)
    : options_((options.validate(), options)),
      map_(options.voxel),
      anchor_(kAnchorVoxel * options.voxel, options.threads),
      mean_squared_error_(options.first_motion_m * options.first_motion_m),
      mean_squared_shift_(mean_squared_error_) {}

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

void Odometry::learn(const IcpResult& icp, double error_m, double shift_m) {
  constexpr double kRate = 0.05, kFitRate = 0.1;  // about the last 20 scans count: sudden motions are forgotten again
  const double rate = std::max(1.0 / ++lessons_, kRate);
  mean_squared_error_ += rate * (error_m * error_m - mean_squared_error_);
  mean_squared_shift_ += rate * (shift_m * shift_m - mean_squared_shift_);
  mean_fit_ += std::max(rate, kFitRate) * (icp.fit - mean_fit_);
}

IcpOptions Odometry::icp_options(double expected_m, double range_m, double prior_m) const {
  IcpOptions icp;
  // The map's own points are half a voxel apart; a search beyond a few voxels is slow and finds little.
  icp.max_distance_m = std::min(3.0 * expected_m + 0.5 * options_.voxel, 5.0 * options_.voxel);
  icp.kernel_m = expected_m;
  icp.last_kernel_m = 0.1 * options_.voxel;
  icp.surface_radius_m = options_.voxel;
  icp.prior_m = prior_m;
  icp.prior_rad = expected_m / range_m;
  // Planes are wider than the scan's points are apart: so many points share a plane, and its error.
  icp.shared = std::pow(2.0 * icp.surface_radius_m / (kSpacing * options_.voxel), 2);
  icp.max_iterations = options_.max_iterations;
  return icp;
}

std::vector<Odometry::Guess> Odometry::other_guesses(const Guess& predicted) {
  const double wide_m = std::max(options_.first_motion_m, predicted.prior_m);
  std::vector<Guess> guesses{predicted};
  if (const auto T_located = anchor_.locate()) {
    guesses.push_back(predicted);  // along a bare wall the registration may slip, but it does not turn
    guesses.back().T_world_lidar.linear() = T_located->linear();
    guesses.push_back({*T_located, wide_m});
  }
  guesses.push_back({T_world_last_, wide_m});
  return guesses;
}

/// Whether a search in wider surroundings comes to rest at the same place.
bool Odometry::confirmed(std::span<const Eigen::Vector3d> scan, const Guess& predicted, double expected_m,
                         const IcpResult& found) const {
  const double wide_m = 2.0 * std::max(options_.first_motion_m, expected_m);
  const IcpResult other =
      align_to_map(scan, map_, predicted.T_world_lidar, icp_options(wide_m, mean_range(scan), predicted.prior_m));
  return mean_displacement(scan, found.T_map_scan.inverse() * other.T_map_scan) < kSamePlace * options_.voxel;
}

/// The best of several starts; the first ones are the more likely, so later ones have to be clearly better.
IcpResult Odometry::align_widely(std::span<const Eigen::Vector3d> scan, const Guess& predicted, double expected_m,
                                 IcpResult best) {
  const double wide_m = std::max(options_.first_motion_m, expected_m), range_m = mean_range(scan);
  for (const Guess& guess : other_guesses(predicted)) {
    const IcpOptions icp = icp_options(wide_m, range_m, guess.prior_m);
    const IcpResult other = align_to_map(scan, map_, guess.T_world_lidar, icp);
    const bool came_to_rest = other.converged && !best.converged;
    if (other.fit > (came_to_rest ? 1.0 / kBetterFit : kBetterFit) * best.fit) best = other;
  }
  return best;
}

IcpResult Odometry::align(std::span<const Eigen::Vector3d> scan, const Eigen::Isometry3d& T_predicted) {
  const auto correction_m = [&](const IcpResult& icp) {
    return mean_displacement(scan, T_predicted.inverse() * icp.T_map_scan);
  };
  const double expected_m = std::max(std::sqrt(mean_squared_error_), options_.min_motion_m);
  const Guess predicted{T_predicted, std::max(std::sqrt(mean_squared_shift_), options_.min_motion_m)};
  IcpResult best = align_to_map(scan, map_, T_predicted, icp_options(expected_m, mean_range(scan), predicted.prior_m));
  // The first motion is not predicted at all, and there is no usual fit yet.
  const bool doubtful = lessons_ == 0 || !best.converged || best.fit < kGoodFit * mean_fit_;
  // From farther away than the cubes of the map are wide, ICP may have come to rest anywhere.
  if (doubtful || (correction_m(best) > options_.voxel && !confirmed(scan, predicted, expected_m, best)))
    best = align_widely(scan, predicted, expected_m, best);
  const bool lost = best.fit < kLostFit * mean_fit_ || !(correction_m(best) < options_.max_range_m);
  if (lost) return {T_predicted};
  if (best.converged)
    learn(best, correction_m(best), (best.T_map_scan.translation() - T_predicted.translation()).norm());
  return best;
}

void Odometry::estimate_covariance(const IcpResult& icp, Step& step) {
  const Matrix6d unknown = covariance_of(1.0, options_.first_motion_m);
  step.jitter = symmetric_inverse(icp.noise.information + symmetric_inverse(unknown));
  step.drift = step.jitter * icp.noise.renewal * step.jitter;
  const Matrix6d before = transported(last_jitter_, step.T_last_this.inverse()) + step.drift;
  // (information^-1 + before)^-1, also where the information has no inverse.
  const Matrix6d sum = (Matrix6d::Identity() + icp.noise.information * before).partialPivLu().solve(icp.noise.information);
  step.information = 0.5 * (sum + sum.transpose());
  last_jitter_ = step.jitter;
}

Odometry::Step Odometry::located(std::span<const Eigen::Vector3d> scan) {
  Step step{T_world_last_ * T_last_this_, T_last_this_};
  IcpResult icp{step.T_world_lidar};
  if (scan.size() >= kMinPoints) icp = align(scan, step.T_world_lidar);
  step.T_world_lidar = icp.T_map_scan;
  step.T_last_this = T_world_last_.inverse() * icp.T_map_scan;
  estimate_covariance(icp, step);
  step.iterations = icp.iterations, step.rms_m = icp.rms_m, step.fit = icp.fit, step.converged = icp.converged;
  return step;
}

Odometry::Step Odometry::step(PointsView points) {
  std::vector<Eigen::Vector3f> usable = usable_points(points);
  const std::vector<Eigen::Vector3d> scan = coordinates(voxel_downsample(usable, 0.5 * options_.voxel));
  const std::vector<Eigen::Vector3d> sparse = thinned(scan, kSpacing * options_.voxel);
  anchor_.see(std::move(usable));
  const bool enough = sparse.size() >= kMinPoints;
  Step step{T_world_last_ * T_last_this_, T_last_this_};
  if (map_.empty())
    step.converged = enough;
  else
    step = located(sparse);
  // A scan in doubt would spoil the map; but where doubt goes on, the next scans have to match something.
  failures_ = step.converged ? 0 : failures_ + 1;
  if (enough && (step.converged || failures_ > kPatience)) {
    map_.add(moved(scan, step.T_world_lidar));
    if (failures_ > kPatience) step.drift += covariance_of(1.0, options_.max_range_m);  // a new stretch of map
    anchor_.drop(step.T_world_lidar);
  }
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
  put_matrix(bytes, T_world_last_.matrix());
  put_matrix(bytes, T_last_this_.matrix());
  put_matrix(bytes, last_jitter_);
  put(bytes, mean_squared_error_);
  put(bytes, mean_squared_shift_);
  put(bytes, lessons_);
  put(bytes, mean_fit_);
  put(bytes, failures_);
  anchor_.save(bytes);
  map_.save(bytes);
  return bytes;
}

void Odometry::restore(std::string_view state) {
  take_matrix(state, T_world_last_.matrix());
  take_matrix(state, T_last_this_.matrix());
  take_matrix(state, last_jitter_);
  mean_squared_error_ = take<double>(state);
  mean_squared_shift_ = take<double>(state);
  lessons_ = take<int>(state);
  mean_fit_ = take<double>(state);
  failures_ = take<int>(state);
  anchor_.restore(state);
  map_.restore(state);
  if (!state.empty()) throw std::invalid_argument("a saved state of the odometry is too long");
}

}  // namespace parte::slam
