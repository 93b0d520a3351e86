#include <datasets/file.hpp>

#include <datasets/io_error.hpp>

#include <array>
#include <cerrno>
#include <fstream>
#include <random>
#include <system_error>

namespace parte::datasets {
namespace {

namespace fs = std::filesystem;

std::string last_error() { return std::generic_category().message(errno); }

/// `name` is the file that the user knows of.
void write_stream(const fs::path& path, std::string_view bytes, const fs::path& name) {
  errno = 0;
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  if (!out) throw IoError(name, Place::whole_file(), "cannot be created (" + last_error() + "); is the folder there?");
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.close();
  if (!out) throw IoError(name, Place::whole_file(), "cannot be written (" + last_error() + ")");
}

/// Two programs that write the same file at once must not write into the same temporary one.
fs::path temporary_beside(const fs::path& path) {
  fs::path temporary = path;
  temporary += ".part" + std::to_string(std::random_device()());
  return temporary;
}

}  // namespace

std::string read_file(const fs::path& path) {
  std::error_code none;
  if (fs::is_directory(path, none)) throw IoError(path, Place::whole_file(), "is a folder; expected a file");
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in) throw IoError(path, Place::whole_file(), "cannot be opened (" + last_error() + ")");
  std::string bytes;
  std::array<char, 1 << 16> block;
  while (in.read(block.data(), block.size()) || in.gcount() > 0)
    bytes.append(block.data(), static_cast<std::size_t>(in.gcount()));
  if (in.bad()) throw IoError(path, Place::byte(bytes.size()), "cannot be read (" + last_error() + ")");
  return bytes;
}

void write_file(const fs::path& path, std::string_view bytes) {
  std::error_code none;
  const fs::path place = fs::is_symlink(path, none) ? fs::weakly_canonical(path, none) : path;
  // Renaming onto a device or a pipe would replace it by an ordinary file.
  if (fs::exists(place, none) && !fs::is_regular_file(place, none)) return write_stream(place, bytes, path);
  const fs::path temporary = temporary_beside(place);
  try {
    write_stream(temporary, bytes, path);
    fs::rename(temporary, place);
  } catch (const fs::filesystem_error& error) {
    fs::remove(temporary, none);
    throw IoError(path, Place::whole_file(), "cannot be replaced (" + error.code().message() + ")");
  } catch (const IoError&) {
    fs::remove(temporary, none);
    throw;
  }
}

}  // namespace parte::datasets
