#include <datasets/world/ground.hpp>

#include <datasets/random.hpp>

#include <algorithm>
#include <cmath>

namespace parte::datasets {
namespace {

/// Smooth noise in [-1, 1] with about one hill a unit: random values on a lattice, blended.
double noise(double x, double y, std::uint64_t seed) {
  const double fx = std::floor(x), fy = std::floor(y);
  const auto value = [&](double dx, double dy) {
    const auto column = static_cast<std::uint64_t>(static_cast<std::int64_t>(fx + dx)),
               row = static_cast<std::uint64_t>(static_cast<std::int64_t>(fy + dy));
    return Random(seed, column * 0x9e3779b1u + (row << 32)).uniform(-1.0, 1.0);
  };
  const auto blend = [](double t) { return t * t * (3.0 - 2.0 * t); };
  const double u = blend(x - fx), v = blend(y - fy);
  return std::lerp(std::lerp(value(0, 0), value(1, 0), u), std::lerp(value(0, 1), value(1, 1), u), v);
}

}  // namespace

Ground::Ground(const TerrainOptions& options, RoadNetwork roads) : options_(options), roads_(std::move(roads)) {
  roads_.index();
}

double Ground::road_height(const Eigen::Vector2d& at) const {
  const Eigen::Vector2d p = at / options_.hill_length_m;
  return options_.hill_height_m *
         (noise(p.x(), p.y(), options_.seed) + 0.3 * noise(3.0 * p.x(), 3.0 * p.y(), options_.seed + 1));
}

double Ground::height(const Eigen::Vector2d& at) const {
  constexpr double kKerbWidth = 0.1, kVerge = 2.0;  // [m]
  const double clearance = roads_.clearance(at);
  const double kerb = options_.kerb_height_m * std::clamp(clearance / kKerbWidth, 0.0, 1.0);
  const double rough = options_.roughness_m * std::clamp((clearance - options_.sidewalk_width_m) / kVerge, 0.05, 1.0);
  return road_height(at) + kerb +
         rough * (noise(at.x() / 1.3, at.y() / 1.3, options_.seed + 2) +
                  1.5 * noise(at.x() / 5.0, at.y() / 5.0, options_.seed + 3));
}

Eigen::Vector3d Ground::normal(const Eigen::Vector2d& at) const {
  constexpr double kReach = 1.5;  // [m]
  const Eigen::Vector2d x(kReach, 0.0), y(0.0, kReach);
  return Eigen::Vector3d(road_height(at - x) - road_height(at + x), road_height(at - y) - road_height(at + y),
                         2.0 * kReach)
      .normalized();
}

Surface Ground::surface(double clearance) const {
  if (clearance < 0.0) return Surface::road;
  return options_.kerb_height_m > 0.0 && clearance < options_.sidewalk_width_m ? Surface::sidewalk : Surface::terrain;
}

void Ground::add_to(Mesh& mesh, double margin) const {
  constexpr double kCoarse = 2.0, kNear = 8.0;  // [m]
  constexpr int kFine = 5;                      // pieces of a coarse edge near roads
  const Eigen::AlignedBox2d box = roads_.bounds();
  for (double y = box.min().y() - margin; y < box.max().y() + margin; y += kCoarse)
    for (double x = box.min().x() - margin; x < box.max().x() + margin; x += kCoarse) {
      const Eigen::Vector2d low(x, y);
      add_tile(mesh, low, kCoarse, roads_.clearance(low) > kNear ? 1 : kFine);
    }
}

/// A square, cut into `pieces` x `pieces`.
void Ground::add_tile(Mesh& mesh, const Eigen::Vector2d& low, double edge, int pieces) const {
  const auto first = static_cast<std::uint32_t>(mesh.vertices.size()), stride = static_cast<std::uint32_t>(pieces + 1);
  const double step = edge / pieces;
  for (int row = 0; row <= pieces; ++row)
    for (int column = 0; column <= pieces; ++column) {
      const Eigen::Vector2d at = low + step * Eigen::Vector2d(column, row);
      mesh.vertices.emplace_back(Eigen::Vector3d(at.x(), at.y(), height(at)).cast<float>());
    }
  for (std::uint32_t k = 0; k < static_cast<std::uint32_t>(pieces * pieces); ++k) {
    const std::uint32_t column = k % (stride - 1), row = k / (stride - 1), corner = first + row * stride + column;
    const Surface kind = surface(roads_.clearance(low + step * Eigen::Vector2d(column + 0.5, row + 0.5)));
    mesh.triangles.push_back({{corner, corner + 1, corner + stride + 1}, kind});
    mesh.triangles.push_back({{corner, corner + stride + 1, corner + stride}, kind});
  }
}

}  // namespace parte::datasets
