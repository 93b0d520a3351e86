#include <apps/eval_log.hpp>

#include <datasets/file.hpp>
#include <datasets/io_error.hpp>
#include <datasets/text.hpp>

#include <array>
#include <stdexcept>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace parte::apps {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMostParts = 1'000'000;
constexpr const char *kSettings = "run.json", *kResults = "results.jsonl", *kLock = ".lock";
/// What is made of the results when all are there.
constexpr std::array kTables = {"results.csv", "summary.csv", "stages.csv", "table.txt",
                                "planes.csv",  "curves.csv",  "curves.png"};

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || !fs::is_directory(folder))
    throw datasets::IoError(folder, datasets::Place::whole_file(), "cannot be made a folder; give another --out");
}

}  // namespace

Shard parse_shard(const std::string& text) {
  if (text.empty()) return {};
  const std::size_t slash = text.find('/');
  const auto part = datasets::parse_number<std::size_t>(std::string_view(text).substr(0, slash));
  const auto parts = slash == std::string::npos
                         ? std::nullopt
                         : datasets::parse_number<std::size_t>(std::string_view(text).substr(slash + 1));
  if (!part || !parts || *part < 1 || *part > *parts || *parts > kMostParts)
    throw std::invalid_argument("--shard must be I/N, part I of N parts counted from 1 (a million at most), not " +
                                datasets::quoted(text));
  return {*part, *parts};
}

bool in_shard(std::size_t number, std::size_t total, const Shard& shard) {
  return number >= total * (shard.part - 1) / shard.parts && number < total * shard.part / shard.parts;
}

EvalLog::~EvalLog() {
  if (file_ != nullptr) std::fclose(file_);
  if (lock_ >= 0) close(lock_);
}

void EvalLog::lock() {
  lock_ = open((folder_ / kLock).c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0666);
  if (lock_ >= 0 && flock(lock_, LOCK_EX | LOCK_NB) != 0)
    throw std::invalid_argument("another parte_eval is writing to " + folder_.string() + "; give another --out");
}

Json EvalLog::settings() const {
  const fs::path path = folder_ / kSettings;
  const std::string text = datasets::read_file(path);
  try {
    return Json::parse(text);
  } catch (const Json::exception&) {
    throw datasets::IoError(path, datasets::Place::whole_file(),
                            "is not the settings of a run; --overwrite begins anew");
  }
}

std::vector<std::string> EvalLog::lines() const {
  std::vector<std::string> lines;
  if (!fs::exists(folder_ / kResults)) return lines;
  const std::string text = datasets::read_file(folder_ / kResults);
  for (std::size_t begin = 0, end; (end = text.find('\n', begin)) != std::string::npos; begin = end + 1)
    lines.push_back(text.substr(begin, end + 1 - begin));
  return lines;
}

std::size_t EvalLog::begin(const Json& settings, std::size_t lines_per_pair, Earlier earlier) {
  std::string kept;
  std::size_t pairs = 0;
  const bool exists = fs::exists(folder_ / kSettings);
  if (exists && earlier == Earlier::refuse)
    throw std::invalid_argument(folder_.string() + " holds a run: --resume goes on with it, --overwrite begins anew");
  if (exists && earlier == Earlier::resume) {
    if (this->settings() != settings)
      throw std::invalid_argument("the run in " + folder_.string() + " had other settings, see its " + kSettings +
                                  ": give the same ones, another --out, or --overwrite");
    const std::vector<std::string> finished = lines();
    pairs = finished.size() / lines_per_pair;
    for (std::size_t k = 0; k < pairs * lines_per_pair; ++k) kept += finished[k];
  }
  const std::string text = settings.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  make_folder(folder_);
  for (const char* name : kTables)
    if (!exists && earlier != Earlier::overwrite && fs::exists(folder_ / name))
      throw std::invalid_argument((folder_ / name).string() +
                                  " is in the way and of no run here: give another --out, or --overwrite");
  lock();
  for (const char* outdated : kTables) fs::remove(folder_ / outdated);
  datasets::write_file(folder_ / kResults, kept);
  datasets::write_file(folder_ / kSettings, text);
  file_ = std::fopen((folder_ / kResults).c_str(), "ab");
  if (file_ == nullptr)
    throw datasets::IoError(folder_ / kResults, datasets::Place::whole_file(), "cannot be written to");
  return pairs;
}

void EvalLog::append(const std::string& lines) {
  if (std::fwrite(lines.data(), 1, lines.size(), file_) != lines.size() || std::fflush(file_) != 0)
    throw datasets::IoError(folder_ / kResults, datasets::Place::whole_file(),
                            "cannot be written to; is the disk full? The same command goes on when there is space");
}

}  // namespace parte::apps
