#include <parte/planes.hpp>

#include <parte/require.hpp>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace parte {
namespace {

using Solver = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>;

double quadratic(const Eigen::Matrix3d& A, const Eigen::Vector3d& u) { return u.dot(A * u); }

/// Eq. (patch-validity).
bool is_valid(const PatchStatistics& s, const Eigen::Vector3d& u, const PlaneOptions& o) {
  return quadratic(s.covariance, u) <= o.thickness * o.thickness &&
         1.0 - quadratic(s.normals, u) <= o.normal_dispersion * o.normal_dispersion;
}

/// Union-find over points; the statistics and normal of a patch sit at its root.
class PatchForest {
 public:
  PatchForest(const PointCloud& cloud, const PlaneOptions& options)
      : options_(options), parent_(cloud.size()), patches_(cloud.size()), normals_(cloud.size()) {
    std::iota(parent_.begin(), parent_.end(), Index{0});
    for (std::size_t i = 0; i < cloud.size(); ++i) {
      normals_[i] = cloud.normal(i);
      patches_[i] = PatchStatistics::of_point(cloud.at(i), normals_[i]);
    }
  }

  Index find(Index i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }

  /// Joins the patches of two roots if their union is still planar.
  bool try_merge(Index a, Index b) {
    if (patches_[a].count < patches_[b].count) std::swap(a, b);
    const PatchStatistics merged = patches_[a].merged(patches_[b]);
    // The larger patch's own normal is nearly always still valid: then so is the best one, which can wait.
    if (!is_valid(merged, normals_[a], options_)) {
      const auto u = constrained_normal(merged.normals, merged.covariance, options_.thickness * options_.thickness);
      if (!u || !is_valid(merged, *u, options_)) return false;
      normals_[a] = *u;
    }
    parent_[b] = a;
    patches_[a] = merged;
    return true;
  }

  const PatchStatistics& statistics(Index root) const { return patches_[root]; }

 private:
  const PlaneOptions& options_;
  std::vector<Index> parent_;
  std::vector<PatchStatistics> patches_;
  std::vector<Eigen::Vector3d> normals_;
};

/// Thickness of a neighbourhood if it is planar (Algorithm 1, seed test), infinity otherwise.
double seed_flatness(const PointCloud& cloud, std::span<const Index> neighbors, const PlaneOptions& options) {
  constexpr double kNotPlanar = std::numeric_limits<double>::infinity();
  PatchStatistics sum;
  Eigen::Vector3d offset_sum = Eigen::Vector3d::Zero();
  const Eigen::Vector3d reference = cloud.at(neighbors.front());
  for (const Index j : neighbors) {
    const Eigen::Vector3d p = cloud.at(j) - reference, n = cloud.normal(j);
    if (!cloud.has_normal(j)) continue;
    sum.count += 1.0;
    offset_sum += p;
    sum.covariance.noalias() += p * p.transpose();
    sum.normals.noalias() += n * n.transpose();
  }
  if (sum.count < 3.0) return kNotPlanar;
  const Eigen::Vector3d mean = offset_sum / sum.count;
  const Eigen::Matrix3d C = sum.covariance / sum.count - mean * mean.transpose();
  Solver solver;
  const double thickness = solver.computeDirect(C, Eigen::EigenvaluesOnly).eigenvalues()[0];
  const double agreement = solver.computeDirect(sum.normals / sum.count, Eigen::EigenvaluesOnly).eigenvalues()[2];
  const bool planar = thickness <= options.thickness * options.thickness &&
                      1.0 - agreement <= options.normal_dispersion * options.normal_dispersion;
  return planar ? 1.0 - agreement : kNotPlanar;
}

struct Edge {
  float flatness;  // of the less flat end
  Index a, b;
};

/// Pairs of neighbouring seeds, the flattest first.
std::vector<Edge> seed_edges(const Neighborhoods& neighbors, const std::vector<float>& flatness) {
  std::vector<Edge> edges;
  for (Index i = 0; i < flatness.size(); ++i) {
    if (!std::isfinite(flatness[i])) continue;
    for (const Index j : neighbors[i])
      if (j > i && std::isfinite(flatness[j])) edges.push_back({std::max(flatness[i], flatness[j]), i, j});
  }
  std::sort(edges.begin(), edges.end(), [](const Edge& x, const Edge& y) {
    return std::tie(x.flatness, x.a, x.b) < std::tie(y.flatness, y.a, y.b);
  });
  return edges;
}

/// Merges along the edges until nothing changes; edges inside a patch, and repeated ones between the same
/// two patches, are dropped on the way.
void merge_until_stable(PatchForest& forest, std::vector<Edge> edges) {
  for (bool merged = true; merged && !edges.empty();) {
    merged = false;
    std::vector<Edge> open;
    for (const Edge& e : edges) {
      const Index a = forest.find(e.a), b = forest.find(e.b);
      if (a == b) continue;
      if (forest.try_merge(a, b))
        merged = true;
      else
        open.push_back({e.flatness, std::min(a, b), std::max(a, b)});
    }
    for (Edge& e : open) {
      const Index a = forest.find(e.a), b = forest.find(e.b);
      e.a = std::min(a, b), e.b = std::max(a, b);
    }
    const auto by_pair = [](const Edge& x, const Edge& y) {
      return std::tie(x.a, x.b, x.flatness) < std::tie(y.a, y.b, y.flatness);
    };
    std::sort(open.begin(), open.end(), by_pair);
    open.erase(std::unique(open.begin(), open.end(), [](auto& x, auto& y) { return x.a == y.a && x.b == y.b; }),
               open.end());
    std::sort(open.begin(), open.end(), [](const Edge& x, const Edge& y) {
      return std::tie(x.flatness, x.a, x.b) < std::tie(y.flatness, y.a, y.b);
    });
    edges = std::move(open);
  }
}

/// The plane of a patch is the least-squares fit to its points, v3(C): docs/ALGORITHM.md, "Patch normal".
PlanarPatch make_patch(std::vector<Index> indices, const PatchStatistics& s, const Eigen::Vector3d& sensor) {
  const Eigen::Vector3d normal = Solver(s.covariance).eigenvectors().col(0);
  const bool away = normal.dot(sensor - s.mean) < 0.0;
  return {std::move(indices), s.mean, away ? Eigen::Vector3d(-normal) : normal, s.covariance, false};
}

}  // namespace

void PlaneOptions::validate() const {
  require_positive(thickness, "PlaneOptions::thickness");
  if (!(normal_dispersion > 0.0 && normal_dispersion <= 1.0))
    throw std::invalid_argument("PlaneOptions::normal_dispersion must lie in (0, 1]");
  if (min_points < 3) throw std::invalid_argument("PlaneOptions::min_points must be at least 3");
}

PatchStatistics PatchStatistics::of_point(const Eigen::Vector3d& point, const Eigen::Vector3d& normal) {
  return {1.0, point, Eigen::Matrix3d::Zero(), normal * normal.transpose()};
}

PatchStatistics PatchStatistics::merged(const PatchStatistics& other) const {
  PatchStatistics m;
  m.count = count + other.count;
  const double a = count / m.count, b = other.count / m.count;
  const Eigen::Vector3d between = other.mean - mean;
  m.mean = mean + b * between;
  m.covariance = a * covariance + b * other.covariance + (a * b) * between * between.transpose();
  m.normals = a * normals + b * other.normals;
  return m;
}

std::optional<Eigen::Vector3d> constrained_normal(const Eigen::Matrix3d& Q, const Eigen::Matrix3d& C,
                                                  double thickness_squared) {
  // v1(Q) is the unconstrained optimum; if it is feasible it is the answer.
  const Eigen::Vector3d best = Solver().computeDirect(Q).eigenvectors().col(2);
  if (quadratic(C, best) <= thickness_squared) return best;
  const Solver thin(C);
  if (thin.eigenvalues()[0] > thickness_squared) return std::nullopt;

  // Dual: for multiplier m >= 0 the Lagrangian's maximiser is u(m) = v1(Q - m C), and u(m)'C u(m) falls as m grows
  // toward lambda3(C) <= tau_d^2: bisect for the smallest feasible m.
  const auto maximiser = [&](double m) -> Eigen::Vector3d { return Solver(Q - m * C).eigenvectors().col(2); };
  double low = 0.0, high = 1.0 / std::max(thickness_squared, 1e-300);
  Eigen::Vector3d inside = maximiser(high);
  for (int i = 0; i < 60 && quadratic(C, inside) > thickness_squared; ++i) inside = maximiser(high *= 4.0);
  if (quadratic(C, inside) > thickness_squared) return Eigen::Vector3d(thin.eigenvectors().col(0));
  Eigen::Vector3d outside = best;
  for (int i = 0; i < 60 && high - low > 1e-12 * high; ++i) {
    const double middle = 0.5 * (low + high);
    const Eigen::Vector3d u = maximiser(middle);
    if (quadratic(C, u) <= thickness_squared)
      high = middle, inside = u;
    else
      low = middle, outside = u;
  }
  // Where v1 jumps at the critical multiplier (a double eigenvalue) both ends maximise the Lagrangian, and so does
  // every direction between them: walk to the one on the constraint's boundary.
  if (outside.dot(inside) < 0.0) outside = -outside;
  double reach = 0.0, beyond = 1.0;
  for (int i = 0; i < 50; ++i) {
    const double s = 0.5 * (reach + beyond);
    (quadratic(C, ((1.0 - s) * inside + s * outside).normalized()) <= thickness_squared ? reach : beyond) = s;
  }
  return ((1.0 - reach) * inside + reach * outside).normalized();
}

std::vector<PlanarPatch> extract_planes(const PointCloud& cloud, const Neighborhoods& neighbors,
                                        const std::vector<bool>& excluded, const Eigen::Vector3d& sensor,
                                        const PlaneOptions& options) {
  options.validate();
  constexpr float kNotPlanar = std::numeric_limits<float>::infinity();
  std::vector<float> flatness(cloud.size(), kNotPlanar);
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, cloud.size(), 256), [&](const auto& block) {
    for (std::size_t i = block.begin(); i != block.end(); ++i)
      if (cloud.has_normal(i) && (excluded.empty() || !excluded[i]))
        flatness[i] = static_cast<float>(seed_flatness(cloud, neighbors[i], options));
  });

  PatchForest forest(cloud, options);
  merge_until_stable(forest, seed_edges(neighbors, flatness));

  std::vector<std::vector<Index>> members(cloud.size());
  for (Index i = 0; i < cloud.size(); ++i)
    if (std::isfinite(flatness[i])) members[forest.find(i)].push_back(i);
  std::vector<PlanarPatch> patches;
  for (Index root = 0; root < cloud.size(); ++root) {
    if (members[root].size() < static_cast<std::size_t>(options.min_points)) continue;
    patches.push_back(make_patch(std::move(members[root]), forest.statistics(root), sensor));
  }
  std::stable_sort(patches.begin(), patches.end(),
                   [](const auto& a, const auto& b) { return a.indices.size() > b.indices.size(); });
  return patches;
}

PlanarPatch fit_patch(const PointCloud& cloud, std::vector<Index> indices, const Eigen::Vector3d& sensor) {
  std::sort(indices.begin(), indices.end());
  PatchStatistics sum;
  for (const Index i : indices) sum = sum.merged(PatchStatistics::of_point(cloud.at(i), cloud.normal(i)));
  return make_patch(std::move(indices), sum, sensor);
}

}  // namespace parte
