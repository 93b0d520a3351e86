#include <parte/matching.hpp>

#include <parte/descriptor_search.hpp>

#include <tbb/parallel_invoke.h>

#include <optional>

namespace parte {

std::vector<Match> match_points(const FpfhMatrix& source, const FpfhMatrix& target) {
  std::vector<Match> matches;
  if (source.rows() == 0 || target.rows() == 0) return matches;
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
