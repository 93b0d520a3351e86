#include <slam/scan_descriptor.hpp>

#include <parte/require.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

namespace parte::slam {
namespace {

/// Heights are counted from well below any ground, as seen from the sensor, so that ground differs from nothing.
constexpr double kBelowSensor = 3.0;  // [m]

Eigen::MatrixXf unit_columns(Eigen::MatrixXf m) {
  for (Eigen::Index c = 0; c < m.cols(); ++c) {
    const float norm = m.col(c).norm();
    if (norm > 0.0f) m.col(c) /= norm;
  }
  return m;
}

}  // namespace

void ScanDescriptorOptions::validate() const {
  require(max_range_m > 0.0, "ScanDescriptorOptions::max_range_m must be positive");
  require(max_height_m > 0.0, "ScanDescriptorOptions::max_height_m must be positive");
  require(rings > 0 && sectors > 0, "ScanDescriptorOptions::rings and ::sectors must be positive");
}

ScanDescriptor descriptor_of(Eigen::MatrixXf heights) {
  Eigen::VectorXf rings = heights.rowwise().mean();
  return {std::move(heights), std::move(rings)};
}

ScanDescriptor describe_scan(PointsView points, const ScanDescriptorOptions& o) {
  o.validate();
  Eigen::MatrixXf heights = Eigen::MatrixXf::Zero(o.rings, o.sectors);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Eigen::Vector3d p = points[i];
    const double range = p.head<2>().norm();
    if (!p.allFinite() || range >= o.max_range_m) continue;
    const double turn = std::atan2(p.y(), p.x()) / (2.0 * std::numbers::pi) + 0.5;
    const auto ring = static_cast<Eigen::Index>(range / o.max_range_m * o.rings);
    const auto sector = std::min<Eigen::Index>(static_cast<Eigen::Index>(turn * o.sectors), o.sectors - 1);
    float& height = heights(ring, sector);
    height = std::max(height, static_cast<float>(std::clamp(p.z() + kBelowSensor, 0.0, o.max_height_m)));
  }
  return descriptor_of(std::move(heights));
}

double descriptor_distance(const ScanDescriptor& a, const ScanDescriptor& b) {
  const Eigen::MatrixXf A = unit_columns(a.heights), B = unit_columns(b.heights);
  const Eigen::MatrixXf cosines = A.transpose() * B;  // of every sector of one with every sector of the other
  const Eigen::Index n = cosines.rows();
  const auto seen_a = (a.heights.array() > 0.0f).colwise().any().eval();
  const auto seen_b = (b.heights.array() > 0.0f).colwise().any().eval();
  double best = 0.0;
  for (Eigen::Index turn = 0; turn < n; ++turn) {
    double sum = 0.0;
    int seen = 0;
    for (Eigen::Index s = 0; s < n; ++s) {
      const Eigen::Index t = (s + turn) % n;
      if (!seen_a(s) && !seen_b(t)) continue;
      sum += static_cast<double>(cosines(s, t));
      ++seen;
    }
    if (seen > 0) best = std::max(best, sum / seen);
  }
  return 1.0 - best;
}

}  // namespace parte::slam
