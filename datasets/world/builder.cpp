#include <datasets/world/builder.hpp>

#include <cmath>
#include <numbers>

namespace parte::datasets {
namespace {

using Eigen::Vector3d;
constexpr double kTurn = 2.0 * std::numbers::pi;

}  // namespace

void MeshBuilder::box(const Frame& T, const Vector3d& low, const Vector3d& high, Surface surface) {
  const auto corner = [&](int x, int y, int z) -> Vector3d {
    return T * Vector3d(x ? high.x() : low.x(), y ? high.y() : low.y(), z ? high.z() : low.z());
  };
  for (const int side : {0, 1}) {
    mesh.quad(corner(side, 0, 0), corner(side, 1, 0), corner(side, 1, 1), corner(side, 0, 1), surface);
    mesh.quad(corner(0, side, 0), corner(1, side, 0), corner(1, side, 1), corner(0, side, 1), surface);
    mesh.quad(corner(0, 0, side), corner(1, 0, side), corner(1, 1, side), corner(0, 1, side), surface);
  }
}

void MeshBuilder::cylinder(const Frame& T, const Vector3d& foot, double radius, double height, Surface surface) {
  constexpr int kSides = 10;
  const auto rim = [&](int k, double z) -> Vector3d {
    const double angle = kTurn * k / kSides;
    return T * (foot + Vector3d(radius * std::cos(angle), radius * std::sin(angle), z));
  };
  for (int k = 0; k < kSides; ++k) {
    mesh.quad(rim(k, 0.0), rim(k + 1, 0.0), rim(k + 1, height), rim(k, height), surface);
    mesh.triangle(rim(k, height), rim(k + 1, height), T * (foot + Vector3d(0.0, 0.0, height)), surface);
  }
}

void MeshBuilder::blob(const Frame& T, const Vector3d& center, double radius, Surface surface) {
  constexpr int kColumns = 10, kRows = 6;
  const auto vary = [&] { return radius * random.uniform(0.75, 1.25); };
  const double rx = vary(), ry = vary(), rz = vary();
  const auto at = [&](int column, int row) -> Vector3d {
    const double azimuth = kTurn * column / kColumns, polar = 0.5 * kTurn * row / kRows;
    return T * (center + Vector3d(rx * std::sin(polar) * std::cos(azimuth), ry * std::sin(polar) * std::sin(azimuth),
                                  rz * std::cos(polar)));
  };
  for (int row = 0; row < kRows; ++row)
    for (int column = 0; column < kColumns; ++column)
      mesh.quad(at(column, row), at(column + 1, row), at(column + 1, row + 1), at(column, row + 1), surface);
}

void MeshBuilder::foliage(const Frame& T, const Vector3d& low, const Vector3d& high, int clumps, double radius) {
  constexpr int kLeaves = 9;  // a clump
  const auto within = [&](double reach) {
    const double x = random.uniform(-reach, reach), y = random.uniform(-reach, reach),
                 z = random.uniform(-reach, reach);
    return Vector3d(x, y, z);
  };
  for (int i = 0; i < clumps; ++i) {
    const double x = random.uniform(low.x(), high.x()), y = random.uniform(low.y(), high.y());
    const Vector3d center(x, y, random.uniform(low.z(), high.z()));
    for (int k = 0; k < kLeaves; ++k) {
      const Vector3d leaf = center + within(radius), a = leaf + within(0.4 * radius), b = leaf + within(0.4 * radius);
      mesh.triangle(T * a, T * b, T * (leaf + within(0.4 * radius)), Surface::leaves);
    }
  }
}

void MeshBuilder::extrude(const Frame& T, const std::vector<Eigen::Vector2d>& outline, double half, Surface surface) {
  const auto at = [&](const Eigen::Vector2d& p, double y) -> Vector3d { return T * Vector3d(p.x(), y, p.y()); };
  Eigen::Vector2d middle = Eigen::Vector2d::Zero();
  for (const auto& p : outline) middle += p / static_cast<double>(outline.size());
  for (std::size_t k = 0; k < outline.size(); ++k) {
    const Eigen::Vector2d &p = outline[k], &q = outline[(k + 1) % outline.size()];
    mesh.quad(at(p, -half), at(q, -half), at(q, half), at(p, half), surface);
    for (const double y : {-half, half}) mesh.triangle(at(p, y), at(q, y), at(middle, y), surface);
  }
}

}  // namespace parte::datasets
