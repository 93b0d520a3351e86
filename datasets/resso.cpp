#include <datasets/resso.hpp>

#include <datasets/block_reader.hpp>
#include <datasets/file.hpp>

namespace parte::datasets {
namespace {

namespace fs = std::filesystem;

const RessoScan& full_scan(const std::vector<RessoScan>& scans, const std::string& full, const fs::path& list) {
  if (full.empty()) return scans.front();
  const auto found = std::find_if(scans.begin(), scans.end(), [&](const RessoScan& s) { return s.name == full; });
  if (found == scans.end())
    throw IoError(list, Place::whole_file(),
                  "has no scan " + quoted(std::string_view(full)) + ", which was named as the full one");
  return *found;
}

}  // namespace

std::vector<RessoScan> parse_resso(std::string_view text, const fs::path& path) {
  std::optional<std::size_t> count;
  std::vector<RessoScan> scans;
  BlockReader blocks(4, 4);
  for_each_line(text, path, [&](const Line& line) {
    if (!count) {
      if (line.words.size() != 1) line.fail("expected the number of scans alone on the first line");
      count = whole_number<std::size_t>(line, line.words[0]);
      return;
    }
    blocks.feed(line, [&](const Line& heading, std::span<const std::string_view> words) {
      if (heading.words.size() != 1) heading.fail("expected the file name of a scan, found several words");
      scans.push_back({std::string(heading.words[0]), rigid_transform(heading, words)});
    });
  });
  blocks.finish();
  if (scans.size() != count.value_or(0) || scans.empty())
    throw IoError(path, Place::whole_file(),
                  "has " + std::to_string(scans.size()) + " scans; expected " +
                      (count ? std::to_string(*count) + ", as its first line says" : "a number of scans first"));
  return scans;
}

std::vector<Pair> read_resso_pairs(const fs::path& list, const std::string& full) {
  const std::vector<RessoScan> scans = parse_resso(read_file(list), list);
  const RessoScan& target = full_scan(scans, full, list);
  const fs::path folder = fs::absolute(list).parent_path();
  std::vector<Pair> pairs;
  for (const RessoScan& scan : scans) {
    if (&scan == &target) continue;
    pairs.push_back({(folder / scan.name).string(), (folder / target.name).string(),
                     target.T_world_scan.inverse() * scan.T_world_scan, folder.filename().string()});
  }
  return pairs;
}

}  // namespace parte::datasets
