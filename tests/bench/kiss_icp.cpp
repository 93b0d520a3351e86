#include <tests/bench/kiss_icp.hpp>

#include <slam/icp.hpp>
#include <slam/odometry.hpp>

#include <tbb/parallel_for.h>

#include <cmath>

namespace parte::bench {
namespace {

constexpr std::size_t kBlock = 64;

/// The first point of every cube.
std::vector<Eigen::Vector3d> thinned(std::span<const Eigen::Vector3d> points, double voxel) {
  slam::VoxelMap map(voxel, 1);
  map.add(points);
  return map.points();
}

struct Equations {
  Matrix6d H = Matrix6d::Zero();
  Vector6d g = Vector6d::Zero();
};

/// A point-to-point residual, Eq. 8 of the paper, for exp(xi) T: with the weight of rho(e) = (e^2 / 2) / (kernel +
/// e^2).
void accumulate(const Eigen::Vector3d& point, const Eigen::Vector3d& target, double kernel, Equations& sum) {
  const Eigen::Vector3d error = point - target;
  const double weight = std::pow(kernel / (kernel + error.squaredNorm()), 2);
  Eigen::Matrix<double, 3, 6> J;
  J << 0.0, point.z(), -point.y(), 1.0, 0.0, 0.0,  //
      -point.z(), 0.0, point.x(), 0.0, 1.0, 0.0,   //
      point.y(), -point.x(), 0.0, 0.0, 0.0, 1.0;
  sum.H.noalias() += weight * J.transpose() * J;
  sum.g.noalias() += weight * J.transpose() * error;
}

}  // namespace

std::vector<Eigen::Vector3d> KissIcp::usable_points(PointsView points) const {
  std::vector<Eigen::Vector3f> usable;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double range = points[i].norm();
    if (range > options_.min_range_m && range < options_.max_range_m) usable.push_back(points[i].cast<float>());
  }
  if (options_.deskew) slam::deskew(usable, T_last_this_);
  std::vector<Eigen::Vector3d> result;
  for (const Eigen::Vector3f& p : usable) result.push_back(p.cast<double>());
  return result;
}

double KissIcp::threshold_m() const {
  return errors_ > 0 ? std::sqrt(squared_errors_ / errors_) : options_.initial_threshold_m;
}

Eigen::Isometry3d KissIcp::aligned(const std::vector<Eigen::Vector3d>& source, const Eigen::Isometry3d& T_guess) const {
  const double sigma = threshold_m(), kernel = sigma / 3.0;
  const double reach = std::min(3.0 * sigma, 2.0 * options_.voxel);  // the 27 cubes around a point end here
  Eigen::Isometry3d T = T_guess;
  std::vector<Equations> sums((source.size() + kBlock - 1) / kBlock);
  for (int k = 0; k < options_.max_iterations; ++k) {
    tbb::parallel_for(std::size_t{0}, sums.size(), [&](std::size_t block) {
      sums[block] = {};
      for (std::size_t i = block * kBlock; i < std::min((block + 1) * kBlock, source.size()); ++i) {
        const Eigen::Vector3d point = T * source[i];
        if (const auto target = map_.nearest(point, reach)) accumulate(point, *target, kernel, sums[block]);
      }
    });
    Equations total;
    for (const Equations& sum : sums) total.H += sum.H, total.g += sum.g;
    const Vector6d step = total.H.ldlt().solve(-total.g);
    if (!step.allFinite()) return T_guess;
    T = motion(step) * T;
    if (step.norm() < options_.convergence) break;
  }
  T.linear() = Eigen::Quaterniond(T.linear()).normalized().toRotationMatrix();
  return T;
}

Eigen::Isometry3d KissIcp::add(PointsView points) {
  const std::vector<Eigen::Vector3d> scan = thinned(usable_points(points), 0.5 * options_.voxel);
  const Eigen::Isometry3d T_guess = T_world_last_ * T_last_this_;
  const Eigen::Isometry3d T = map_.empty() ? T_guess : aligned(thinned(scan, 1.5 * options_.voxel), T_guess);
  const Eigen::Isometry3d deviation = T_guess.inverse() * T;
  const double angle = Eigen::AngleAxisd(deviation.linear()).angle();
  const double error_m = 2.0 * options_.max_range_m * std::sin(0.5 * angle) + deviation.translation().norm();
  if (error_m > options_.min_motion_m) squared_errors_ += error_m * error_m, ++errors_;
  std::vector<Eigen::Vector3d> moved = scan;
  for (Eigen::Vector3d& p : moved) p = T * p;
  map_.add(moved);
  map_.remove_beyond(T.translation(), options_.max_range_m);
  T_last_this_ = T_world_last_.inverse() * T;
  return T_world_last_ = T;
}

}  // namespace parte::bench
