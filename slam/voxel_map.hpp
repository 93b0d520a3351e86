#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace parte::slam {

/// Points in a hash table of cubes: the map that scans are aligned with. Coordinates may be far from the origin, since
/// points are kept relative to the corner of their cube. Reading is safe from several threads.
class VoxelMap {
 public:
  static constexpr int kCapacity = 20;

  /// Cubes of edge `voxel` [m] with at most `max_points` (1 to kCapacity) each, none nearer to another of its cube than
  /// voxel / sqrt(max_points): a surface through a cube is covered evenly, and what is covered does not change.
  explicit VoxelMap(double voxel, int max_points = kCapacity);

  /// A scan. Must be finite. The result depends on their order: who comes first stays.
  void add(std::span<const Eigen::Vector3d> points);
  /// Drops the cubes whose middle is farther than `radius` [m] from `center`.
  void remove_beyond(const Eigen::Vector3d& center, double radius);

  /// The point nearest to `place` and nearer than `radius` [m]; exact for any radius, quick up to a few voxels.
  [[nodiscard]] std::optional<Eigen::Vector3d> nearest(const Eigen::Vector3d& place, double radius) const;

  /// How many scans were added since the first one that had a point in the cube of `place`, that one included; 0 if
  /// none had.
  [[nodiscard]] int age(const Eigen::Vector3d& place) const;

  /// The points within a radius of a place, as the ellipsoid that they make.
  struct Surface {
    int count = 0;
    Eigen::Vector3d mean = Eigen::Vector3d::Zero();
    Eigen::Vector3d normal = Eigen::Vector3d::Zero();     ///< unit, either way; zero with fewer than three points
    Eigen::Vector3d variances = Eigen::Vector3d::Zero();  ///< [m^2], ascending; the first is along the normal
  };
  [[nodiscard]] Surface surface(const Eigen::Vector3d& place, double radius) const;

  [[nodiscard]] bool empty() const { return cells_.empty(); }
  [[nodiscard]] std::size_t size() const;  ///< points
  /// All points, cube by cube in the order in which the cubes came to be.
  [[nodiscard]] std::vector<Eigen::Vector3d> points() const;

  /// Appends all that the map is, for restore() to take off the front again: a map of the same options then is the
  /// same to the last bit. Throws std::invalid_argument for bytes that are no such state.
  void save(std::string& bytes) const;
  void restore(std::string_view& bytes);

 private:
  using Coordinates = Eigen::Matrix<std::int64_t, 3, 1>;
  struct Cell {
    Coordinates at = Coordinates::Zero();
    int count = 0;
    int scan = 0;                                    // in which it came to be
    float x[kCapacity], y[kCapacity], z[kCapacity];  // from the cube's corner
  };
  struct Slot {
    std::uint64_t key = ~std::uint64_t{0};  // no cube has this one
    std::uint32_t cell = 0;
  };
  [[nodiscard]] Coordinates coordinates(const Eigen::Vector3d& place) const;
  [[nodiscard]] std::size_t slot_of(std::uint64_t key) const;
  [[nodiscard]] const Cell* find(const Coordinates& at) const;
  Cell& find_or_make(const Coordinates& at);
  void insert(Cell& cell, const Eigen::Vector3f& offset) const;
  void rebuild_table(std::size_t slots);
  [[nodiscard]] Eigen::Vector3d corner(const Coordinates& at) const { return voxel_ * at.cast<double>(); }
  /// Calls visit(cell, place relative to its corner) for the cubes `ring` steps away from that of `place`, as long as
  /// they reach into the ball of squared radius `reach`, which visit may shrink.
  template <class Visit>
  void visit_ring(const Eigen::Vector3d& place, int ring, const float& reach, Visit&& visit) const;

  double voxel_;
  int max_points_;
  int scans_ = 0;
  float min_squared_distance_;
  std::vector<Cell> cells_;
  std::vector<Slot> table_;  // open addressing, a power of two in size, at most half full
};

}  // namespace parte::slam
