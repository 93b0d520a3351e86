#include <datasets/fragment_pairs.hpp>

#include <datasets/block_reader.hpp>
#include <datasets/file.hpp>
#include <datasets/places.hpp>

#include <map>

namespace parte::datasets {
namespace {

namespace fs = std::filesystem;

/// Checks `i j n` and returns an entry of the two clouds without its value.
template <class Value>
FragmentEntry<Value> entry_of(const Line& heading) {
  if (heading.words.size() != 3)
    heading.fail("expected \"i j n\" (two clouds and their number), found " + std::to_string(heading.words.size()) +
                 " words");
  FragmentEntry<Value> entry;
  entry.i = whole_number<int>(heading, heading.words[0]);
  entry.j = whole_number<int>(heading, heading.words[1]);
  const int count = whole_number<int>(heading, heading.words[2]);
  for (const int cloud : {entry.i, entry.j})
    if (cloud < 0 || cloud >= count)
      heading.fail("cloud " + std::to_string(cloud) + " is not one of " + std::to_string(count));
  if (entry.i == entry.j) heading.fail("a pair needs two clouds");
  return entry;
}

Matrix6d information_of(const Line& heading, std::span<const std::string_view> words) {
  Matrix6d matrix;
  for (std::size_t k = 0; k < 36; ++k)
    matrix(static_cast<Eigen::Index>(k / 6), static_cast<Eigen::Index>(k % 6)) = finite_number(heading, words[k]);
  return matrix;
}

template <class Value, class Convert>
std::vector<FragmentEntry<Value>> parse_entries(std::string_view text, const fs::path& path, std::size_t size,
                                                Convert&& convert) {
  std::vector<FragmentEntry<Value>> entries;
  BlockReader blocks(size, size);
  for_each_line(text, path, [&](const Line& line) {
    blocks.feed(line, [&](const Line& heading, std::span<const std::string_view> words) {
      entries.push_back(entry_of<Value>(heading));
      entries.back().value = convert(heading, words);
    });
  });
  blocks.finish();
  return entries;
}

/// By pair; empty without a gt.info.
std::map<std::pair<int, int>, Matrix6d> read_information(const fs::path& path) {
  std::map<std::pair<int, int>, Matrix6d> information;
  if (!find_place({path})) return information;
  for (const auto& entry : parse_gt_info(read_file(path), path)) information[{entry.i, entry.j}] = entry.value;
  return information;
}

}  // namespace

std::vector<FragmentEntry<Eigen::Isometry3d>> parse_gt_log(std::string_view text, const fs::path& path) {
  return parse_entries<Eigen::Isometry3d>(text, path, 4, rigid_transform);
}

std::vector<FragmentEntry<Matrix6d>> parse_gt_info(std::string_view text, const fs::path& path) {
  return parse_entries<Matrix6d>(text, path, 6, information_of);
}

std::vector<Pair> read_fragment_pairs(const fs::path& root, const std::string& scene, const fs::path& logs,
                                      const std::string& prefix) {
  const fs::path clouds = require_place({root / scene, root / "fragments" / scene}, "the clouds of the scene");
  const fs::path lists = logs.empty() ? root : logs;
  const fs::path log = require_place({lists / (scene + "-evaluation") / "gt.log", lists / scene / "gt.log",
                                      lists / "gt_result" / (scene + "-evaluation") / "gt.log"},
                                     "the true transforms of the scene");
  const auto information = read_information(log.parent_path() / "gt.info");
  const auto cloud = [&](int number) { return (clouds / (prefix + std::to_string(number) + ".ply")).string(); };
  std::vector<Pair> pairs;
  for (const auto& entry : parse_gt_log(read_file(log), log)) {
    pairs.push_back({cloud(entry.j), cloud(entry.i), entry.value, scene});
    if (const auto found = information.find({entry.i, entry.j}); found != information.end())
      pairs.back().information = found->second;
  }
  return pairs;
}

std::vector<Pair> read_3dmatch_scene(const fs::path& root, const std::string& scene, const fs::path& logs) {
  return read_fragment_pairs(root, scene, logs, "cloud_bin_");
}

}  // namespace parte::datasets
