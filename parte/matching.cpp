#include <parte/matching.hpp>

#include <parte/descriptor_search.hpp>

#include <tbb/parallel_invoke.h>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <optional>

namespace parte {
namespace {

/// Rows to search; zero rows stay zero.
detail::DescriptorMatrix joined(const FpfhMatrix& fpfh, const UprightMatrix& upright) {
  detail::DescriptorMatrix rows = detail::DescriptorMatrix::Zero(fpfh.rows(), detail::kDescriptorSize);
  rows.leftCols<kFpfhSize>() = fpfh;
  for (Eigen::Index k = 0; k < upright.rows(); ++k)
    if (!fpfh.row(k).isZero(0.0f)) rows.row(k).segment<2>(kFpfhSize) = upright.row(k);
  return rows;
}

/// Kept matches by the cell of their source point.
class KeptMatches {
 public:
  KeptMatches(const PointCloud& source, const PointCloud& target, double spacing)
      : source_(source), target_(target), spacing_(spacing) {}

  [[nodiscard]] bool has_near(const Match& m) const {
    const Cell at = cell_of(m);
    for (int n = 0; n < 27; ++n) {
      const auto found = cells_.find({at[0] + n % 3 - 1, at[1] + n / 3 % 3 - 1, at[2] + n / 9 - 1});
      if (found == cells_.end()) continue;
      for (const Match& other : found->second)
        if (near(source_, m.source, other.source) && near(target_, m.target, other.target)) return true;
    }
    return false;
  }
  void add(const Match& m) { cells_[cell_of(m)].push_back(m); }

 private:
  using Cell = std::array<std::int64_t, 3>;
  [[nodiscard]] Cell cell_of(const Match& m) const {
    const Eigen::Vector3d p = (source_.at(m.source) / spacing_).array().floor().cwiseMax(-1e15).cwiseMin(1e15);
    return {static_cast<std::int64_t>(p.x()), static_cast<std::int64_t>(p.y()), static_cast<std::int64_t>(p.z())};
  }
  [[nodiscard]] bool near(const PointCloud& cloud, Index a, Index b) const {
    return (cloud.at(a) - cloud.at(b)).squaredNorm() < spacing_ * spacing_;
  }

  const PointCloud& source_;
  const PointCloud& target_;
  double spacing_;
  std::map<Cell, std::vector<Match>> cells_;
};

}  // namespace

std::vector<Match> spaced_matches(std::span<const Match> matches, std::span<const float> distances,
                                  const PointCloud& source, const PointCloud& target, double spacing) {
  std::vector<Index> order(matches.size()), kept;
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return distances[a] < distances[b]; });
  KeptMatches seen(source, target, spacing);
  for (const Index k : order) {
    if (seen.has_near(matches[k])) continue;
    seen.add(matches[k]);
    kept.push_back(k);
  }
  std::sort(kept.begin(), kept.end());
  std::vector<Match> spaced;
  for (const Index k : kept) spaced.push_back(matches[k]);
  return spaced;
}

std::vector<Match> match_points(const FpfhMatrix& source_fpfh, const FpfhMatrix& target_fpfh,
                                const UprightMatrix& source_upright, const UprightMatrix& target_upright) {
  std::vector<Match> matches;
  if (source_fpfh.rows() == 0 || target_fpfh.rows() == 0) return matches;
  const bool upright = source_upright.rows() > 0 && target_upright.rows() > 0;
  const detail::DescriptorMatrix source = joined(source_fpfh, upright ? source_upright : UprightMatrix{});
  const detail::DescriptorMatrix target = joined(target_fpfh, upright ? target_upright : UprightMatrix{});
  const detail::DescriptorAxes axes = detail::principal_axes(target);
  std::optional<detail::SearchRows> from, to;
  tbb::parallel_invoke([&] { from.emplace(source, axes); }, [&] { to.emplace(target, axes); });
  std::vector<detail::Nearest> forth(static_cast<std::size_t>(source.rows()));
  std::vector<detail::Nearest> back(static_cast<std::size_t>(target.rows()));
  from->find_nearest(from->order(), *to, forth);
  // Only a row that is somebody's nearest can be mutual, with the nearest of those that chose it if nobody is nearer.
  for (std::size_t i = 0; i < forth.size(); ++i)
    if (forth[i].index >= 0)
      back[static_cast<std::size_t>(forth[i].index)].offer(forth[i].squared_distance, static_cast<std::int32_t>(i));
  std::vector<std::int32_t> chosen;
  for (const std::int32_t j : to->order())
    if (back[static_cast<std::size_t>(j)].index >= 0) chosen.push_back(j);
  to->find_nearest(chosen, *from, back);
  for (std::size_t i = 0; i < forth.size(); ++i)
    if (const std::int32_t j = forth[i].index;
        j >= 0 && back[static_cast<std::size_t>(j)].index == static_cast<std::int32_t>(i))
      matches.push_back({static_cast<Index>(i), static_cast<Index>(j)});
  return matches;
}

}  // namespace parte
