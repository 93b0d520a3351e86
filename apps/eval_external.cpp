#include <apps/eval_method.hpp>

#include <datasets/io_error.hpp>
#include <datasets/lines.hpp>
#include <datasets/scan_io.hpp>

#include <array>
#include <atomic>
#include <cstdio>
#include <string>

#include <sys/wait.h>
#include <unistd.h>

namespace parte::apps {
namespace {

namespace fs = std::filesystem;

/// A word for the shell, whatever is in it.
std::string shell_word(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

/// In one pass, lest a placeholder in a file's name be taken for one of the command.
std::string filled(const std::string& command, const std::string& source, const std::string& target) {
  static constexpr std::string_view kSource = "{source}", kTarget = "{target}";
  std::string text;
  for (std::size_t at = 0; at < command.size();) {
    const std::string_view rest = std::string_view(command).substr(at);
    if (rest.starts_with(kSource))
      text += source, at += kSource.size();
    else if (rest.starts_with(kTarget))
      text += target, at += kTarget.size();
    else
      text += command[at++];
  }
  return text;
}

/// A folder of this run's own for clouds that are in no file.
const fs::path& temporary_folder() {
  static const struct Folder {
    Folder() {
      std::string name = (fs::temp_directory_path() / "parte_eval_XXXXXX").string();
      if (mkdtemp(name.data()) == nullptr)
        throw datasets::IoError(name, datasets::Place::whole_file(),
                                "cannot be made; set TMPDIR to a folder that can be written to");
      path = name;
    }
    ~Folder() {
      std::error_code ignored;
      fs::remove_all(path, ignored);
    }
    fs::path path;
  } folder;
  return folder.path;
}

/// The file of a scan; one that was made is written to a temporary place for as long as this lives.
class ScanFile {
 public:
  explicit ScanFile(const EvalScan& scan) : path_(scan.file), temporary_(scan.file.empty()) {
    static std::atomic<unsigned> count = 0;
    if (!temporary_) return;
    path_ = temporary_folder() / std::to_string(count++).append(".ply");
    datasets::write_ply(path_, scan.read());
  }
  ~ScanFile() {
    std::error_code ignored;
    if (temporary_) fs::remove(path_, ignored);
  }
  ScanFile(const ScanFile&) = delete;
  ScanFile& operator=(const ScanFile&) = delete;
  [[nodiscard]] std::string word() const { return shell_word(fs::absolute(path_).string()); }

 private:
  fs::path path_;
  bool temporary_;
};

struct Output {
  std::string text;
  int code;
};

Output output_of(const std::string& command) {
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) return {"", 127};
  Output output{"", 0};
  std::array<char, 4096> buffer;
  for (std::size_t n; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    output.text.append(buffer.data(), n);
  const int status = pclose(pipe);
  output.code = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
  return output;
}

/// Of the last four lines that hold four numbers and nothing else; nothing if there are none, or they are no transform.
std::optional<Eigen::Isometry3d> last_matrix(const std::string& text) {
  std::vector<std::array<std::string_view, 4>> rows;
  static const fs::path kPath = "the program's output";
  datasets::for_each_line(text, kPath, [&](const datasets::Line& line) {
    if (line.words.size() != 4) return;
    for (const std::string_view word : line.words)
      if (!datasets::parse_number<double>(word)) return;
    rows.push_back({line.words[0], line.words[1], line.words[2], line.words[3]});
  });
  if (rows.size() < 4) return std::nullopt;
  std::vector<std::string_view> words;
  for (std::size_t k = rows.size() - 4; k < rows.size(); ++k) words.insert(words.end(), rows[k].begin(), rows[k].end());
  try {
    return datasets::rigid_transform({kPath, 1, {}, {}}, words);
  } catch (const datasets::IoError&) {
    return std::nullopt;
  }
}

}  // namespace

ExternalAnswer run_external(const std::string& command, double time_limit_s, const EvalScan& source,
                            const EvalScan& target) {
  constexpr int kTimedOut = 124;  // what timeout(1) ends with
  const ScanFile source_file(source), target_file(target);
  const std::string whole = filled(command, source_file.word(), target_file.word());
  const auto start = std::chrono::steady_clock::now();
  const Output output =
      output_of("timeout -k 5 " + std::to_string(time_limit_s) + " sh -c " + shell_word(whole) + " </dev/null");
  ExternalAnswer answer;
  answer.milliseconds = milliseconds_since(start);
  if (output.code == 0) answer.T_target_source = last_matrix(output.text);
  answer.status = output.code == kTimedOut ? "timed out"
                  : output.code != 0       ? "exit status " + std::to_string(output.code)
                  : answer.T_target_source ? "success"
                                           : "no 4 x 4 transform printed";
  return answer;
}

}  // namespace parte::apps
