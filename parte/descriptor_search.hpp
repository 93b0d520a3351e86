#pragma once

#include <parte/fpfh.hpp>

#include <limits>
#include <span>

namespace parte::detail {

/// Nearest neighbour so far; equal distances go to the lower index.
struct Nearest {
  double squared_distance = std::numeric_limits<double>::infinity();
  std::int32_t index = -1;
  void offer(double d, std::int32_t i) {
    if (d < squared_distance || (d == squared_distance && i < index)) squared_distance = d, index = i;
  }
};

/// FPFH and what stands beside it, then zeros: sums of three squares at a time come out even.
inline constexpr int kDescriptorSize = kFpfhSize + 3;
using DescriptorMatrix = Eigen::Matrix<float, Eigen::Dynamic, kDescriptorSize, Eigen::RowMajor>;

using DescriptorAxes = Eigen::Matrix<float, kDescriptorSize, kDescriptorSize>;
/// An orthonormal basis in its columns: the directions in which the rows differ most come first.
[[nodiscard]] DescriptorAxes principal_axes(const DescriptorMatrix& rows);

/// Descriptors made ready for exact nearest-neighbour searches: turned to common axes, and sorted into tiles of similar
/// rows with a box around each, so that most tiles can be dismissed by the first few coordinates. Zero rows (no
/// descriptor) are left out. Refers to `rows`.
class SearchRows {
 public:
  SearchRows(const DescriptorMatrix& rows, const DescriptorAxes& axes);

  /// The rows that are not left out, similar ones side by side.
  [[nodiscard]] const std::vector<std::int32_t>& order() const { return order_; }

  /// For each row named in `queries` (in an order as that of order()) the nearest of the rows of `among`, or what
  /// `nearest`, which has a place for every row, holds already if that is nearer.
  void find_nearest(std::span<const std::int32_t> queries, const SearchRows& among, std::span<Nearest> nearest) const;

 private:
  struct Block;
  void make_tiles();
  void search(Block& block, std::vector<float>& bounds) const;
  void compare(Block& block, std::size_t tile) const;

  const DescriptorMatrix& rows_;
  DescriptorMatrix turned_;  // the rows along the common axes
  float largest_norm_ = 0.0f;
  std::vector<std::int32_t> order_;
  std::size_t tile_count_ = 0;
  std::vector<float> first_, rest_;  // the first and the other coordinates: per tile one line of rows for each
  std::vector<float> low_, high_;    // boxes: for each of the first coordinates one line of all tiles
};

}  // namespace parte::detail
