// Median time of every stage over a few pairs: real KITTI scans given as arguments, else synthetic ones.
//   parte_bench [--threads N] [--repeat N] [SOURCE.bin TARGET.bin]...

#include <datasets/scan_io.hpp>
#include <datasets/world/presets.hpp>
#include <datasets/world/sensors.hpp>
#include <parte/registration.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

namespace {

using Cloud = std::vector<Eigen::Vector3f>;

struct ScanPair {
  Cloud source, target;
};

std::vector<ScanPair> synthetic_pairs() {
  std::vector<ScanPair> pairs;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const auto street = parte::datasets::make_street(seed);
    const parte::datasets::RayTracer tracer(street.mesh);
    const auto here = parte::datasets::street_pose(street, 80.0, 0.0, 0.0);
    const auto there = parte::datasets::street_pose(street, 90.0, 1.0, 2.6);
    pairs.push_back({parte::datasets::scan_lidar(tracer, here), parte::datasets::scan_lidar(tracer, there)});
  }
  return pairs;
}

/// Times by stage, in the order of first appearance.
class Table {
 public:
  void add(const std::string& stage, double ms) {
    if (!times_.contains(stage)) order_.push_back(stage);
    times_[stage].push_back(ms);
  }
  void print() const {
    for (const std::string& stage : order_) {
      std::vector<double> sorted = times_.at(stage);
      std::sort(sorted.begin(), sorted.end());
      std::printf("%-16s %9.2f\n", stage.c_str(), sorted[sorted.size() / 2]);
    }
  }

 private:
  std::vector<std::string> order_;
  std::map<std::string, std::vector<double>> times_;
};

/// The stages of both extractions together, then those of the alignment.
void time_pair(const parte::Registration& registration, const ScanPair& pair, Table& table) {
  const parte::Features a = registration.extract(pair.source), b = registration.extract(pair.target);
  const parte::Result result = registration.align(a, b);
  const auto& s = a.timings;
  const auto& t = b.timings;
  table.add("downsample_ms", s.downsample_ms + t.downsample_ms);
  table.add("normals_ms", s.normals_ms + t.normals_ms);
  table.add("ground_ms", s.ground_ms + t.ground_ms);
  table.add("planes_ms", s.planes_ms + t.planes_ms);
  table.add("fpfh_ms", s.fpfh_ms + t.fpfh_ms);
  table.add("pch_ms", s.pch_ms + t.pch_ms);
  table.add("surfaces_ms", s.surfaces_ms + t.surfaces_ms);
  table.add("matching_ms", result.timings.matching_ms);
  table.add("graph_ms", result.timings.graph_ms);
  table.add("clique_ms", result.timings.clique_ms);
  table.add("transform_ms", result.timings.transform_ms);
  table.add("verification_ms", result.timings.verification_ms);
  table.add("extract_ms", s.total_ms() + t.total_ms());
  table.add("align_ms", result.timings.total_ms());
  table.add("total_ms", s.total_ms() + t.total_ms() + result.timings.total_ms());
}

}  // namespace

int main(int argc, char** argv) {
  parte::Options options = parte::Options::lidar(0.3);
  options.threads = 2;
  int repeat = 5;
  std::vector<std::string> files;
  for (int k = 1; k < argc; ++k) {
    const std::string argument = argv[k];
    if (argument == "--threads" && k + 1 < argc)
      options.threads = std::atoi(argv[++k]);
    else if (argument == "--repeat" && k + 1 < argc)
      repeat = std::atoi(argv[++k]);
    else
      files.push_back(argument);
  }
  if (files.size() % 2 != 0) {
    std::fprintf(stderr, "usage: parte_bench [--threads N] [--repeat N] [SOURCE TARGET]...\n");
    return 2;
  }
  std::vector<ScanPair> pairs;
  for (std::size_t k = 0; k < files.size(); k += 2)
    pairs.push_back({parte::datasets::read_scan(files[k]), parte::datasets::read_scan(files[k + 1])});
  if (pairs.empty()) pairs = synthetic_pairs();

  const parte::Registration registration(options);
  Table table;
  for (int round = 0; round < repeat; ++round)
    for (const ScanPair& pair : pairs) time_pair(registration, pair, table);
  std::printf("%zu pairs, %d rounds, %d threads, voxel %.2f m; median per pair\n", pairs.size(), repeat,
              options.threads, options.voxel);
  table.print();
  return 0;
}
