// How alike are synthetic and real scans? Prints one row of statistics per source, for docs/BENCHMARK.md, and draws a
// real and a synthetic scan side by side.
//   parte_realism [PICTURE.png KITTI_ROOT PAIR_LIST...]
#include <apps/raster.hpp>
#include <datasets/pair_list.hpp>
#include <datasets/scan_io.hpp>
#include <datasets/world/synthetic.hpp>
#include <tests/bench/pair_statistics.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <map>

namespace {

using namespace parte;
using datasets::Points;

/// Sums that become means.
struct Statistics {
  int scans = 0;
  double returns = 0.0, voxels = 0.0, ground = 0.0, patches = 0.0, descriptors = 0.0;
  std::array<double, 6> ranges{};      ///< up to 5, 10, 20, 40, 80, any [m]
  std::array<double, 4> rings{};       ///< returns in elevation bands, from above
  std::array<PairStatistics, 3> bins;  ///< of pairs 0-10, 10-20, 20-30 m apart
};

void add_scan(Statistics& s, const Points& points, const Features& f) {
  constexpr std::array<double, 5> kEdges{5.0, 10.0, 20.0, 40.0, 80.0};
  constexpr std::array<double, 3> kBands{-2.0, -8.6, -16.0};  // [deg]
  ++s.scans;
  s.returns += static_cast<double>(points.size());
  s.voxels += static_cast<double>(f.cloud.size());
  s.ground += static_cast<double>(std::count(f.ground.begin(), f.ground.end(), true));
  s.patches += static_cast<double>(f.description().planes.patches.size());
  s.descriptors += static_cast<double>(f.description().point_indices.size());
  for (const Eigen::Vector3f& p : points) {
    const double range = p.norm(), elevation = std::asin(p.z() / range) * 57.29578;
    s.ranges[static_cast<std::size_t>(std::upper_bound(kEdges.begin(), kEdges.end(), range) - kEdges.begin())] += 1.0;
    s.rings[static_cast<std::size_t>(
        std::count_if(kBands.begin(), kBands.end(), [&](double edge) { return elevation < edge; }))] += 1.0;
  }
}

void add_pair(Statistics& s, const Features& source, const Features& target, const Eigen::Isometry3d& truth,
              const Registration& registration) {
  const double distance = truth.translation().norm();
  if (distance >= 30.0) return;
  add_pair(s.bins[static_cast<std::size_t>(distance / 10.0)], source, target, truth, registration, {2.0, 5.0});
}

void print_header() {
  std::printf(
      "| source | scans | returns | <5 | <10 | <20 | <40 | <80 | more | above -2 | -8.6 | -16 | below | voxels "
      "| ground | patches | descriptors | inliers, clique, right at 0-10 | 10-20 | 20-30 m |\n|");
  for (int i = 0; i < 20; ++i) std::printf("---|");
  std::printf("\n");
}

void print(const char* name, const Statistics& s) {
  const double n = std::max(1, s.scans);
  std::printf("| %s | %d | %.0f |", name, s.scans, s.returns / n);
  for (const double part : s.ranges) std::printf(" %.1f %% |", 100.0 * part / s.returns);
  for (const double part : s.rings) std::printf(" %.1f %% |", 100.0 * part / s.returns);
  std::printf(" %.0f | %.0f | %.1f | %.0f |", s.voxels / n, s.ground / n, s.patches / n, s.descriptors / n);
  for (const PairStatistics& bin : s.bins) bin.print();
  std::printf("\n");
  std::fflush(stdout);
}

Statistics of_pairs(const Registration& registration, const std::vector<datasets::Pair>& pairs) {
  Statistics s;
  std::map<std::string, Features> features;
  const auto features_of = [&](const std::string& path) -> const Features& {
    if (!features.contains(path)) {
      const Points points = datasets::read_scan(path);
      add_scan(s, points, features[path] = registration.extract(points));
    }
    return features[path];
  };
  for (const datasets::Pair& pair : pairs)
    add_pair(s, features_of(pair.source), features_of(pair.target), pair.T_target_source, registration);
  return s;
}

/// Frames every few metres over a part of the drive, and all pairs among them.
Statistics of_synthetic(const Registration& registration, datasets::Preset preset, std::uint64_t seed) {
  constexpr int kFrames = 24;
  constexpr double kApart = 5.0;  // [m]
  const datasets::Sequence sequence = datasets::open_synthetic({.preset = preset, .seed = seed, .lidar = {}});
  Statistics s;
  std::vector<Features> features;
  std::vector<Eigen::Isometry3d> poses;
  for (std::size_t i = sequence.size() / 5; i < sequence.size() && features.size() < kFrames; ++i) {
    const Eigen::Isometry3d& pose = sequence.ground_truth[i];
    if (!poses.empty() && (pose.translation() - poses.back().translation()).norm() < kApart) continue;
    const Points points = sequence.read(i);
    features.push_back(registration.extract(points));
    poses.push_back(pose);
    add_scan(s, points, features.back());
  }
  for (std::size_t i = 0; i < features.size(); ++i)
    for (std::size_t j = i + 1; j < features.size(); ++j)
      add_pair(s, features[i], features[j], poses[j].inverse() * poses[i], registration);
  return s;
}

/// From above, 45 m to every side, darker the more points there are: the ground grey, the rest by height.
void draw_scan(apps::Raster& raster, int left, const Points& points, std::string_view title) {
  constexpr double kScale = 8.0;  // pixels per metre
  constexpr int kSize = 720;
  for (const Eigen::Vector3f& p : points) {
    const int x = static_cast<int>(0.5 * kSize - kScale * p.y()), y = static_cast<int>(0.5 * kSize - kScale * p.x());
    if (x < 0 || y < 0 || x >= kSize || y >= kSize) continue;
    const float height = std::clamp((p.z() + 1.4f) / 3.0f, 0.0f, 1.0f);
    const apps::Color color = p.z() < -1.4f ? apps::Color{0.75f, 0.75f, 0.75f}
                                            : apps::Color{0.9f - 0.8f * height, 0.35f, 0.2f + 0.6f * height};
    raster.tint(left + x, 40 + y, color, p.z() < -1.4f ? 0.4f : 0.8f);
  }
  raster.write(left + 16, 12, title, 2, {0.2f, 0.2f, 0.2f});
}

void draw(const std::string& path, const std::string& real_scan) {
  apps::Raster raster(1440, 760);
  const datasets::Sequence town = datasets::open_synthetic({});
  draw_scan(raster, 0, datasets::read_scan(real_scan), "real scan");
  draw_scan(raster, 720, town.read(town.size() / 8), "synthetic town");
  raster.save(path);
}

}  // namespace

int main(int argc, char** argv) try {
  const Registration registration(Options::lidar(0.3));
  print_header();
  if (argc > 3) {
    std::vector<datasets::Pair> pairs;
    for (int i = 3; i < argc; ++i)
      for (datasets::Pair& pair : datasets::read_kitti_pairs(argv[i], argv[2])) pairs.push_back(std::move(pair));
    if (!pairs.empty()) draw(argv[1], pairs.front().source);
    print("KITTI", of_pairs(registration, pairs));
  }
  using datasets::Preset;
  for (const Preset preset : {Preset::town, Preset::reverse, Preset::highway, Preset::forest})
    print(std::string(to_string(preset)).c_str(), of_synthetic(registration, preset, 1));
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "parte_realism: %s\n", error.what());
  return 1;
}
