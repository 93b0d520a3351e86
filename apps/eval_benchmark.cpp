#include <apps/eval_benchmark.hpp>

#include <datasets/eth.hpp>
#include <datasets/file.hpp>
#include <datasets/fragment_pairs.hpp>
#include <datasets/lines.hpp>
#include <datasets/places.hpp>
#include <datasets/resso.hpp>
#include <datasets/scan_io.hpp>

#include <array>
#include <map>
#include <set>
#include <stdexcept>

namespace parte::apps {
namespace {

namespace fs = std::filesystem;
using datasets::Pair;

/// What a published benchmark is called and judged by.
struct Protocol {
  const char* request;
  const char* name;
  Sensor sensor;
  double voxel;
  Criterion right;
};

// ETH and KITTI stand on the ground; "pairs" and "synthetic" are judged as KITTI-LC unless told otherwise.
constexpr std::array<Protocol, 8> kProtocols = {{
    {"kitti-lc", "KITTI-LC", Sensor::lidar, 0.3, {2.0, 5.0}},
    {"kitti-10m", "KITTI-10m", Sensor::lidar, 0.3, {0.6, 5.0}},
    {"3dmatch", "3DMatch", Sensor::rgbd, 0.05, {0.3, 15.0}},
    {"3dlomatch", "3DLoMatch", Sensor::rgbd, 0.05, {0.3, 15.0}},
    {"eth", "ETH", Sensor::lidar, 0.1, {0.3, 15.0}},
    {"resso", "RESSO", Sensor::rgbd, 0.05, {0.3, 15.0}},
    {"synthetic", "synthetic", Sensor::lidar, 0.3, {2.0, 5.0}},
    {"pairs", "pairs", Sensor::lidar, 0.3, {2.0, 5.0}},
}};

const Protocol& protocol_named(const std::string& name) {
  for (const Protocol& protocol : kProtocols)
    if (name == protocol.request) return protocol;
  throw std::invalid_argument("there is no benchmark " + datasets::quoted(name));
}

/// Collects pairs of files; each file becomes one scan.
class Files {
 public:
  Files(Benchmark& benchmark, fs::path root) : benchmark_(benchmark), root_(std::move(root)) {}

  void add(const std::vector<Pair>& pairs, const std::string& bin) {
    for (const Pair& pair : pairs) {
      const std::size_t number =
          benchmark_.count_pair(name_of(pair.source), name_of(pair.target), pair.T_target_source, pair.group, bin);
      if (!present(pair.source) || !present(pair.target)) {
        ++benchmark_.missing;
        continue;
      }
      benchmark_.pairs.push_back(
          {number, index_of(pair.source), index_of(pair.target), pair.T_target_source, pair.group, bin});
    }
  }

  /// Throws unless all scans are there or may be missing.
  void check(bool allow_missing) const {
    if (missing_.empty() || (allow_missing && !benchmark_.pairs.empty())) return;
    const std::string remedy = benchmark_.pairs.empty()
                                   ? "--root must be the folder that the lists' paths start from"
                                   : "--allow-missing leaves their pairs out, and says so in the table";
    throw datasets::IoError(*missing_.begin(), datasets::Place::whole_file(),
                            "is not there; " + std::to_string(missing_.size()) + " scans of " +
                                std::to_string(benchmark_.missing) + " of " + std::to_string(benchmark_.total) +
                                " pairs are missing. " + remedy);
  }

 private:
  bool present(const std::string& file) {
    const auto [known, is_new] = present_.try_emplace(file, false);
    if (is_new) known->second = fs::exists(file);
    if (!known->second) missing_.insert(file);
    return known->second;
  }

  [[nodiscard]] std::string name_of(const std::string& file) const {
    return fs::path(file).lexically_proximate(root_).string();
  }

  std::size_t index_of(const std::string& file) {
    const auto [known, is_new] = index_.try_emplace(file, benchmark_.scans.size());
    if (is_new) benchmark_.scans.push_back({name_of(file), file, [file] { return datasets::read_scan(file); }});
    return known->second;
  }

  Benchmark& benchmark_;
  fs::path root_;
  std::map<std::string, bool> present_;
  std::map<std::string, std::size_t> index_;
  std::set<std::string> missing_;
};

/// The folder with the lists of a benchmark: what was given, or one of the usual places.
fs::path list_folder(const BenchmarkRequest& r, const std::string& folder, const std::string& file) {
  std::vector<fs::path> places;
  if (!r.lists.empty()) places = {r.lists / file, r.lists / folder / file};
  if (r.lists.empty())
    places = {r.root / file, r.root / folder / file, r.root / "lists" / folder / file,
              r.root / ".." / "lists" / folder / file};
  return datasets::require_place(places, "the published list of pairs; --lists is the folder that has it")
      .parent_path();
}

void add_kitti_lc(Files& files, const BenchmarkRequest& r) {
  const fs::path lists = list_folder(r, "kitti_lc", "test_0_10.txt");
  for (const auto& [file, bin] : {std::pair("test_0_10.txt", "0-10 m"), std::pair("test_10_20.txt", "10-20 m"),
                                  std::pair("test_20_30.txt", "20-30 m")})
    files.add(datasets::read_kitti_pairs(lists / file, r.root), bin);
}

/// 3DMatch and 3DLoMatch share the clouds; their lists have a folder each where both are installed.
void add_3dmatch(Files& files, const BenchmarkRequest& r, const std::string& name) {
  fs::path lists = r.lists;
  if (lists.empty()) lists = datasets::find_place({r.root / "benchmarks" / name, r.root / name}).value_or(r.root);
  for (const std::string_view scene : datasets::k3DMatchScenes)
    files.add(datasets::read_3dmatch_scene(r.root, std::string(scene), lists), "");
}

void add_eth(Files& files, const BenchmarkRequest& r) {
  for (const char* scene : {"gazebo_summer", "gazebo_winter", "wood_autumn", "wood_summer"})
    files.add(datasets::read_eth_scene(r.root, scene), "");
}

/// The list of a scene is the one .txt or .reg file beside its scans.
void add_resso(Files& files, const BenchmarkRequest& r) {
  for (const std::string scene : {"6a", "6b", "6c", "6d", "6f", "6g", "6h"}) {
    const fs::path folder = datasets::require_place({r.root / scene}, "a scene of RESSO");
    std::vector<fs::path> lists;
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.path().extension() == ".txt" || entry.path().extension() == ".reg") lists.push_back(entry.path());
    if (lists.size() != 1)
      throw datasets::IoError(folder, datasets::Place::whole_file(),
                              "expected one .txt or .reg file, the list of the scans and their poses, found " +
                                  std::to_string(lists.size()));
    files.add(datasets::read_resso_pairs(lists.front()), "");
  }
}

/// Lists of KITTI's form have a line of 20 words, those of 3DMatch's form one of 21.
std::vector<Pair> read_list(const fs::path& list, const fs::path& root) {
  const std::string text = datasets::read_file(list);
  std::optional<bool> fragments;
  datasets::for_each_line(text, list, [&](const datasets::Line& line) {
    if (!fragments && (line.words.size() == 20 || line.words.size() == 21)) fragments = line.words.size() == 21;
  });
  return fragments.value_or(false) ? datasets::parse_3dmatch_pairs(text, list, root)
                                   : datasets::parse_kitti_pairs(text, list, root);
}

void add_lists(Files& files, const BenchmarkRequest& r, bool by_distance) {
  for (const std::string& list : r.pair_lists) {
    for (const Pair& pair : read_list(list, r.root))
      files.add({pair}, by_distance ? distance_bin(pair.T_target_source.translation().norm()) : "");
  }
}

void add_files(Benchmark& b, const BenchmarkRequest& r) {
  Files files(b, r.root);
  if (r.name == "kitti-lc") add_kitti_lc(files, r);
  if (r.name == "kitti-10m")
    files.add(datasets::read_kitti_pairs(list_folder(r, "kitti_10m", "test_10.txt") / "test_10.txt", r.root), "");
  if (r.name == "3dmatch" || r.name == "3dlomatch") add_3dmatch(files, r, b.name);
  if (r.name == "eth") add_eth(files, r);
  if (r.name == "resso") add_resso(files, r);
  if (r.name == "pairs") add_lists(files, r, b.options.sensor == Sensor::lidar);
  files.check(r.allow_missing);
}

void add_synthetic(Benchmark& b, const BenchmarkRequest& r, bool indoor) {
  for (const std::string& preset : r.presets) {
    if (preset == "indoor" && !indoor)
      throw std::invalid_argument(
          "--presets: indoor is seen by a depth camera and has a protocol of its own; give it alone");
    add_synthetic_pairs(b, preset, r);
  }
}

}  // namespace

std::string distance_bin(double metres) {
  return metres < 10.0 ? "0-10 m" : metres < 20.0 ? "10-20 m" : metres < 30.0 ? "20-30 m" : "30 m and more";
}

std::size_t Benchmark::count_pair(const std::string& source, const std::string& target,
                                  const Eigen::Isometry3d& T_target_source, const std::string& group,
                                  const std::string& bin) {
  const auto add = [&](std::string_view bytes) {  // FNV-1a
    for (const char c : bytes) fingerprint = (fingerprint ^ static_cast<unsigned char>(c)) * 1099511628211u;
    fingerprint = (fingerprint ^ 0xffu) * 1099511628211u;
  };
  for (const std::string* word : {&source, &target, &group, &bin}) add(*word);
  const Eigen::Matrix4d matrix = T_target_source.matrix();
  add({reinterpret_cast<const char*>(matrix.data()), sizeof(double) * 16});
  return total++;
}

Benchmark open_benchmark(const BenchmarkRequest& r) {
  const Protocol& protocol = protocol_named(r.name);
  Benchmark b;
  b.name = protocol.name;
  const bool indoor = r.name == "synthetic" && r.presets == std::vector<std::string>{"indoor"};
  const bool lidar = r.sensor.value_or(indoor ? Sensor::rgbd : protocol.sensor) == Sensor::lidar;
  // Only what has no published protocol goes by the sensor.
  const bool as_published = lidar == (protocol.sensor == Sensor::lidar) || (r.name != "pairs" && r.name != "synthetic");
  const double voxel = r.voxel.value_or(as_published ? protocol.voxel : lidar ? 0.3 : 0.05);
  b.options = lidar ? Options::lidar(voxel) : Options::rgbd(voxel);
  const Criterion usual = as_published ? protocol.right : lidar ? Criterion{2.0, 5.0} : Criterion{0.3, 15.0};
  b.right = {r.max_m.value_or(usual.metres), r.max_deg.value_or(usual.degrees)};
  if (r.name != "synthetic") add_files(b, r);
  if (r.name == "synthetic") add_synthetic(b, r, indoor);
  if (b.pairs.empty()) throw std::invalid_argument("there are no pairs to evaluate");
  return b;
}

}  // namespace parte::apps
