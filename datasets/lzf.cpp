#include <datasets/lzf.hpp>

#include <datasets/io_error.hpp>

namespace parte::datasets {
namespace {

/// A stream of pieces, each led by a control byte c:
///   c < 32   c + 1 bytes follow and are taken as they are
///   else     earlier output is repeated: the upper 3 bits of c are its length - 2, where 7 means that a byte to add
///            follows; the lower 5 bits and the next byte are how far back it begins, less 1
class Decompressor {
 public:
  Decompressor(std::string_view packed, std::size_t size, const std::filesystem::path& path, std::size_t place)
      : packed_(packed), size_(size), path_(path), place_(place) {}

  std::string run() {
    // A repetition makes at most 264 bytes of 3: no stream can grow more than that.
    if (size_ / 88 > packed_.size()) fail(size_text() + " cannot come from " + std::to_string(packed_.size()));
    out_.reserve(size_);
    while (at_ < packed_.size()) {
      const std::size_t control = next();
      control < 32 ? copy_literal(control + 1) : repeat(control);
    }
    if (out_.size() != size_) fail("the compressed data gives " + std::to_string(out_.size()) + " of " + size_text());
    return std::move(out_);
  }

 private:
  [[noreturn]] void fail(const std::string& problem) const {
    throw IoError(path_, Place::byte(place_ + at_), problem + " (is the file damaged?)");
  }
  [[nodiscard]] std::string size_text() const { return std::to_string(size_) + " bytes that the file promises"; }

  std::size_t next() {
    if (at_ == packed_.size()) fail("the compressed data ends within a piece");
    return static_cast<unsigned char>(packed_[at_++]);
  }

  void check_room(std::size_t length) const {
    if (length > size_ - out_.size()) fail("the compressed data gives more than the " + size_text());
  }

  void copy_literal(std::size_t length) {
    check_room(length);
    if (length > packed_.size() - at_) fail("the compressed data ends within a piece");
    out_.append(packed_.substr(at_, length));
    at_ += length;
  }

  void repeat(std::size_t control) {
    std::size_t length = (control >> 5) + 2;
    if (length == 9) length += next();
    const std::size_t back = ((control & 31) << 8) + next() + 1;
    check_room(length);
    if (back > out_.size()) fail("the compressed data repeats what is before its begin");
    // Byte by byte: it may repeat what it has just written.
    for (std::size_t from = out_.size() - back; length > 0; --length) out_ += out_[from++];
  }

  std::string_view packed_;
  std::size_t size_;
  const std::filesystem::path& path_;
  std::size_t place_;
  std::size_t at_ = 0;
  std::string out_;
};

}  // namespace

std::string lzf_decompress(std::string_view packed, std::size_t size, const std::filesystem::path& path,
                           std::size_t place) {
  return Decompressor(packed, size, path, place).run();
}

}  // namespace parte::datasets
