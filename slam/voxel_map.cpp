#include <slam/voxel_map.hpp>

#include <slam/state_bytes.hpp>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace parte::slam {
namespace {

/// 21 bits of each coordinate. Cubes that share a key are 2^21 voxels apart: more than a map of bounded size can hold.
std::uint64_t key_of(const Eigen::Matrix<std::int64_t, 3, 1>& at) {
  constexpr std::uint64_t kMask = (std::uint64_t{1} << 21) - 1;
  const auto bits = [&](int axis) { return static_cast<std::uint64_t>(at[axis]) & kMask; };
  return bits(0) | bits(1) << 21 | bits(2) << 42;
}

std::uint64_t mixed(std::uint64_t key) {
  key *= 0x9E3779B97F4A7C15u;  // 2^64 over the golden ratio
  return key ^ key >> 32;
}

/// How far `offset` (from the lower end of interval 0) is from the interval of length `edge` that is `step` further.
float gap(float offset, int step, float edge) {
  if (step > 0) return static_cast<float>(step) * edge - offset;
  if (step < 0) return offset - static_cast<float>(step + 1) * edge;
  return 0.0f;
}

}  // namespace

VoxelMap::VoxelMap(double voxel, int max_points) : voxel_(voxel), max_points_(max_points), table_(1024) {
  if (!(voxel > 0.0) || !std::isfinite(voxel)) throw std::invalid_argument("VoxelMap: voxel must be a positive length");
  if (max_points < 1 || max_points > kCapacity)
    throw std::invalid_argument("VoxelMap: max_points must lie between 1 and " + std::to_string(kCapacity));
  min_squared_distance_ = static_cast<float>(voxel * voxel / max_points);
}

VoxelMap::Coordinates VoxelMap::coordinates(const Eigen::Vector3d& place) const {
  return (place / voxel_).array().floor().cast<std::int64_t>();
}

std::size_t VoxelMap::slot_of(std::uint64_t key) const {
  const std::size_t mask = table_.size() - 1;
  std::size_t slot = mixed(key) & mask;
  while (table_[slot].key != key && table_[slot].key != Slot{}.key) slot = (slot + 1) & mask;
  return slot;
}

const VoxelMap::Cell* VoxelMap::find(const Coordinates& at) const {
  const std::uint64_t key = key_of(at);
  const Slot& slot = table_[slot_of(key)];
  return slot.key == key ? &cells_[slot.cell] : nullptr;
}

void VoxelMap::rebuild_table(std::size_t slots) {
  table_.assign(slots, {});
  for (std::size_t k = 0; k < cells_.size(); ++k) {
    const std::uint64_t key = key_of(cells_[k].at);
    table_[slot_of(key)] = {key, static_cast<std::uint32_t>(k)};
  }
}

VoxelMap::Cell& VoxelMap::find_or_make(const Coordinates& at) {
  const std::uint64_t key = key_of(at);
  if (const Slot& slot = table_[slot_of(key)]; slot.key == key) return cells_[slot.cell];
  if (2 * (cells_.size() + 1) > table_.size()) rebuild_table(2 * table_.size());
  table_[slot_of(key)] = {key, static_cast<std::uint32_t>(cells_.size())};
  Cell& cell = cells_.emplace_back();
  cell.at = at, cell.scan = scans_;
  return cell;
}

void VoxelMap::insert(Cell& cell, const Eigen::Vector3f& offset) const {
  if (cell.count == max_points_) return;
  for (int k = 0; k < cell.count; ++k) {
    const float dx = cell.x[k] - offset.x(), dy = cell.y[k] - offset.y(), dz = cell.z[k] - offset.z();
    if (dx * dx + dy * dy + dz * dz < min_squared_distance_) return;
  }
  cell.x[cell.count] = offset.x(), cell.y[cell.count] = offset.y(), cell.z[cell.count] = offset.z();
  ++cell.count;
}

void VoxelMap::add(std::span<const Eigen::Vector3d> points) {
  ++scans_;
  for (const Eigen::Vector3d& p : points) {
    const Coordinates at = coordinates(p);
    insert(find_or_make(at), (p - corner(at)).cast<float>());
  }
}

void VoxelMap::remove_beyond(const Eigen::Vector3d& center, double radius) {
  const Eigen::Vector3d half = Eigen::Vector3d::Constant(0.5 * voxel_);
  const std::size_t removed = std::erase_if(
      cells_, [&](const Cell& cell) { return (corner(cell.at) + half - center).squaredNorm() > radius * radius; });
  if (removed > 0) rebuild_table(table_.size());
}

template <class Visit>
void VoxelMap::visit_ring(const Eigen::Vector3d& place, int ring, const float& reach, Visit&& visit) const {
  const Coordinates home = coordinates(place);
  const Eigen::Vector3f offset = (place - corner(home)).cast<float>();
  const auto edge = static_cast<float>(voxel_);
  const auto squared_gap = [&](int axis, int step) {
    const float distance = gap(offset[axis], step, edge);
    return distance * distance;
  };
  for (int dx = -ring; dx <= ring; ++dx) {
    const float gap_x = squared_gap(0, dx);
    if (gap_x >= reach) continue;
    for (int dy = -ring; dy <= ring; ++dy) {
      const float gap_xy = gap_x + squared_gap(1, dy);
      if (gap_xy >= reach) continue;
      const bool inside = std::max(std::abs(dx), std::abs(dy)) < ring;  // then only the first and last dz are new
      for (int dz = -ring; dz <= ring; dz += inside ? 2 * ring : 1) {
        if (gap_xy + squared_gap(2, dz) >= reach) continue;
        const Coordinates step(dx, dy, dz);
        if (const Cell* cell = find(home + step)) visit(*cell, Eigen::Vector3f(offset - edge * step.cast<float>()));
      }
    }
  }
}

std::optional<Eigen::Vector3d> VoxelMap::nearest(const Eigen::Vector3d& place, double radius) const {
  auto best = static_cast<float>(radius * radius);
  const Cell* found = nullptr;
  int found_k = 0;
  const auto rings = static_cast<int>(std::ceil(radius / voxel_));
  for (int ring = 0; ring <= rings; ++ring) {
    const auto bound = static_cast<float>((ring - 1) * voxel_);  // no cube of this ring or a later one is nearer
    if (ring > 0 && bound * bound >= best) break;
    visit_ring(place, ring, best, [&](const Cell& cell, const Eigen::Vector3f& at) {
      for (int k = 0; k < cell.count; ++k) {
        const float dx = cell.x[k] - at.x(), dy = cell.y[k] - at.y(), dz = cell.z[k] - at.z();
        const float d2 = dx * dx + dy * dy + dz * dz;
        if (d2 < best) best = d2, found = &cell, found_k = k;
      }
    });
  }
  if (found == nullptr) return std::nullopt;
  return corner(found->at) + Eigen::Vector3f(found->x[found_k], found->y[found_k], found->z[found_k]).cast<double>();
}

int VoxelMap::age(const Eigen::Vector3d& place) const {
  const Cell* cell = find(coordinates(place));
  return cell == nullptr ? 0 : scans_ - cell->scan + 1;
}

VoxelMap::Surface VoxelMap::surface(const Eigen::Vector3d& place, double radius) const {
  const auto reach = static_cast<float>(radius * radius);
  Surface result;
  Eigen::Vector3f sum = Eigen::Vector3f::Zero();
  Eigen::Matrix3f moment = Eigen::Matrix3f::Zero();
  const auto add_cell = [&](const Cell& cell, const Eigen::Vector3f& at) {
    for (int k = 0; k < cell.count; ++k) {
      const Eigen::Vector3f d = Eigen::Vector3f(cell.x[k], cell.y[k], cell.z[k]) - at;
      if (d.squaredNorm() >= reach) continue;
      ++result.count;
      sum += d;
      moment.noalias() += d * d.transpose();
    }
  };
  for (int ring = 0; ring <= static_cast<int>(std::ceil(radius / voxel_)); ++ring)
    visit_ring(place, ring, reach, add_cell);
  if (result.count < 3) return result;
  const Eigen::Vector3d mean = sum.cast<double>() / result.count;
  Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver;
  solver.computeDirect(Eigen::Matrix3d(moment.cast<double>() / result.count - mean * mean.transpose()));
  result.mean = place + mean;
  result.normal = solver.eigenvectors().col(0);
  result.variances = solver.eigenvalues().cwiseMax(0.0);
  return result;
}

std::size_t VoxelMap::size() const {
  std::size_t total = 0;
  for (const Cell& cell : cells_) total += static_cast<std::size_t>(cell.count);
  return total;
}

std::vector<Eigen::Vector3d> VoxelMap::points() const {
  std::vector<Eigen::Vector3d> all;
  all.reserve(size());
  for (const Cell& cell : cells_)
    for (int k = 0; k < cell.count; ++k)
      all.push_back(corner(cell.at) + Eigen::Vector3f(cell.x[k], cell.y[k], cell.z[k]).cast<double>());
  return all;
}

void VoxelMap::save(std::string& bytes) const {
  put(bytes, voxel_);
  put(bytes, max_points_);
  put(bytes, scans_);
  put(bytes, cells_.size());
  for (const Cell& cell : cells_) {
    for (int axis = 0; axis < 3; ++axis) put(bytes, cell.at[axis]);
    put(bytes, cell.count);
    put(bytes, cell.scan);
    for (int i = 0; i < cell.count; ++i)
      for (const float c : {cell.x[i], cell.y[i], cell.z[i]}) put(bytes, c);
  }
}

void VoxelMap::restore(std::string_view& bytes) {
  if (take<double>(bytes) != voxel_ || take<int>(bytes) != max_points_)
    throw std::invalid_argument("a saved map has other voxels");
  scans_ = take<int>(bytes);
  const auto cells = take<std::size_t>(bytes);
  if (cells > bytes.size()) throw std::invalid_argument("a saved map is damaged");
  cells_.assign(cells, {});
  for (Cell& cell : cells_) {
    for (int axis = 0; axis < 3; ++axis) cell.at[axis] = take<std::int64_t>(bytes);
    cell.count = take<int>(bytes);
    cell.scan = take<int>(bytes);
    if (cell.count < 0 || cell.count > max_points_) throw std::invalid_argument("a saved map is damaged");
    for (int i = 0; i < cell.count; ++i)
      for (float* c : {&cell.x[i], &cell.y[i], &cell.z[i]}) *c = take<float>(bytes);
  }
  std::size_t slots = table_.size();  // at most half full
  while (slots < 2 * (cells + 1)) slots *= 2;
  rebuild_table(slots);
}

}  // namespace parte::slam
