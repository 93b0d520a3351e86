#include <datasets/folder_scans.hpp>

#include <datasets/io_error.hpp>
#include <datasets/scan_io.hpp>
#include <datasets/text.hpp>

#include <algorithm>
#include <optional>
#include <set>
#include <system_error>

namespace parte::datasets {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDigits = "0123456789";

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_scan_name(const fs::path& path) {
  static const std::set<std::string> kOthers = {"calib.txt", "poses.txt", "times.txt", "timestamps.txt"};
  const std::string name = path.filename().string();
  return is_scan_file(path) && !kOthers.contains(lower_case(name)) && name.front() != '.';
}

/// Notes and tables beside scans have these extensions, too.
bool is_plain_text(const fs::path& path) {
  const std::string extension = lower_case(path.extension().string());
  return extension == ".txt" || extension == ".csv";
}

/// A link to itself, or a pipe, is found now and not in the middle of a drive.
bool is_file(const fs::directory_entry& entry) {
  std::error_code error;
  const fs::file_status status = entry.status(error);
  if (fs::is_directory(status)) return false;
  if (!fs::is_regular_file(status))
    throw IoError(entry.path(), Place::whole_file(),
                  "is not a file that can be read" + (error ? " (" + error.message() + ")" : std::string()) +
                      "; remove it from the folder of scans");
  return true;
}

std::vector<fs::path> list_scans(const fs::path& folder, const std::optional<fs::path>& no_scan) {
  std::vector<fs::path> paths;
  std::error_code none;
  try {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder))
      if (is_scan_name(entry.path()) && is_file(entry) && !(no_scan && fs::equivalent(entry.path(), *no_scan, none)))
        paths.push_back(entry.path());
  } catch (const fs::filesystem_error& error) {
    throw IoError(folder, Place::whole_file(),
                  "cannot be opened (" + error.code().message() + "); expected a folder of scans");
  }
  if (!std::all_of(paths.begin(), paths.end(), is_plain_text)) std::erase_if(paths, is_plain_text);
  if (paths.empty())
    throw IoError(folder, Place::whole_file(), "has no scans; expected files .bin, .ply, .pcd, .xyz, .txt or .csv");
  return paths;
}

/// The last number of the name, if it can be an id: seconds with decimals or nanoseconds cannot.
std::optional<int> id_of(const fs::path& path) {
  const std::string stem = path.stem().string();
  const std::size_t last = stem.find_last_of(kDigits);
  if (last == std::string::npos) return std::nullopt;
  const std::size_t before = stem.find_last_not_of(kDigits, last);
  const std::size_t first = before == std::string::npos ? 0 : before + 1;
  if (first > 1 && stem[first - 1] == '.' && is_digit(stem[first - 2])) return std::nullopt;
  return parse_number<int>(std::string_view(stem).substr(first, last + 1 - first));
}

[[noreturn]] void fail_twice(const fs::path& folder, const fs::path& a, const fs::path& b, const std::string& what) {
  throw IoError(folder, Place::whole_file(),
                quoted(a.filename().string()) + " and " + quoted(b.filename().string()) + " are both " + what +
                    "; leave one of them in the folder");
}

/// Ids are positions: only the same scan in two formats could be there twice.
std::vector<FolderScan> by_position(const fs::path& folder, const std::vector<fs::path>& paths) {
  std::vector<FolderScan> scans;
  for (const fs::path& path : paths) {
    if (!scans.empty() && scans.back().path.stem() == path.stem())
      fail_twice(folder, scans.back().path, path, quoted(path.stem().string()));
    scans.push_back({path, static_cast<int>(scans.size())});
  }
  return scans;
}

std::vector<FolderScan> by_id(const fs::path& folder, std::vector<FolderScan> scans) {
  std::stable_sort(scans.begin(), scans.end(), [](const FolderScan& a, const FolderScan& b) { return a.id < b.id; });
  for (std::size_t i = 1; i < scans.size(); ++i)
    if (scans[i].id == scans[i - 1].id)
      fail_twice(folder, scans[i - 1].path, scans[i].path, "frame " + std::to_string(scans[i].id));
  return scans;
}

std::string_view digits_at(std::string_view name, std::size_t begin) {
  const std::size_t end = std::min(name.find_first_not_of(kDigits, begin), name.size());
  return name.substr(begin, end - begin);
}

}  // namespace

bool natural_less(const std::string& a, const std::string& b) {
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      std::string_view x = digits_at(a, i), y = digits_at(b, j);
      i += x.size();
      j += y.size();
      x.remove_prefix(std::min(x.find_first_not_of('0'), x.size()));
      y.remove_prefix(std::min(y.find_first_not_of('0'), y.size()));
      if (x.size() != y.size()) return x.size() < y.size();
      if (x != y) return x < y;
    } else if (a[i] != b[j]) {
      return a[i] < b[j];
    } else {
      ++i, ++j;
    }
  }
  // Names that differ by leading zeros alone still need an order.
  return i < a.size() || j < b.size() ? j < b.size() : a < b;
}

std::vector<FolderScan> find_scans(const fs::path& folder, const std::optional<fs::path>& no_scan) {
  std::vector<fs::path> paths = list_scans(folder, no_scan);
  std::sort(paths.begin(), paths.end(), [](const fs::path& a, const fs::path& b) {
    return a.stem() != b.stem() ? natural_less(a.stem().string(), b.stem().string()) : a < b;
  });
  std::vector<FolderScan> scans;
  for (const fs::path& path : paths)
    if (const auto id = id_of(path)) scans.push_back({path, *id});
  return scans.size() == paths.size() ? by_id(folder, std::move(scans)) : by_position(folder, paths);
}

}  // namespace parte::datasets
