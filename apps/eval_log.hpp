#pragma once

#include <cstdio>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace parte::apps {

/// Part i of n of a benchmark, from 1.
struct Shard {
  std::size_t part = 1, parts = 1;
};
/// Of the option --shard: I/N, or nothing for all. Throws std::invalid_argument.
[[nodiscard]] Shard parse_shard(const std::string& text);

/// Whether a pair belongs to the part: consecutive numbers, so that pairs of one scan stay together.
[[nodiscard]] bool in_shard(std::size_t number, std::size_t total, const Shard& shard);

/// The folder of a run: run.json says what is run, results.jsonl has what is finished.
class EvalLog {
 public:
  explicit EvalLog(std::filesystem::path folder) : folder_(std::move(folder)) {}
  ~EvalLog();
  EvalLog(const EvalLog&) = delete;
  EvalLog& operator=(const EvalLog&) = delete;

  [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
  [[nodiscard]] nlohmann::ordered_json settings() const;  ///< of run.json; throws datasets::IoError
  [[nodiscard]] std::vector<std::string> lines() const;   ///< of results.jsonl, as far as they are whole

  enum class Earlier { refuse, resume, overwrite };
  /// Begins a run, or goes on with an earlier one of the same settings; of a pair that it did not finish
  /// (`lines_per_pair` lines make one) nothing is kept. Returns the number of finished pairs. Throws
  /// std::invalid_argument where the earlier run is in the way.
  std::size_t begin(const nlohmann::ordered_json& settings, std::size_t lines_per_pair, Earlier earlier);
  /// Lines of one pair; they survive the program from then on. Throws datasets::IoError.
  void append(const std::string& lines);

 private:
  void lock();  ///< against another program in the same folder

  std::filesystem::path folder_;
  std::FILE* file_ = nullptr;
  int lock_ = -1;
};

}  // namespace parte::apps
