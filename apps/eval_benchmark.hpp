#pragma once

#include <datasets/sequence.hpp>
#include <parte/options.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace parte::apps {

/// A cloud of a benchmark. `name` does not depend on where the data lies.
struct EvalScan {
  std::string name;
  std::filesystem::path file;  ///< empty: made, not read
  std::function<datasets::Points()> read;
};

/// Two of its clouds, by their place among the scans.
struct EvalPair {
  std::size_t number = 0;  ///< among all pairs of the benchmark, whatever was left out
  std::size_t source = 0, target = 0;
  Eigen::Isometry3d T_target_source = Eigen::Isometry3d::Identity();
  std::string group, bin;  ///< columns of the tables; bin may be empty
};

/// A result this near to the truth is right.
struct Criterion {
  double metres = 0.0, degrees = 0.0;
};

/// Pairs with the protocol they are judged by (paper, Table "Datasets and evaluation protocols").
struct Benchmark {
  std::string name;
  Options options;
  Criterion right;
  std::vector<EvalScan> scans;
  std::vector<EvalPair> pairs;
  std::size_t missing = 0;  ///< pairs left out for want of their scans
  std::size_t total = 0;    ///< pairs, the missing ones included
  /// Of all these pairs, wherever their scans are: results of other pairs have another one.
  std::uint64_t fingerprint = 14695981039346656037u;

  /// The next pair has these names; returns its number.
  std::size_t count_pair(const std::string& source, const std::string& target, const Eigen::Isometry3d& T_target_source,
                         const std::string& group, const std::string& bin);
};

/// Which pairs to evaluate, and what differs from the protocol.
struct BenchmarkRequest {
  std::string name;  ///< kitti-lc, kitti-10m, 3dmatch, 3dlomatch, eth, resso, synthetic or pairs
  std::filesystem::path root = ".", lists;
  std::vector<std::string> pair_lists;                                          ///< of "pairs"
  std::vector<std::string> presets = {"town", "reverse", "forest", "highway"};  ///< of "synthetic"; or indoor alone
  std::string lidar = "hdl64e";                                                 ///< of "synthetic"
  std::size_t pairs_per_preset = 200;
  std::uint64_t seed = 1;
  bool allow_missing = false;
  std::optional<double> voxel, max_m, max_deg;
  std::optional<Sensor> sensor;
};

/// Throws datasets::IoError where lists or, unless they may be missing, scans are not there.
[[nodiscard]] Benchmark open_benchmark(const BenchmarkRequest& request);

/// Pairs of one synthetic world, drawn by chance: as many of each bin.
void add_synthetic_pairs(Benchmark& benchmark, const std::string& preset, const BenchmarkRequest& request);

/// The bin of a distance: "0-10 m", "10-20 m", "20-30 m" or "30 m and more".
[[nodiscard]] std::string distance_bin(double metres);

}  // namespace parte::apps
