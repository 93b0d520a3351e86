#include <datasets/pair_generator.hpp>

#include <algorithm>
#include <functional>
#include <optional>
#include <stdexcept>

namespace parte::datasets {
namespace {

using Poses = std::span<const Eigen::Isometry3d>;

void check(std::span<const int> ids, Poses poses) {
  if (ids.size() != poses.size()) throw std::invalid_argument("pairs need a pose for every id");
  if (std::adjacent_find(ids.begin(), ids.end(), std::greater_equal<>()) != ids.end())
    throw std::invalid_argument("pairs need ids that ascend");
}

double distance(Poses poses, std::size_t a, std::size_t b) {
  return (poses[a].translation() - poses[b].translation()).norm();
}

FramePair make_pair(std::span<const int> ids, Poses poses, std::size_t a, std::size_t b) {
  return {ids[a], ids[b], poses[b].inverse() * poses[a]};
}

/// The first frame within the window that is too far away.
std::optional<std::size_t> first_beyond(std::span<const int> ids, Poses poses, std::size_t from,
                                        const DistancePairOptions& options) {
  for (std::size_t k = from + 1; k < ids.size() && ids[k] - ids[from] < options.window; ++k)
    if (distance(poses, from, k) > options.distance_m) return k;
  return std::nullopt;
}

}  // namespace

void DistancePairOptions::validate() const {
  if (!(distance_m > 0.0)) throw std::invalid_argument("DistancePairOptions::distance_m must be positive");
  if (window < 1) throw std::invalid_argument("DistancePairOptions::window must be at least 1");
}

void LoopPairOptions::validate() const {
  if (!(min_distance_m >= 0.0 && max_distance_m > min_distance_m))
    throw std::invalid_argument(
        "LoopPairOptions::max_distance_m must exceed min_distance_m, which must not be negative");
  if (min_gap < 0) throw std::invalid_argument("LoopPairOptions::min_gap must not be negative");
  if (!(interval_m >= 0.0)) throw std::invalid_argument("LoopPairOptions::interval_m must not be negative");
}

std::vector<FramePair> distance_pairs(std::span<const int> ids, Poses T_world_frame,
                                      const DistancePairOptions& options) {
  options.validate();
  check(ids, T_world_frame);
  std::vector<FramePair> pairs;
  for (std::size_t from = 0; from < ids.size();) {
    const auto beyond = first_beyond(ids, T_world_frame, from, options);
    if (!beyond) {
      ++from;
      continue;
    }
    // A gap may leave no frame in between.
    if (*beyond - 1 > from) pairs.push_back(make_pair(ids, T_world_frame, from, *beyond - 1));
    from = *beyond;
  }
  return pairs;
}

std::vector<FramePair> loop_pairs(std::span<const int> ids, Poses T_world_frame, const LoopPairOptions& options) {
  options.validate();
  check(ids, T_world_frame);
  std::vector<FramePair> pairs;
  std::optional<std::pair<std::size_t, std::size_t>> last;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (last && distance(T_world_frame, i, last->first) < options.interval_m) continue;
    for (std::size_t j = i + 1; j < ids.size(); ++j) {
      if (ids[j] - ids[i] <= options.min_gap) continue;
      const double apart = distance(T_world_frame, i, j);
      if (apart <= options.min_distance_m || apart >= options.max_distance_m) continue;
      if (last && distance(T_world_frame, j, last->second) < options.interval_m) continue;
      last = {i, j};
      pairs.push_back(make_pair(ids, T_world_frame, i, j));
      if (options.interval_m > 0.0) break;  // every further j of this i is nearer to it than the interval
    }
  }
  return pairs;
}

}  // namespace parte::datasets
