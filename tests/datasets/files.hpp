#pragma once

#include <datasets/io_error.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

/// A folder of the test's own, gone afterwards.
class TemporaryFolder {
 public:
  TemporaryFolder() { std::filesystem::create_directories(path_); }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  [[nodiscard]] std::filesystem::path write(const std::string& name, const std::string& content) const {
    std::ofstream(path_ / name, std::ios::binary) << content;
    return path_ / name;
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  // Test cases run as processes of their own, at the same time.
  std::filesystem::path path_ =
      std::filesystem::temp_directory_path() / ("parte_test_" + std::to_string(std::random_device()()));
};

/// The message of the IoError that `work` throws; nothing else may come out of it.
template <class Work>
std::string io_error_of(Work&& work) {
  try {
    work();
  } catch (const parte::datasets::IoError& error) {
    return error.what();
  }
  return "(no error)";
}

/// Real data is not part of the repository; tests skip without it.
inline std::filesystem::path test_data() {
  if (const char* folder = std::getenv("PARTE_TEST_DATA")) return folder;
  return std::filesystem::path(PARTE_SOURCE_DIR).parent_path() / "shared" / "data";
}
