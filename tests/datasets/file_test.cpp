#include <datasets/file.hpp>

#include "files.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using Catch::Matchers::ContainsSubstring;
using parte::datasets::read_file;
using parte::datasets::write_file;

namespace {

std::size_t files_in(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

}  // namespace

TEST_CASE("what is written is read back, whatever the bytes and the size", "[io]") {
  const TemporaryFolder folder;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{65536}, std::size_t{200'001}}) {
    std::string bytes(size, '\0');
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 31 % 256);
    write_file(folder / "a", bytes);
    REQUIRE(read_file(folder / "a") == bytes);
  }
  REQUIRE(files_in(folder.path()) == 1);  // no temporary file is left
}

TEST_CASE("a file is replaced as a whole", "[io]") {
  const TemporaryFolder folder;
  write_file(folder / "a", "a long first content");
  write_file(folder / "a", "short");
  REQUIRE(read_file(folder / "a") == "short");
}

TEST_CASE("a link stays a link to the file that is written", "[io]") {
  const TemporaryFolder folder;
  write_file(folder / "a", "old");
  std::filesystem::create_symlink(folder / "a", folder / "link");
  write_file(folder / "link", "new");
  REQUIRE(std::filesystem::is_symlink(folder / "link"));
  REQUIRE(read_file(folder / "a") == "new");
}

TEST_CASE("what is no ordinary file is not replaced by one", "[io]") {
  write_file("/dev/null", "nothing");
  REQUIRE_FALSE(std::filesystem::is_regular_file("/dev/null"));
}

TEST_CASE("files that cannot be read or written say why", "[io]") {
  const TemporaryFolder folder;
  const auto missing = folder / "missing.bin";
  REQUIRE_THAT(io_error_of([&] { (void)read_file(missing); }),
               ContainsSubstring(missing.string()) && ContainsSubstring("cannot be opened (No such file"));
  REQUIRE_THAT(io_error_of([&] { (void)read_file(folder.path()); }), ContainsSubstring("is a folder"));
  const auto unreachable = folder / "no/such/folder";
  REQUIRE_THAT(io_error_of([&] { write_file(unreachable, ""); }),
               ContainsSubstring(unreachable.string() + ": cannot be created"));
  std::filesystem::create_directory(folder / "taken");
  REQUIRE_THAT(io_error_of([&] { write_file(folder / "taken", ""); }), ContainsSubstring("cannot be created"));
  REQUIRE(files_in(folder.path()) == 1);
}
