// How alike are synthetic and real RGB-D fragments? Prints one row of statistics per source, for docs/BENCHMARK.md.
//   parte_fragment_realism [3DMATCH_ROOT PAIR_LIST]
#include <parte/downsample.hpp>

#include <datasets/pair_list.hpp>
#include <datasets/scan_io.hpp>
#include <datasets/world/synthetic.hpp>
#include <tests/bench/pair_statistics.hpp>

#include <cmath>
#include <exception>
#include <map>

namespace {

using namespace parte;
using datasets::Points;

/// Sums that become means.
struct Statistics {
  int fragments = 0;
  double points = 0.0, spread_m = 0.0, voxels = 0.0, patches = 0.0, descriptors = 0.0;
  PairStatistics high, low;  ///< pairs with overlaps as in 3DMatch (more than 30 %) and 3DLoMatch (10 to 30 %)
};

/// RMS distance [m] from the mean.
double spread_m(const PointCloud& cloud) {
  Eigen::Vector3d mean = Eigen::Vector3d::Zero();
  for (Index i = 0; i < cloud.size(); ++i) mean += cloud.at(i) / static_cast<double>(cloud.size());
  double sum = 0.0;
  for (Index i = 0; i < cloud.size(); ++i) sum += (cloud.at(i) - mean).squaredNorm();
  return std::sqrt(sum / static_cast<double>(cloud.size()));
}

void add_fragment(Statistics& s, const Points& points, const Features& f) {
  constexpr double kGrid = 0.025;  // [m] the real fragments come on such a grid
  ++s.fragments;
  s.points += static_cast<double>(voxel_downsample(PointsView(points), kGrid).size());
  s.spread_m += spread_m(f.cloud);
  s.voxels += static_cast<double>(f.cloud.size());
  s.patches += static_cast<double>(f.description().planes.patches.size());
  s.descriptors += static_cast<double>(f.description().point_indices.size());
}

/// The part of the source's voxels that has one of the target within one and a half voxels.
double overlap(const Features& source, const Features& target, const Eigen::Isometry3d& truth, double voxel) {
  const NeighborGrid grid(target.cloud.points, 1.5 * voxel);
  std::size_t common = 0;
  for (Index i = 0; i < source.cloud.size(); ++i) {
    const Eigen::Vector3d place = truth * (source.cloud.at(i) + source.cloud.origin) - target.cloud.origin;
    if (grid.nearest(place.cast<float>(), static_cast<float>(1.5 * voxel)) != NeighborGrid::kNone) ++common;
  }
  return static_cast<double>(common) / static_cast<double>(source.cloud.size());
}

void add_pair(Statistics& s, const Features& source, const Features& target, const Eigen::Isometry3d& truth,
              const Registration& registration) {
  const double part = overlap(source, target, truth, registration.options().voxel);
  if (part < 0.1) return;
  ::add_pair(part > 0.3 ? s.high : s.low, source, target, truth, registration, {0.3, 15.0});
}

void print(const char* name, const Statistics& s) {
  const double n = std::max(1, s.fragments);
  std::printf("| %s | %d | %.0f | %.2f | %.0f | %.1f | %.0f |", name, s.fragments, s.points / n, s.spread_m / n,
              s.voxels / n, s.patches / n, s.descriptors / n);
  s.high.print();
  s.low.print();
  std::printf("\n");
  std::fflush(stdout);
}

Statistics of_pairs(const Registration& registration, const std::vector<datasets::Pair>& pairs) {
  Statistics s;
  std::map<std::string, Features> features;
  for (const datasets::Pair& pair : pairs) {
    for (const std::string& path : {pair.source, pair.target})
      if (!features.contains(path)) {
        const Points points = datasets::read_scan(path);
        add_fragment(s, points, features[path] = registration.extract(points));
      }
    add_pair(s, features[pair.source], features[pair.target], pair.T_target_source, registration);
  }
  return s;
}

/// Every fragment of the first rooms, and all pairs among them.
Statistics of_indoor(const Registration& registration, std::uint64_t seed) {
  constexpr std::size_t kFragments = 50;
  const datasets::Sequence sequence =
      datasets::open_synthetic({.preset = datasets::Preset::indoor, .seed = seed, .lidar = {}});
  Statistics s;
  std::vector<Features> features;
  for (std::size_t i = 0; i < std::min(kFragments, sequence.size()); ++i) {
    const Points points = sequence.read(i);
    features.push_back(registration.extract(points));
    add_fragment(s, points, features.back());
  }
  for (std::size_t i = 0; i < features.size(); ++i)
    for (std::size_t j = i + 1; j < features.size(); ++j)
      add_pair(s, features[i], features[j], sequence.ground_truth[j].inverse() * sequence.ground_truth[i],
               registration);
  return s;
}

}  // namespace

int main(int argc, char** argv) try {
  const Registration registration(Options::rgbd(0.05));
  std::printf(
      "| source | fragments | points on 2.5 cm | spread [m] | voxels of 5 cm | patches | descriptors "
      "| inliers, clique, right above 30 %% overlap | 10-30 %% |\n|---|---|---|---|---|---|---|---|---|\n");
  if (argc > 2) print("real", of_pairs(registration, datasets::read_3dmatch_pairs(argv[2], argv[1])));
  print("indoor", of_indoor(registration, 1));
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "parte_fragment_realism: %s\n", error.what());
  return 1;
}
