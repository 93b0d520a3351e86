#include <datasets/numbered_files.hpp>

#include <datasets/io_error.hpp>
#include <datasets/text.hpp>

namespace parte::datasets {
namespace {

int number_of(const std::filesystem::path& file) {
  const std::string stem = file.stem().string();
  const auto number = parse_number<int>(stem);
  if (!number || *number < 0 || stem[0] == '+')
    throw IoError(file, Place::whole_file(), "the name is not a frame number; expected a name like 000123.bin");
  return *number;
}

}  // namespace

std::map<int, std::filesystem::path> numbered_files(const std::filesystem::path& folder, const std::string& extension) {
  std::error_code error;
  std::filesystem::directory_iterator entry(folder, error);
  if (error)
    throw IoError(folder, Place::whole_file(),
                  "cannot be listed (" + error.message() + "); expected a folder with the " + extension + " files");
  std::map<int, std::filesystem::path> files;
  for (const auto& item : entry) {
    const std::filesystem::path& file = item.path();
    if (file.extension() != extension || file.filename().string().front() == '.') continue;
    const auto [other, is_new] = files.emplace(number_of(file), file);
    if (!is_new)
      throw IoError(file, Place::whole_file(),
                    "is the same frame as " + other->second.filename().string() + "; remove one of them");
  }
  if (files.empty()) throw IoError(folder, Place::whole_file(), "holds no " + extension + " file");
  return files;
}

}  // namespace parte::datasets
