#include <datasets/scene.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace parte::datasets {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
constexpr double kCell = 2.0;       // [m] about the size of the things in the scene
constexpr double kKerbWidth = 0.1;  // [m] over which the sidewalk rises

/// The part of a line, by distance along it, that lies within some shape.
struct Span {
  double begin = -kNever, end = kNever;

  void clip(const Span& other) {
    begin = std::max(begin, other.begin);
    end = std::min(end, other.end);
  }
  /// Where a ray that starts outside enters.
  [[nodiscard]] double entry() const { return begin <= end && begin > 0.0 ? begin : kNever; }
};

/// Of one coordinate between two values.
Span between(double origin, double direction, double low, double high) {
  if (direction == 0.0) return origin >= low && origin <= high ? Span{} : Span{kNever, -kNever};
  const double a = (low - origin) / direction, b = (high - origin) / direction;
  return {std::min(a, b), std::max(a, b)};
}

/// Of a unit sphere (or circle) at the origin.
template <class Vector>
Span within_unit_ball(const Vector& origin, const Vector& direction) {
  const double a = direction.squaredNorm(), b = origin.dot(direction), c = origin.squaredNorm() - 1.0;
  if (a == 0.0) return c <= 0.0 ? Span{} : Span{kNever, -kNever};
  const double discriminant = b * b - a * c;
  if (discriminant < 0.0) return {kNever, -kNever};
  const double root = std::sqrt(discriminant);
  return {(-b - root) / a, (-b + root) / a};
}

double intersect(const Box& box, const Eigen::Vector3d& origin, const Eigen::Vector3d& direction) {
  const Eigen::Matrix3d R = box.T_world_box.linear().transpose();
  const Eigen::Vector3d o = R * (origin - box.T_world_box.translation()), d = R * direction;
  Span span;
  for (int axis = 0; axis < 3; ++axis) span.clip(between(o[axis], d[axis], -box.half[axis], box.half[axis]));
  return span.entry();
}

double intersect(const Cylinder& cylinder, const Eigen::Vector3d& origin, const Eigen::Vector3d& direction) {
  const Eigen::Vector2d o = (origin.head<2>() - cylinder.center) / cylinder.radius;
  Span span = within_unit_ball<Eigen::Vector2d>(o, direction.head<2>() / cylinder.radius);
  span.clip(between(origin.z(), direction.z(), cylinder.bottom, cylinder.top));
  return span.entry();
}

double intersect(const Blob& blob, const Eigen::Vector3d& origin, const Eigen::Vector3d& direction) {
  const Eigen::Vector3d o = (origin - blob.center).cwiseQuotient(blob.radii);
  return within_unit_ball<Eigen::Vector3d>(o, direction.cwiseQuotient(blob.radii)).entry();
}

Eigen::AlignedBox3d bounds(const Box& box) {
  const Eigen::Vector3d reach = box.T_world_box.linear().cwiseAbs() * box.half;
  return {box.T_world_box.translation() - reach, box.T_world_box.translation() + reach};
}

Eigen::AlignedBox3d bounds(const Cylinder& c) {
  return {Eigen::Vector3d(c.center.x() - c.radius, c.center.y() - c.radius, c.bottom),
          Eigen::Vector3d(c.center.x() + c.radius, c.center.y() + c.radius, c.top)};
}

Eigen::AlignedBox3d bounds(const Blob& blob) { return {blob.center - blob.radii, blob.center + blob.radii}; }

Eigen::AlignedBox3d bounds_of(const Shape& shape) {
  return std::visit([](const auto& s) { return bounds(s); }, shape);
}

}  // namespace

double CenterLine::y(double x) const { return amplitude * std::sin(frequency * x + phase); }

double CenterLine::heading(double x) const {
  return std::atan(amplitude * frequency * std::cos(frequency * x + phase));
}

double CenterLine::lateral(double x, double at_y) const {
  const double incline = amplitude * frequency * std::cos(frequency * x + phase);
  return (at_y - y(x)) / std::sqrt(1.0 + incline * incline);
}

double Ground::height(double x, double y) const {
  double height = slope.x() * x + slope.y() * y;
  for (const Wave& wave : waves) {
    if (wave.amplitude != 0.0)
      height += wave.amplitude * std::sin(wave.frequency.x() * x + wave.frequency.y() * y + wave.phase);
  }
  if (kerb_height == 0.0) return height;
  const double beyond = (std::abs(center_line.lateral(x, y)) - road_half_width) / kKerbWidth;
  return height + kerb_height * std::clamp(beyond, 0.0, 1.0);
}

double Ground::intersect(const Eigen::Vector3d& origin, const Eigen::Vector3d& direction, double range) const {
  constexpr double kStep = 0.4, kPrecision = 1e-3;  // [m]
  // The surface lies between two parallel planes, so only the part of the ray between them has to be searched.
  const double above = origin.z() - slope.dot(origin.head<2>());
  const double sinking = slope.dot(direction.head<2>()) - direction.z();
  const double waviness = waves[0].amplitude + waves[1].amplitude;
  if (sinking <= 0.0) return kNever;
  double begin = std::max(0.0, (above - waviness - kerb_height) / sinking);
  const double last = (above + waviness) / sinking;
  if (begin > range) return kNever;

  const auto clearance = [&](double t) {
    return origin.z() + t * direction.z() - height(origin.x() + t * direction.x(), origin.y() + t * direction.y());
  };
  double end = begin;
  while (end < last && end < range && clearance(end) > 0.0) begin = std::exchange(end, std::min(last, end + kStep));
  if (end < last && clearance(end) > 0.0) return kNever;
  while (end - begin > kPrecision) {
    const double middle = 0.5 * (begin + end);
    (clearance(middle) > 0.0 ? begin : end) = middle;
  }
  return end;
}

RayCaster::RayCaster(const Scene& scene) : scene_(scene) {
  Eigen::AlignedBox3d all;
  for (const Shape& shape : scene.shapes) all.extend(bounds_of(shape));
  if (all.isEmpty()) return;
  area_ = {all.min().head<2>(), all.max().head<2>()};
  count_ = (area_.sizes() / kCell).array().floor().cast<int>() + 1;
  cells_.resize(static_cast<std::size_t>(count_.prod()));
  for (std::uint32_t i = 0; i < scene.shapes.size(); ++i) {
    const Eigen::AlignedBox3d box = bounds_of(scene.shapes[i]);
    for_each_cell(box, [&](Cell& cell) {
      const bool first = cell.shapes.empty();
      cell.low = first ? box.min().z() : std::min(cell.low, box.min().z());
      cell.high = first ? box.max().z() : std::max(cell.high, box.max().z());
      cell.shapes.push_back(i);
    });
  }
}

template <class Visit>
void RayCaster::for_each_cell(const Eigen::AlignedBox3d& box, Visit&& visit) {
  const Eigen::Array2i low = ((box.min().head<2>() - area_.min()) / kCell).array().floor().cast<int>().max(0);
  const Eigen::Array2i high = ((box.max().head<2>() - area_.min()) / kCell).array().floor().cast<int>().min(count_ - 1);
  for (int y = low.y(); y <= high.y(); ++y)
    for (int x = low.x(); x <= high.x(); ++x) visit(cells_[index_of(x, y)]);
}

double RayCaster::cast_in(const Cell& cell, const Eigen::Vector3d& origin, const Eigen::Vector3d& direction) const {
  double nearest = kNever;
  for (const std::uint32_t i : cell.shapes) {
    nearest =
        std::min(nearest, std::visit([&](const auto& s) { return intersect(s, origin, direction); }, scene_.shapes[i]));
  }
  return nearest;
}

double RayCaster::cast_at_shapes(const Eigen::Vector3d& origin, const Eigen::Vector3d& direction, double range) const {
  Span inside{0.0, range};
  for (int axis = 0; axis < 2; ++axis)
    inside.clip(between(origin[axis], direction[axis], area_.min()[axis], area_.max()[axis]));
  if (cells_.empty() || inside.begin > inside.end) return kNever;

  // Cell by cell along the ray; a hit nearer than the next cell is final.
  const Eigen::Vector2d start = (origin + inside.begin * direction).head<2>() - area_.min();
  Eigen::Array2i cell = (start / kCell).array().floor().cast<int>().max(0).min(count_ - 1);
  Eigen::Array2d leave;
  for (int axis = 0; axis < 2; ++axis) {
    const double border = area_.min()[axis] + kCell * (cell[axis] + (direction[axis] > 0.0 ? 1 : 0));
    leave[axis] = direction[axis] == 0.0 ? kNever : (border - origin[axis]) / direction[axis];
  }
  double nearest = kNever;
  for (double t = inside.begin; t < std::min(nearest, inside.end);) {
    const int axis = leave.x() < leave.y() ? 0 : 1;
    const double z = origin.z() + t * direction.z(), next_z = origin.z() + leave[axis] * direction.z();
    const Cell& here = cells_[index_of(cell.x(), cell.y())];
    if (std::min(z, next_z) <= here.high && std::max(z, next_z) >= here.low)
      nearest = std::min(nearest, cast_in(here, origin, direction));
    t = leave[axis];
    leave[axis] += kCell / std::abs(direction[axis]);
    cell[axis] += direction[axis] > 0.0 ? 1 : -1;
    if (cell[axis] < 0 || cell[axis] >= count_[axis]) break;
  }
  return nearest;
}

double RayCaster::cast(const Eigen::Vector3d& origin, const Eigen::Vector3d& direction, double range) const {
  // The ground is the dearest to intersect, so it comes last and only up to what is already known to be hit.
  const double shape = cast_at_shapes(origin, direction, range);
  const double nearest = std::min(shape, scene_.ground.intersect(origin, direction, std::min(shape, range)));
  return nearest <= range ? nearest : kNever;
}

}  // namespace parte::datasets
