#include <slam/icp.hpp>
#include <slam/icp_information.hpp>

#include <tbb/parallel_for.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <optional>

namespace parte::slam {
namespace {

constexpr int kMinMatches = 20;
constexpr double kShrink = 0.6;     // of the kernel from one iteration to the next
constexpr double kInStep = 2.0;     // kernel over the last step: it shrinks no faster than the scan comes to rest
constexpr double kLongest = 3.0;    // factor by which a step may be extrapolated
constexpr std::size_t kBlock = 64;  // sums are made in blocks of fixed places, then block by block

// docs/ALGORITHM.md, "Odometry", derives these.
constexpr int kMinPoints = 6;        // of a neighbourhood
constexpr double kLine = 0.1;        // of the largest variance: a neighbourhood whose second one is less is a line
constexpr double kWider = 2.0;       // [surface radii] where the neighbourhood is a line
constexpr double kIncidence = 0.05;  // sine of the angle between a ray and the surface that it was reflected by

Eigen::Matrix3d cross_matrix(const Eigen::Vector3d& v) {
  Eigen::Matrix3d m;
  m << 0.0, -v.z(), v.y(), v.z(), 0.0, -v.x(), -v.y(), v.x(), 0.0;
  return m;
}

/// Geman and McClure's weight, 1 at no distance.
double robust_weight(double squared_distance, double kernel) {
  const double k2 = kernel * kernel;
  return k2 * k2 / ((k2 + squared_distance) * (k2 + squared_distance));
}

enum class Shape { none, rough, flat };

/// What a point of the scan was matched with last. Its surface is fitted again only when its nearest point changes.
struct Association {
  std::optional<Eigen::Vector3d> nearest;
  VoxelMap::Surface surface;
  Shape shape = Shape::none;
};

/// Planes turn freely about a line.
bool is_line(const VoxelMap::Surface& s) { return s.count < kMinPoints || s.variances[1] < kLine * s.variances[2]; }

/// A ring of a LiDAR far from the next one is a line: planes come from several rings, or not at all.
void fit_surface(const VoxelMap& map, const IcpOptions& options, Association& at) {
  at.surface = map.surface(*at.nearest, options.surface_radius_m);
  const bool line = is_line(at.surface);
  if (line) at.surface = map.surface(*at.nearest, kWider * options.surface_radius_m);
  const Eigen::Vector3d& variances = at.surface.variances;
  const bool flat = !is_line(at.surface) && variances[0] < options.flatness * variances[1];
  at.shape = flat ? Shape::flat : line ? Shape::none : Shape::rough;
}

/// From far away all neighbourhoods are planes, the more the flatter: nearest points would hold the scan where it is.
/// Close by, planes through rough ones are biased, and nearest points are not.
std::optional<SurfaceMatch> match_of(const Eigen::Vector3d& source, const Association& at, const Eigen::Isometry3d& T,
                                     bool close, double point_weight) {
  if (at.shape == Shape::none) return std::nullopt;
  if (at.shape == Shape::rough && close)
    return SurfaceMatch{source, *at.nearest, Eigen::Vector3d::Zero(), point_weight};
  // Points that one laser saw lie on its cone: a plane along the rays is that of the sensor, not of the scene.
  const VoxelMap::Surface& s = at.surface;
  if (std::abs(s.normal.dot(T.linear() * source)) < kIncidence * source.norm()) return std::nullopt;
  return SurfaceMatch{source, s.mean, s.normal, close ? 1.0 : 1.0 - s.variances[0] / s.variances[1]};
}

/// The matches of a scan with a map, kept from one iteration to the next.
class Matcher {
 public:
  Matcher(std::span<const Eigen::Vector3d> scan, const VoxelMap& map, const IcpOptions& options)
      : scan_(scan),
        map_(map),
        options_(options),
        associations_(scan.size()),
        sums_((scan.size() + kBlock - 1) / kBlock) {}

  NormalEquations linearize(const Eigen::Isometry3d& T, double kernel) {
    tbb::parallel_for(std::size_t{0}, sums_.size(), [&](std::size_t block) {
      sums_[block] = {};
      const std::size_t end = std::min((block + 1) * kBlock, scan_.size());
      for (std::size_t i = block * kBlock; i < end; ++i) add(i, T, kernel, sums_[block]);
    });
    NormalEquations total;
    for (const NormalEquations& sum : sums_) total += sum;
    return total;
  }

  /// How sure the alignment is that the matches at the last kernel have made, and how old the map is there.
  void assess(IcpResult& result) const {
    std::vector<SurfaceMatch> matches;
    for (std::size_t i = 0; i < scan_.size(); ++i)
      if (auto match = current_match(i, result.T_map_scan, true)) {
        match->age = map_.age(*associations_[i].nearest);
        matches.push_back(*match);
      }
    result.noise = measured_noise(matches, result.T_map_scan, options_.last_kernel_m, options_.surface_radius_m);
  }

 private:
  [[nodiscard]] std::optional<SurfaceMatch> current_match(std::size_t i, const Eigen::Isometry3d& T, bool close) const {
    if (!associations_[i].nearest) return std::nullopt;
    return match_of(scan_[i], associations_[i], T, close, options_.point_weight);
  }

  void add(std::size_t i, const Eigen::Isometry3d& T, double kernel, NormalEquations& sum) {
    Association& at = associations_[i];
    const auto nearest = map_.nearest(T * scan_[i], options_.max_distance_m);
    const bool changed = nearest != at.nearest;
    at.nearest = nearest;
    if (!nearest) return;
    if (changed) fit_surface(map_, options_, at);
    if (const auto match = current_match(i, T, kernel <= options_.last_kernel_m)) accumulate(*match, T, kernel, sum);
  }

  std::span<const Eigen::Vector3d> scan_;
  const VoxelMap& map_;
  const IcpOptions& options_;
  std::vector<Association> associations_;
  std::vector<NormalEquations> sums_;
};

/// Of one distance [m^2].
double residual_variance(const NormalEquations& at) {
  constexpr double kLeast = 1e-6;  // (1 mm)^2: no sensor is better
  return std::max(at.squares / at.weight, kLeast);
}

/// Steps that go on in one direction and shrink by a constant factor are a geometric series: its sum (Aitken). Matches
/// with points follow the scan only slowly, hence such series.
class Extrapolation {
 public:
  Vector6d operator()(const Vector6d& step) {
    const double along = step.dot(last_), ratio = along / last_.squaredNorm();
    if (!(ratio > 0.3 && along > 0.8 * step.norm() * last_.norm())) return last_ = step;
    last_.setZero();  // the step after it says nothing of the series
    return std::min(1.0 / (1.0 - std::min(ratio, 0.9)), kLongest) * step;
  }

 private:
  Vector6d last_ = Vector6d::Zero();
};

/// The step that balances the map's evidence and the guess.
Vector6d step_from(const NormalEquations& at, const Eigen::Isometry3d& T_guess_now, const IcpOptions& options) {
  const double variance = options.shared * residual_variance(at);
  Vector6d prior;
  prior.head<3>().setConstant(variance / (options.prior_rad * options.prior_rad));
  prior.tail<3>().setConstant(variance / (options.prior_m * options.prior_m));
  Matrix6d H = at.H;
  H.diagonal() += prior;
  return H.ldlt().solve(-(at.g + prior.cwiseProduct(tangent(T_guess_now))));
}

Eigen::Isometry3d normalized(Eigen::Isometry3d T) {
  T.linear() = Eigen::Quaterniond(T.linear()).normalized().toRotationMatrix();
  return T;
}

}  // namespace

NormalEquations& NormalEquations::operator+=(const NormalEquations& other) {
  H += other.H;
  g += other.g;
  weight += other.weight;
  squares += other.squares;
  residuals += other.residuals;
  return *this;
}

void accumulate(const SurfaceMatch& match, const Eigen::Isometry3d& T, double kernel, NormalEquations& sum) {
  const Eigen::Vector3d error = T.linear().transpose() * (T * match.source - match.target);  // in the scan's frame
  if (match.normal.isZero()) {
    const double weight = match.weight * robust_weight(error.squaredNorm(), kernel);
    Eigen::Matrix<double, 3, 6> J;
    J << -cross_matrix(match.source), Eigen::Matrix3d::Identity();
    sum.H.noalias() += weight * J.transpose() * J;
    sum.g.noalias() += weight * J.transpose() * error;
    sum.weight += 3.0 * weight;
    sum.squares += weight * error.squaredNorm();
    sum.residuals += 3;
    return;
  }
  const Eigen::Vector3d normal = T.linear().transpose() * match.normal;
  const double distance = normal.dot(error), weight = match.weight * robust_weight(distance * distance, kernel);
  Vector6d J;
  J << match.source.cross(normal), normal;
  sum.H.noalias() += weight * J * J.transpose();
  sum.g += weight * distance * J;
  sum.weight += weight;
  sum.squares += weight * distance * distance;
  ++sum.residuals;
}

Vector6d tangent(const Eigen::Isometry3d& motion) {
  const Eigen::AngleAxisd rotation(motion.linear());
  Vector6d xi;
  xi << rotation.angle() * rotation.axis(), motion.translation();
  return xi;
}

IcpResult align_to_map(std::span<const Eigen::Vector3d> scan, const VoxelMap& map, const Eigen::Isometry3d& T_guess,
                       const IcpOptions& options) {
  IcpResult result{T_guess};
  Matcher matcher(scan, map, options);
  Extrapolation extrapolated;
  double kernel = std::max(options.kernel_m, options.last_kernel_m);
  while (result.iterations < options.max_iterations && !result.converged) {
    const NormalEquations at = matcher.linearize(result.T_map_scan, kernel);
    result.matches = at.residuals;
    if (at.residuals < kMinMatches || !(at.weight > 0.0)) return {T_guess};
    const Vector6d step = step_from(at, T_guess.inverse() * result.T_map_scan, options);
    if (!step.allFinite()) return {T_guess};
    const bool last_kernel = kernel == options.last_kernel_m;
    result.T_map_scan = normalized(result.T_map_scan * motion(last_kernel ? extrapolated(step) : step));
    result.rms_m = std::sqrt(residual_variance(at));
    result.fit = at.weight / static_cast<double>(scan.size());
    result.converged = step.norm() < options.tolerance && last_kernel;
    const double shift_m = step.tail<3>().norm() + options.prior_m / options.prior_rad * step.head<3>().norm();
    kernel = std::max(std::clamp(kInStep * shift_m, kShrink * kernel, kernel), options.last_kernel_m);
    ++result.iterations;
  }
  matcher.assess(result);
  return result;
}

}  // namespace parte::slam
