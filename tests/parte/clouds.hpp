#pragma once

#include <parte/normals.hpp>

#include <algorithm>
#include <cmath>
#include <random>

/// Small clouds and problems for tests, reproducible on every machine.
namespace parte::clouds {

using Engine = std::mt19937_64;

/// Uniform in [low, high); unlike the standard distribution, the same with every standard library.
inline double uniform(Engine& engine, double low, double high) {
  return low + (high - low) * static_cast<double>(engine() >> 11) * 0x1p-53;
}

/// Roughly normal, deviation 1, never beyond 6.
inline double gaussian(Engine& engine) {
  double sum = -6.0;
  for (int k = 0; k < 12; ++k) sum += uniform(engine, 0.0, 1.0);
  return sum;
}

inline Eigen::Vector3d uniform_vector(Engine& engine, double half_range) {
  Eigen::Vector3d v;
  for (int k = 0; k < 3; ++k) v[k] = uniform(engine, -half_range, half_range);
  return v;
}

inline Eigen::Vector3d random_direction(Engine& engine) {
  const double z = uniform(engine, -1.0, 1.0), angle = uniform(engine, 0.0, 2.0 * EIGEN_PI);
  const double r = std::sqrt(1.0 - z * z);
  return {r * std::cos(angle), r * std::sin(angle), z};
}

inline Eigen::Isometry3d random_motion(Engine& engine, double half_range) {
  Eigen::Isometry3d T = Eigen::Isometry3d::Identity();
  T.linear() = Eigen::AngleAxisd(uniform(engine, 0.2, 3.0), random_direction(engine)).toRotationMatrix();
  T.translation() = uniform_vector(engine, half_range);
  return T;
}

inline std::vector<Eigen::Vector3f> uniform_points(std::size_t count, double half_range, Engine& engine) {
  std::vector<Eigen::Vector3f> points(count);
  for (auto& p : points) p = uniform_vector(engine, half_range).cast<float>();
  return points;
}

/// A rectangle sampled on a jittered lattice, with noise across it.
struct Rectangle {
  Eigen::Vector3d corner, edge_u, edge_v;
  double spacing = 0.25;
  double noise = 0.0;
};

inline void add_rectangle(std::vector<Eigen::Vector3f>& points, const Rectangle& shape, Engine& engine) {
  const Eigen::Vector3d normal = shape.edge_u.cross(shape.edge_v).normalized();
  const int columns = static_cast<int>(std::lround(shape.edge_u.norm() / shape.spacing));
  const int rows = static_cast<int>(std::lround(shape.edge_v.norm() / shape.spacing));
  for (int i = 0; i < columns; ++i)
    for (int j = 0; j < rows; ++j) {
      const double s = (i + uniform(engine, 0.1, 0.9)) / columns, t = (j + uniform(engine, 0.1, 0.9)) / rows;
      const Eigen::Vector3d across = shape.noise * gaussian(engine) * normal;
      points.push_back((shape.corner + s * shape.edge_u + t * shape.edge_v + across).cast<float>());
    }
}

/// Moments of points and normals, each by its definition.
struct Moments {
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();
  Eigen::Matrix3d covariance = Eigen::Matrix3d::Zero(), normals = Eigen::Matrix3d::Zero();
};

inline Moments direct_moments(const std::vector<Eigen::Vector3d>& points, const std::vector<Eigen::Vector3d>& normals) {
  Moments m;
  const double n = static_cast<double>(points.size());
  for (const auto& p : points) m.mean += p / n;
  for (const auto& p : points) m.covariance += (p - m.mean) * (p - m.mean).transpose() / n;
  for (const auto& v : normals) m.normals += v * v.transpose() / n;
  return m;
}

inline Moments direct_moments(const PointCloud& cloud, const std::vector<Index>& indices) {
  std::vector<Eigen::Vector3d> points, normals;
  for (const Index i : indices) points.push_back(cloud.at(i)), normals.push_back(cloud.normal(i));
  return direct_moments(points, normals);
}

/// The cloud after the motion T, normals included.
inline PointCloud moved(const PointCloud& cloud, const Eigen::Isometry3d& T) {
  PointCloud result = cloud;
  for (auto& p : result.points) p = (T * p.cast<double>()).cast<float>();
  for (auto& n : result.normals) n = (T.linear() * n.cast<double>()).cast<float>();
  return result;
}

constexpr double kRoomSpacing = 0.1;
inline const Eigen::Vector3d kRoomSize(8.0, 6.0, 3.0);
inline const Eigen::Vector3d kRoomSensor(3.0, 2.5, 1.4);

/// The inside of a box, six rectangles.
struct Room {
  struct Wall {
    Eigen::Vector3d normal;  ///< inward
    double offset = 0.0;     ///< normal' p
  };
  PointCloud cloud;
  Neighborhoods neighbors;
  std::vector<Wall> walls;   ///< x, y and z, near and far
  std::vector<int> wall_of;  ///< per point

  /// Distance of point i from the nearest edge of its wall.
  [[nodiscard]] double to_corner(std::size_t i) const {
    const int axis = wall_of[i] / 2;
    const Eigen::Vector3d near = cloud.at(i).cwiseAbs().cwiseMin((kRoomSize - cloud.at(i)).cwiseAbs());
    return std::min(near[(axis + 1) % 3], near[(axis + 2) % 3]);
  }
};

inline Room make_room(double noise, unsigned seed) {
  using Eigen::Vector3d;
  Engine engine(seed);
  Room room;
  for (int axis = 0; axis < 3; ++axis)
    for (const bool far : {false, true}) {
      const int next = (axis + 1) % 3, last = (axis + 2) % 3;
      const Vector3d corner = (far ? kRoomSize[axis] : 0.0) * Vector3d::Unit(axis);
      const Vector3d u = kRoomSize[next] * Vector3d::Unit(next), v = kRoomSize[last] * Vector3d::Unit(last);
      add_rectangle(room.cloud.points, {corner, u, v, kRoomSpacing, noise}, engine);
      room.wall_of.resize(room.cloud.size(), static_cast<int>(room.walls.size()));
      room.walls.push_back({(far ? -1.0 : 1.0) * Vector3d::Unit(axis), far ? -kRoomSize[axis] : 0.0});
    }
  room.neighbors = estimate_normals(room.cloud, kRoomSensor, {.radius = 2.5 * kRoomSpacing});
  return room;
}

/// Eq. (patch-normal).
struct PatchNormalProblem {
  Eigen::Matrix3d Q, C;
  double limit = 0.01;     ///< tau_d^2
  Eigen::Matrix3d axes;    ///< v1, v2, v3 of C, by construction
  Eigen::Vector3d spread;  ///< lambda1, lambda2, lambda3 of C
};

/// Problems of all kinds: hopeless, barely solvable, and easy; with related, unrelated and equal principal axes.
inline PatchNormalProblem random_problem(int seed) {
  Engine engine(1000 + seed);
  PatchNormalProblem problem;
  const double thickness[] = {0.0, 0.3, 0.9, 1.0 - 1e-6, 1.0 + 1e-6, 1.5, 0.02, 0.6};
  const double thinnest = thickness[seed % 8] * problem.limit;
  const double middle = thinnest + (seed % 5 == 0 ? 1e-4 : uniform(engine, 0.0, 0.5));
  problem.spread = {middle + uniform(engine, 0.0, 2.0), middle, thinnest};
  problem.axes = random_motion(engine, 1.0).linear();
  problem.C = problem.axes * problem.spread.asDiagonal() * problem.axes.transpose();
  const double a = uniform(engine, 0.0, 1.0), b = uniform(engine, 0.0, 1.0 - a);
  const Eigen::Vector3d share = seed % 9 == 0 ? Eigen::Vector3d(1.0, 0.0, 0.0) : Eigen::Vector3d(a, b, 1.0 - a - b);
  // 0: no relation; 1: v1(Q) leans a little from v3(C); 2: the very same axes, where u mixes two of them
  Eigen::Matrix3d turn = random_motion(engine, 1.0).linear();
  if (seed % 3 == 1) turn = Eigen::AngleAxisd(uniform(engine, 0.0, 0.4), random_direction(engine)) * problem.axes;
  if (seed % 3 == 2) turn = problem.axes;
  problem.Q = turn * share.asDiagonal() * turn.transpose();
  return problem;
}

inline double form(const Eigen::Matrix3d& A, const Eigen::Vector3d& u) { return u.dot(A * u); }

/// The best feasible one of 100,000 directions of a half sphere (of opposite ones only one is needed), and of 20,000
/// on the border of the feasible region, an ellipse in the coordinates of C's axes. Negative if there is none.
inline double best_on_dense_sphere(const PatchNormalProblem& problem) {
  constexpr int kDirections = 100'000, kOnBorder = 20'000;
  double best = -1.0;
  const auto consider = [&](const Eigen::Vector3d& u) {
    if (form(problem.C, u) <= problem.limit) best = std::max(best, form(problem.Q, u));
  };
  for (int k = 0; k < kDirections; ++k) {
    const double z = (k + 0.5) / kDirections, r = std::sqrt(1.0 - z * z), angle = 2.399963229728653 * k;
    consider({r * std::cos(angle), r * std::sin(angle), z});
  }
  const Eigen::Vector3d& c = problem.spread;
  for (int k = 0; k < kOnBorder && c[2] <= problem.limit; ++k) {
    const double angle = 2.0 * EIGEN_PI * k / kOnBorder, radius = std::sqrt(problem.limit - c[2]) * (1.0 - 1e-8);
    const double x = radius / std::sqrt(c[0] - c[2]) * std::cos(angle);
    const double y = radius / std::sqrt(c[1] - c[2]) * std::sin(angle);
    if (x * x + y * y <= 1.0) consider(problem.axes * Eigen::Vector3d(x, y, std::sqrt(1.0 - x * x - y * y)));
  }
  return best;
}

}  // namespace parte::clouds
