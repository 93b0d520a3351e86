#pragma once

// Graphs and correspondence problems with known answers, and slow oracles for them.

#include <parte/clique.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace parte::testing {

/// Draws that are the same with every standard library, unlike its distributions.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed * 0x9e3779b97f4a7c15 + 1) {}
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  int integer(int low, int high) { return low + static_cast<int>(uniform() * (high - low + 1)); }
  bool chance(double probability) { return uniform() < probability; }
  Eigen::Vector3d in_cube(double half) {
    const double x = uniform(-half, half), y = uniform(-half, half), z = uniform(-half, half);
    return {x, y, z};
  }
  /// Uniform in the ball.
  Eigen::Vector3d in_ball(double radius) {
    for (;;)
      if (const Eigen::Vector3d v = in_cube(1.0); v.squaredNorm() <= 1.0) return radius * v;
  }
  Eigen::Vector3d direction() {
    for (;;)
      if (const Eigen::Vector3d v = in_ball(1.0); v.norm() > 0.1) return v.normalized();
  }
  Eigen::Isometry3d motion(double reach) {
    const Eigen::Vector3d axis = direction(), shift = in_cube(reach);
    Eigen::Isometry3d T = Eigen::Isometry3d::Identity();
    T.linear() = Eigen::AngleAxisd(uniform(-3.1, 3.1), axis).toRotationMatrix();
    T.translation() = shift;
    return T;
  }
  template <class Items>
  void shuffle(Items& items) {
    for (std::size_t i = items.size(); i > 1; --i)
      std::swap(items[i - 1], items[static_cast<std::size_t>(integer(0, static_cast<int>(i) - 1))]);
  }

 private:
  std::mt19937_64 engine_;
};

inline BitMatrix random_graph(Draw& draw, std::size_t size, double density) {
  BitMatrix graph(size);
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (draw.chance(density)) graph.connect(i, j);
  return graph;
}

inline std::vector<int> random_weights(Draw& draw, std::size_t size, int high) {
  std::vector<int> weights(size);
  for (int& w : weights) w = draw.integer(1, high);
  return weights;
}

inline BitMatrix complete_graph(std::size_t size) {
  BitMatrix graph(size);
  for (std::size_t i = 0; i < size; ++i)
    for (std::size_t j = 0; j < i; ++j) graph.connect(i, j);
  return graph;
}

/// Vertices of different parts are joined, those of one part are not.
inline BitMatrix complete_multipartite(const std::vector<int>& part_of) {
  BitMatrix graph(part_of.size());
  for (std::size_t i = 0; i < part_of.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (part_of[i] != part_of[j]) graph.connect(i, j);
  return graph;
}

/// Distinct ascending vertices of the graph, pairwise joined, whose weights add up to what the clique says.
inline bool is_clique(const BitMatrix& graph, const std::vector<int>& weights, const Clique& clique) {
  std::int64_t weight = 0;
  for (std::size_t a = 0; a < clique.vertices.size(); ++a) {
    const Index v = clique.vertices[a];
    if (v >= graph.size() || (a > 0 && clique.vertices[a - 1] >= v)) return false;
    for (std::size_t b = 0; b < a; ++b)
      if (!graph.test(v, clique.vertices[b]) || !graph.test(clique.vertices[b], v)) return false;
    weight += weights[v];
  }
  return weight == clique.weight;
}

/// The greatest weight of a clique by looking at every subset; for up to about 20 vertices.
inline std::int64_t best_of_all_subsets(const BitMatrix& graph, const std::vector<int>& weights) {
  const std::size_t n = graph.size(), subsets = std::size_t{1} << n;
  std::vector<std::uint32_t> joined(n, 0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j)
      if (graph.test(i, j)) joined[i] |= 1u << j;
  std::vector<std::int64_t> weight(subsets, 0);  // -1: no clique
  std::int64_t best = 0;
  for (std::uint32_t s = 1; s < subsets; ++s) {
    std::size_t v = 0;
    while (!(s >> v & 1u)) ++v;
    const std::uint32_t rest = s & (s - 1);
    weight[s] = weight[rest] < 0 || (rest & ~joined[v]) ? -1 : weight[rest] + weights[v];
    best = std::max(best, weight[s]);
  }
  return best;
}

/// The same by growing every clique in ascending order of its vertices, cut short only where all that remains could
/// not make up the difference.
inline std::int64_t best_by_growing(const BitMatrix& graph, const std::vector<int>& weights,
                                    const std::vector<Index>& candidates, std::int64_t weight, std::int64_t best) {
  best = std::max(best, weight);
  std::int64_t remaining = 0;
  for (const Index v : candidates) remaining += weights[v];
  for (std::size_t a = 0; a < candidates.size() && weight + remaining > best; ++a) {
    const Index v = candidates[a];
    std::vector<Index> next;
    for (std::size_t b = a + 1; b < candidates.size(); ++b)
      if (graph.test(v, candidates[b])) next.push_back(candidates[b]);
    best = best_by_growing(graph, weights, next, weight + weights[v], best);
    remaining -= weights[v];
  }
  return best;
}
inline std::int64_t best_by_growing(const BitMatrix& graph, const std::vector<int>& weights) {
  std::vector<Index> all(graph.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<Index>(i);
  return best_by_growing(graph, weights, all, 0, 0);
}

/// Point correspondences of which some obey one rigid motion.
struct PointProblem {
  std::vector<PointPair> pairs;
  std::vector<Index> inliers;  ///< ascending
  Eigen::Isometry3d T_target_source;
};

/// Inliers are off by less than `noise` [m] each, so that any two of them pass eq. (point-point-consistency) with
/// epsilon_p = noise; outliers are anywhere in a cube with edges of 2 * `half` metres, ten times the noise or more from
/// where they ought to be.
inline PointProblem point_problem(Draw& draw, std::size_t count, double outlier_ratio, double noise, double half) {
  PointProblem problem{{}, {}, draw.motion(half)};
  const auto inliers = static_cast<std::size_t>(std::lround((1.0 - outlier_ratio) * static_cast<double>(count)));
  std::vector<char> good(count, 0);
  std::fill_n(good.begin(), inliers, char{1});
  draw.shuffle(good);
  for (std::size_t i = 0; i < count; ++i) {
    const Eigen::Vector3d p = draw.in_cube(half);
    Eigen::Vector3d q = p + draw.in_ball(0.999 * noise);
    while (!good[i] && (q - p).norm() < 10.0 * noise) q = draw.in_cube(half);
    problem.pairs.push_back({p, problem.T_target_source * q});
    if (good[i]) problem.inliers.push_back(static_cast<Index>(i));
  }
  return problem;
}

/// Peak resident memory of the process so far [MB].
inline double peak_memory_mb() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024.0;
}

}  // namespace parte::testing
