#include "targets.hpp"

#include <datasets/file.hpp>
#include <datasets/random.hpp>

#include <algorithm>
#include <filesystem>
#include <set>

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>

namespace {

namespace fs = std::filesystem;

const fs::path kCorpus = fs::path(PARTE_SOURCE_DIR) / "tests/fuzz/corpus";

/// By name, so that random changes are the same everywhere.
std::vector<fs::path> seeds(const FuzzTarget& target) {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(kCorpus / target.name)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// A few bytes are replaced, left out or repeated.
std::string damaged(std::string bytes, parte::datasets::Random& random) {
  const auto place = [&] { return static_cast<std::size_t>(random.uniform() * static_cast<double>(bytes.size())); };
  for (int i = random.integer(1, 4); i > 0 && !bytes.empty(); --i) {
    const std::size_t at = place();
    if (random.chance(0.5)) {
      bytes[at] = static_cast<char>(random.integer(0, 255));
    } else if (random.chance(0.5)) {
      bytes.erase(at, 1 + place() % 8);
    } else {
      bytes.insert(at, bytes.substr(place(), 1 + place() % 16));
    }
  }
  return bytes;
}

}  // namespace

TEST_CASE("every target has a corpus, and every corpus a target", "[fuzz]") {
  std::set<std::string> corpora, names;
  for (const auto& entry : fs::directory_iterator(kCorpus)) corpora.insert(entry.path().filename().string());
  for (const FuzzTarget& target : fuzz::kTargets) names.insert(target.name);
  REQUIRE(corpora == names);
}

TEST_CASE("a corpus has files that are accepted and files that are not", "[fuzz]") {
  for (const FuzzTarget& target : fuzz::kTargets) {
    INFO(target.name);
    std::size_t accepted = 0, refused = 0;
    for (const fs::path& path : seeds(target)) {
      INFO(path);
      const std::string bytes = parte::datasets::read_file(path);
      REQUIRE(bytes.size() <= 4096);  // larger ones would be cut by ./run fuzz
      const bool good = fuzz::accepts(target, bytes);
      // Findings of the fuzzer keep the name it gave them.
      if (path.filename().string().starts_with("good")) REQUIRE(good);
      if (path.filename().string().starts_with("bad")) REQUIRE_FALSE(good);
      ++(good ? accepted : refused);
    }
    REQUIRE(accepted > 0);
    REQUIRE(refused > 0);
  }
}

TEST_CASE("nothing but an IoError comes out of cut and damaged files", "[fuzz]") {
  const FuzzTarget& target = fuzz::kTargets[GENERATE(range(std::size_t{0}, std::size(fuzz::kTargets)))];
  INFO(target.name);
  parte::datasets::Random random(1);
  for (const fs::path& path : seeds(target)) {
    INFO(path);
    const std::string bytes = parte::datasets::read_file(path);
    for (std::size_t size = 0; size < bytes.size(); ++size) (void)fuzz::accepts(target, bytes.substr(0, size));
    for (int i = 0; i < 300; ++i) (void)fuzz::accepts(target, damaged(bytes, random));
  }
  SUCCEED();
}
