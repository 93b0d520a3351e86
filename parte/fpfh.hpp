#pragma once

#include <parte/types.hpp>

#include <span>

namespace parte {

struct FpfhOptions {
  double radius = 1.5;      ///< [m]; default 5 v
  int max_neighbors = 100;  ///< nearest ones first, the point itself included; points without a normal are none
  void validate() const;    ///< throws std::invalid_argument naming the field
};

inline constexpr int kFpfhBins = 11;
inline constexpr int kFpfhSize = 3 * kFpfhBins;
using FpfhMatrix = Eigen::Matrix<float, Eigen::Dynamic, kFpfhSize, Eigen::RowMajor>;

/// Fast Point Feature Histograms (Rusu et al., ICRA 2009) of the points cloud.points[centers[k]], one row each.
/// Centres are the non-planar points; the support is every point that has a normal. Each of the three 11-bin
/// histograms of a row sums to 100; a centre without a normal or without neighbours gets a zero row. Points with
/// `excluded[i]` (pass an empty vector for none) are no support, and centres without a descriptor.
[[nodiscard]] FpfhMatrix compute_fpfh(const PointCloud& cloud, std::span<const Index> centers,
                                      const FpfhOptions& options, const std::vector<bool>& excluded = {});

}  // namespace parte
