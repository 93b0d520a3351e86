#include <parte/verification.hpp>

#include <parte/decompositions.hpp>
#include <parte/require.hpp>
#include <parte/surface_match.hpp>
#include <parte/surface_residuals.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

namespace parte {
namespace {

constexpr int kAzimuthBins = 240, kElevationBins = 120;  // 1.5 degrees each way

struct Direction {
  int azimuth, elevation;
  float range;
};

Direction direction_of(const Eigen::Vector3f& d) {
  const float range = d.norm();
  const float azimuth = std::atan2(d.y(), d.x()) * std::numbers::inv_pi_v<float> * 0.5f + 0.5f;
  const float elevation =
      std::asin(std::clamp(d.z() / std::max(range, 1e-6f), -1.0f, 1.0f)) * std::numbers::inv_pi_v<float> + 0.5f;
  // In this order, min and max also bring what is no number (seen from endlessly far away) into the range.
  const auto bin = [](float part, int bins) {
    return std::min(static_cast<int>(std::max(0.0f, part * static_cast<float>(bins))), bins - 1);
  };
  return {bin(azimuth, kAzimuthBins), bin(elevation, kElevationBins), range};
}

std::size_t bin_of(int azimuth, int elevation) { return static_cast<std::size_t>(elevation * kAzimuthBins + azimuth); }

/// Nearest return per direction, then the least over the neighbouring directions: what is left is surely empty.
std::vector<float> free_ranges(const PointCloud& cloud, const Eigen::Vector3f& sensor) {
  std::vector<float> nearest(kAzimuthBins * kElevationBins, 0.0f);
  for (const auto& p : cloud.points) {
    const Direction d = direction_of(p - sensor);
    float& range = nearest[bin_of(d.azimuth, d.elevation)];
    if (range == 0.0f || d.range < range) range = d.range;
  }
  std::vector<float> least = nearest;
  for (int e = 0; e < kElevationBins; ++e)
    for (int a = 0; a < kAzimuthBins; ++a) {
      float& range = least[bin_of(a, e)];
      if (range == 0.0f) continue;
      for (int de = -1; de <= 1; ++de)
        for (int da = -1; da <= 1; ++da) {
          if (e + de < 0 || e + de >= kElevationBins) continue;
          const float other = nearest[bin_of((a + da + kAzimuthBins) % kAzimuthBins, e + de)];
          if (other > 0.0f) range = std::min(range, other);
        }
    }
  return least;
}

void vote(const Surfaces& from, const Surfaces& onto, const Eigen::Isometry3f& T, float radius, std::size_t samples,
          Overlap& overlap) {
  for_each_sample(from, from.model.samples, T, samples, [&](const Eigen::Vector3f& p, const Eigen::Vector3f& n, Index) {
    if (const Index hit = surface_at(onto, p, n, radius); hit != NeighborGrid::kNone) {
      ++overlap.supported;
      if (std::abs(onto.cloud.normals[hit].dot(p - onto.cloud.points[hit])) < 0.2f * radius) ++overlap.close;
      return;
    }
    const float range = (p - onto.model.sensor).norm();
    const bool empty = range + std::max(radius, 0.03f * range) < onto.model.free_until(p);
    ++(empty ? overlap.conflicting : overlap.unseen);
  });
}

/// Robust normal equations, for a motion applied on the source's side.
struct NormalEquations {
  Matrix6d H = Matrix6d::Zero();
  Matrix6d facing = Matrix6d::Zero();
  Vector6d g = Vector6d::Zero();
  double weight = 0.0;
  double squares = 0.0;

  NormalEquations(const std::vector<SurfaceResidual>& residuals, const Cauchy& kernel) {
    for (const SurfaceResidual& r : residuals) {
      const double w = kernel.weight(r.distance);
      const Matrix6d JJ = r.J * r.J.transpose();
      H += w * JJ;
      facing += w / (r.scale * r.scale) * JJ;
      g += w * r.distance * r.J;
      weight += w;
      squares += w * r.distance * r.distance;
    }
  }
  /// Whether a step is small against the standard deviations of what is estimated.
  [[nodiscard]] bool is_settled(const Vector6d& step) const {
    constexpr double kSettled = 0.05;
    return step.dot(H * step) * weight < kSettled * kSettled * squares;
  }
};

}  // namespace

SurfaceModel::SurfaceModel(const PointCloud& cloud, const std::vector<bool>& on_ground,
                           const Eigen::Vector3d& sensor_at, double radius)
    : grid(cloud.points, radius),
      surfels(make_surfels(cloud, on_ground, sensor_at.cast<float>(), 0.5 * radius)),
      sensor(sensor_at.cast<float>()) {
  for (Index i = 0; i < cloud.size(); ++i)
    if (cloud.has_normal(i) && !on_ground[i]) samples.push_back(i);
  free_range = free_ranges(cloud, sensor);
}

float SurfaceModel::free_until(const Eigen::Vector3f& place) const {
  const Direction d = direction_of(place - sensor);
  return free_range[bin_of(d.azimuth, d.elevation)];
}

void VerificationOptions::validate() const {
  if (max_hypotheses < 1) throw std::invalid_argument("VerificationOptions::max_hypotheses must be at least 1");
  if (max_refined < 1) throw std::invalid_argument("VerificationOptions::max_refined must be at least 1");
  require(radius > 0.0 && radius <= 1e6, "VerificationOptions::radius must be positive and at most 1000000");
  require(min_confidence >= 0.0 && min_confidence <= 1.0, "VerificationOptions::min_confidence must lie in [0, 1]");
}

Overlap measure_overlap(const Surfaces& source, const Surfaces& target, const Eigen::Isometry3d& T_target_source,
                        double radius, std::size_t samples) {
  Overlap overlap;
  vote(source, target, T_target_source.cast<float>(), static_cast<float>(radius), samples, overlap);
  vote(target, source, T_target_source.inverse().cast<float>(), static_cast<float>(radius), samples, overlap);
  return overlap;
}

Refinement refine(const Surfaces& source, const Surfaces& target, const Eigen::Isometry3d& T_target_source,
                  const Matrix6d& prior, double radius, const RefinementEffort& effort) {
  constexpr double kPriorWeight = 1e-3;  // surfaces decide wherever they can
  Refinement result{T_target_source};
  for (int round = 0; round < effort.rounds + effort.settling; ++round) {
    const double part = std::min(1.0, static_cast<double>(round) / (effort.rounds - 1));
    const std::vector<SurfaceResidual> residuals =
        surface_residuals(source, target, result.T_target_source, radius * (2.0 - part), effort.samples,
                          effort.ground_samples);  // coarse to fine
    const NormalEquations at(residuals,
                             2 * round < effort.rounds ? Cauchy(0.5 * radius) : kernel_of(residuals, radius));
    const Vector6d step = solve_symmetric(at.H + kPriorWeight * prior, -at.g);
    result.T_target_source = result.T_target_source * motion(step);
    result.information = at.H;
    result.facing = at.facing;
    result.weight = at.weight;
    result.rms_m = at.weight > 0.0 ? std::sqrt(at.squares / at.weight) : 0.0;
    if (round + 1 >= effort.rounds && at.is_settled(step)) break;
  }
  return result;
}

Matrix6d surface_strength(const Surfaces& source, const Surfaces& target, const Refinement& refinement,
                          const Eigen::Vector3d& center, double size, double radius) {
  constexpr double kFacing = 0.01;  // mean squared cosine: normals that stray by 8 degrees are noise, their mean by 6
  constexpr double kUnmoved = 0.9;  // part of the close points that remain if a motion does not matter
  constexpr std::size_t kSamples = 400;
  if (!(refinement.weight > 0.0)) return Matrix6d::Zero();
  const Matrix6d to_tangent = tangent_of_lengths(center, size), from_tangent = inverse(to_tangent);
  const Spectrum6 found = spectrum(to_tangent.transpose() * refinement.facing * to_tangent);
  const auto close_after = [&](const Vector6d& lengths) {
    const Eigen::Isometry3d T = refinement.T_target_source * motion(to_tangent * lengths);
    return static_cast<double>(measure_overlap(source, target, T, radius, kSamples).close);
  };
  Vector6d strength = found.eigenvalues / (kFacing * refinement.weight);
  const double close = close_after(Vector6d::Zero());
  for (int k = 0; k < 3; ++k) {  // the weakest half; the others face too much surface to be mistaken
    const Vector6d shift = 2.0 * radius * found.eigenvectors.col(k);
    if (std::max(close_after(shift), close_after(-shift)) > kUnmoved * close) strength[k] = 0.0;
  }
  const Matrix6d directions = from_tangent.transpose() * found.eigenvectors;
  return directions * strength.asDiagonal() * directions.transpose();
}

}  // namespace parte
