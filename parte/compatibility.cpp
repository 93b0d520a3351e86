#include <parte/compatibility.hpp>

#include <parte/require.hpp>
#include <parte/simd.hpp>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <stdexcept>

namespace parte {
namespace {

constexpr double kRadians = EIGEN_PI / 180.0;

/// Coordinates of both ends, one array each, padded to whole words of 64.
struct Ends {
  std::vector<float> x[6];
};

/// Bit k of word says whether pair k of the 64 keeps its distance to pair i: | |p_i - p_k| - |q_i - q_k| | <= bound.
PARTE_SIMD_CLONES
void distance_words(const float* const* x, std::size_t words, std::size_t i, float bound, std::uint64_t* out) {
  const float a0 = x[0][i], a1 = x[1][i], a2 = x[2][i], b0 = x[3][i], b1 = x[4][i], b2 = x[5][i];
  for (std::size_t w = 0; w < words; ++w) {
    std::uint8_t fits[64];
    const std::size_t base = w * 64;
    for (std::size_t k = 0; k < 64; ++k) {
      const float p0 = x[0][base + k] - a0, p1 = x[1][base + k] - a1, p2 = x[2][base + k] - a2;
      const float q0 = x[3][base + k] - b0, q1 = x[4][base + k] - b1, q2 = x[5][base + k] - b2;
      const float p = std::sqrt(p0 * p0 + p1 * p1 + p2 * p2), q = std::sqrt(q0 * q0 + q1 * q1 + q2 * q2);
      fits[k] = std::fabs(p - q) <= bound ? 1 : 0;
    }
    std::uint64_t word = 0;
    for (int byte = 0; byte < 8; ++byte) {
      std::uint64_t eight = 0;
      std::memcpy(&eight, fits + 8 * byte, 8);
      word |= ((eight * 0x0102040810204080ull) >> 56) << (8 * byte);  // gathers the low bits of eight bytes
    }
    out[w] = word;
  }
}

Ends padded_ends(std::span<const PointPair> points) {
  Ends ends;
  const std::size_t padded = (points.size() + 63) / 64 * 64;
  for (int axis = 0; axis < 6; ++axis) ends.x[axis].assign(padded, 0.0f);
  for (std::size_t i = 0; i < points.size(); ++i)
    for (int axis = 0; axis < 3; ++axis) {
      // Relative to the first pair: single precision is enough for differences, not for map coordinates.
      ends.x[axis][i] = static_cast<float>(points[i].source[axis] - points[0].source[axis]);
      ends.x[axis + 3][i] = static_cast<float>(points[i].target[axis] - points[0].target[axis]);
    }
  return ends;
}

void connect_points(BitMatrix& graph, std::span<const PointPair> points, double bound) {
  const Ends ends = padded_ends(points);
  const float* axes[6];
  for (int axis = 0; axis < 6; ++axis) axes[axis] = ends.x[axis].data();
  const std::size_t words = ends.x[0].size() / 64, padding = 64 * words - points.size();
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, points.size(), 64), [&](const auto& block) {
    for (std::size_t i = block.begin(); i != block.end(); ++i) {
      const auto row = graph.row(i);
      distance_words(axes, words, i, static_cast<float>(bound), row.data());
      row[words - 1] &= ~std::uint64_t{0} >> padding;
      row[i / 64] &= ~(std::uint64_t{1} << (i % 64));  // no node is its own neighbour
    }
  });
}

double angle_between(const Eigen::Vector3d& a, const Eigen::Vector3d& b) {
  return std::atan2(a.cross(b).norm(), a.dot(b));
}

bool planes_fit(const PlanePair& a, const PlanePair& b, double bound) {
  return std::abs(angle_between(a.source_normal, b.source_normal) - angle_between(a.target_normal, b.target_normal)) <=
         bound;
}

/// The bound grows with the distance from the plane's centroid, where an error of its normal weighs more.
bool plane_fits_point(const PlanePair& plane, const PointPair& point, double spatial, double angular) {
  const Eigen::Vector3d from = point.source - plane.source_centroid, to = point.target - plane.target_centroid;
  const double residual = std::abs(plane.source_normal.dot(from) - plane.target_normal.dot(to));
  return residual <= spatial + angular * std::min(from.norm(), to.norm());
}

}  // namespace

void CompatibilityOptions::validate() const {
  require_positive(spatial_tolerance, "CompatibilityOptions::spatial_tolerance");
  if (!(angular_tolerance_deg > 0.0 && angular_tolerance_deg <= 90.0))
    throw std::invalid_argument("CompatibilityOptions::angular_tolerance_deg must lie in (0, 90]");
}

BitMatrix compatibility_graph(std::span<const PointPair> points, std::span<const PlanePair> planes,
                              const CompatibilityOptions& options) {
  options.validate();
  const double angular = options.angular_tolerance_deg * kRadians;
  BitMatrix graph(points.size() + planes.size());
  connect_points(graph, points, 2.0 * options.spatial_tolerance);
  for (std::size_t a = 0; a < planes.size(); ++a) {
    for (std::size_t i = 0; i < points.size(); ++i)
      if (plane_fits_point(planes[a], points[i], options.spatial_tolerance, angular))
        graph.connect(points.size() + a, i);
    for (std::size_t b = a + 1; b < planes.size(); ++b)
      if (planes_fit(planes[a], planes[b], 2.0 * angular)) graph.connect(points.size() + a, points.size() + b);
  }
  return graph;
}

}  // namespace parte
