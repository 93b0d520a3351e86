#include <apps/eval_benchmark.hpp>

#include <datasets/random.hpp>
#include <datasets/world/synthetic.hpp>
#include <parte/downsample.hpp>
#include <parte/neighbors.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>

namespace parte::apps {
namespace {

using datasets::Sequence;

struct Drawn {
  std::size_t source, target;
};

Eigen::Isometry3d relative_pose(const Sequence& s, const Drawn& pair) {
  return s.ground_truth[pair.target].inverse() * s.ground_truth[pair.source];
}

/// Any frame and another one whose distance lies in the range, whenever that was; nothing if there is none.
std::optional<Drawn> draw(const Sequence& s, double low_m, double high_m, datasets::Random& random) {
  const auto i = static_cast<std::size_t>(random.integer(0, static_cast<int>(s.size()) - 1));
  std::vector<std::size_t> others;
  for (std::size_t j = 0; j < s.size(); ++j) {
    const double distance = (s.ground_truth[i].translation() - s.ground_truth[j].translation()).norm();
    if (j != i && distance >= low_m && distance < high_m) others.push_back(j);
  }
  if (others.empty()) return std::nullopt;
  return Drawn{i, others[static_cast<std::size_t>(random.integer(0, static_cast<int>(others.size()) - 1))]};
}

/// Fragments on a grid, and which part of one lies on another.
class Fragments {
 public:
  explicit Fragments(const Sequence& s) {
    for (std::size_t i = 0; i < s.size(); ++i) clouds_.push_back(voxel_downsample(PointsView(s.read(i)), kGrid));
    for (const PointCloud& cloud : clouds_) grids_.push_back(std::make_unique<NeighborGrid>(cloud.points, kNear));
  }
  [[nodiscard]] double overlap(const Drawn& pair, const Eigen::Isometry3d& T_target_source) const {
    const PointCloud &source = clouds_[pair.source], &target = clouds_[pair.target];
    std::size_t common = 0;
    for (std::size_t k = 0; k < source.size(); ++k) {
      const Eigen::Vector3d place = T_target_source * (source.at(k) + source.origin) - target.origin;
      const auto near = grids_[pair.target]->nearest(place.cast<float>(), static_cast<float>(kNear));
      if (near != NeighborGrid::kNone) ++common;
    }
    return static_cast<double>(common) / static_cast<double>(std::max<std::size_t>(source.size(), 1));
  }

 private:
  static constexpr double kGrid = 0.1, kNear = 0.1;  // [m]
  std::vector<PointCloud> clouds_;
  std::vector<std::unique_ptr<NeighborGrid>> grids_;
};

/// Adds pairs, each frame of the sequence as one scan.
class Adder {
 public:
  Adder(Benchmark& benchmark, std::string preset, Sequence sequence)
      : benchmark_(benchmark),
        preset_(std::move(preset)),
        sequence_(std::move(sequence)),
        first_(benchmark.scans.size()) {
    for (std::size_t i = 0; i < sequence_.size(); ++i)
      benchmark_.scans.push_back(
          {preset_ + "/" + std::to_string(i), {}, [read = sequence_.read, i] { return read(i); }});
  }
  [[nodiscard]] const Sequence& sequence() const { return sequence_; }
  void add(const Drawn& pair, const std::string& bin) {
    const Eigen::Isometry3d T = relative_pose(sequence_, pair);
    const std::size_t source = first_ + pair.source, target = first_ + pair.target;
    const std::size_t number =
        benchmark_.count_pair(benchmark_.scans[source].name, benchmark_.scans[target].name, T, preset_, bin);
    benchmark_.pairs.push_back({number, source, target, T, preset_, bin});
  }

 private:
  Benchmark& benchmark_;
  std::string preset_;
  Sequence sequence_;
  std::size_t first_;
};

void add_drives(Adder& adder, std::size_t count, datasets::Random& random) {
  constexpr std::array<double, 4> kEdges = {1.0, 10.0, 20.0, 30.0};
  std::size_t tries = 0;
  for (std::size_t k = 0; k < count && tries < 1000 * count; ++tries) {
    const std::size_t bin = k % 3;
    const auto pair = draw(adder.sequence(), kEdges[bin], kEdges[bin + 1], random);
    if (!pair) continue;  // this frame is far from all others
    adder.add(*pair, distance_bin(relative_pose(adder.sequence(), *pair).translation().norm()));
    ++k;
  }
}

/// Overlaps as in 3DMatch (30 % and more) and in 3DLoMatch (10 to 30 %), by turns.
void add_fragments(Adder& adder, std::size_t count, datasets::Random& random) {
  const Fragments fragments(adder.sequence());
  std::size_t tries = 0;
  for (std::size_t k = 0; k < count && tries < 1000 * count; ++tries) {
    const auto pair = draw(adder.sequence(), 0.0, 10.0, random);
    if (!pair) continue;
    const double overlap = fragments.overlap(*pair, relative_pose(adder.sequence(), *pair));
    const bool low = k % 2 == 1;
    if (overlap < (low ? 0.1 : 0.3) || (low && overlap >= 0.3)) continue;
    adder.add(*pair, low ? "10-30 %" : "30-100 %");
    ++k;
  }
}

}  // namespace

void add_synthetic_pairs(Benchmark& benchmark, const std::string& preset, const BenchmarkRequest& request) {
  datasets::SyntheticOptions world;
  world.preset = datasets::preset_named(preset);
  world.seed = request.seed;
  world.lidar = datasets::LidarOptions::of(datasets::lidar_named(request.lidar));
  const std::size_t count = request.pairs_per_preset;
  const std::size_t before = benchmark.pairs.size();
  const bool usual = world.lidar.model == datasets::LidarModel::hdl64e;
  Adder adder(benchmark, usual ? preset : preset + "_" + request.lidar, datasets::open_synthetic(world));
  datasets::Random random(request.seed, static_cast<std::uint64_t>(world.preset));
  if (world.preset == datasets::Preset::indoor)
    add_fragments(adder, count, random);
  else
    add_drives(adder, count, random);
  if (benchmark.pairs.size() - before != count)
    throw std::runtime_error("the world " + preset + " has too few pairs of some kind; another --seed may have more");
}

}  // namespace parte::apps
