#include <datasets/lzf.hpp>

#include <datasets/random.hpp>

#include "files.hpp"
#include "lzf_packer.hpp"

#include <catch2/catch_test_macros.hpp>
#include <catch2/generators/catch_generators.hpp>
#include <catch2/generators/catch_generators_range.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

using Catch::Matchers::ContainsSubstring;

namespace {

std::string unpack(std::string_view packed, std::size_t size) {
  return parte::datasets::lzf_decompress(packed, size, "a.pcd", 100);
}
std::string error_of(std::string_view packed, std::size_t size) {
  return io_error_of([&] { (void)unpack(packed, size); });
}

/// Few different bytes make long repetitions, many make literals.
std::string random_bytes(std::uint64_t seed, std::size_t size, int letters) {
  parte::datasets::Random random(seed);
  std::string bytes(size, '\0');
  for (char& byte : bytes) byte = static_cast<char>(random.integer(0, letters - 1));
  return bytes;
}

}  // namespace

TEST_CASE("the bytes of the format are understood one by one", "[lzf]") {
  REQUIRE(unpack("", 0).empty());
  REQUIRE(unpack(std::string("\0A", 2), 1) == "A");
  REQUIRE(unpack("\x02"
                 "abc",
                 3) == "abc");
  // "abc", then 4 bytes from 3 back: it repeats its own first byte.
  REQUIRE(unpack("\x02"
                 "abc\x40\x02",
                 7) == "abcabca");
  // "x", then 9 + 5 bytes from 1 back.
  REQUIRE(unpack(std::string("\0x\xe0\x05\x00", 5), 15) == std::string(15, 'x'));
}

TEST_CASE("what was packed is unpacked, as literals and with repetitions", "[lzf][oracle]") {
  const auto seed = GENERATE(range(0u, 30u));
  for (const int letters : {1, 2, 4, 256}) {
    const std::string bytes = random_bytes(seed, 37 * seed, letters);
    std::string literal;
    lzf_literal(literal, bytes);
    REQUIRE(unpack(literal, bytes.size()) == bytes);
    REQUIRE(unpack(lzf_pack(bytes), bytes.size()) == bytes);
  }
}

TEST_CASE("repetitions reach back as far as the format can say", "[lzf]") {
  const std::string bytes = random_bytes(1, 8192, 256);
  std::string packed;
  lzf_literal(packed, bytes);
  lzf_repeat(packed, 264, 8192);
  REQUIRE(unpack(packed, 8192 + 264) == bytes + bytes.substr(0, 264));
  std::string too_far = packed.substr(0, packed.size() - 3);
  too_far.resize(too_far.size() - 33);
  lzf_repeat(too_far, 3, 8192);
  REQUIRE_THAT(error_of(too_far, 8192), ContainsSubstring("before its begin"));
}

TEST_CASE("damaged LZF data is refused at its byte", "[lzf]") {
  REQUIRE_THAT(error_of("\x05", 6), ContainsSubstring("a.pcd: byte 101: ") && ContainsSubstring("ends within"));
  REQUIRE_THAT(error_of("\x20", 3), ContainsSubstring("ends within"));
  REQUIRE_THAT(error_of("\xe0", 9), ContainsSubstring("ends within"));
  REQUIRE_THAT(error_of(std::string("\x20\x00", 2), 3), ContainsSubstring("before its begin"));
  REQUIRE_THAT(error_of("\x01"
                        "ab",
                        1),
               ContainsSubstring("more than the 1 bytes"));
  REQUIRE_THAT(error_of(std::string("\0a\x20\x00", 4), 2), ContainsSubstring("more than the 2 bytes"));
  REQUIRE_THAT(error_of(std::string("\0a", 2), 2), ContainsSubstring("gives 1 of 2 bytes"));
  REQUIRE_THAT(error_of("", 1), ContainsSubstring("gives 0 of 1 bytes"));
}

TEST_CASE("a size that the packed bytes cannot reach takes no memory", "[lzf]") {
  REQUIRE_THAT(error_of(std::string("\0a", 2), std::size_t{1} << 62), ContainsSubstring("cannot come from 2"));
  // The most that three bytes can give is still unpacked.
  std::string packed("\0a", 2);
  for (int i = 0; i < 1000; ++i) lzf_repeat(packed, 264, 1);
  REQUIRE(unpack(packed, 264'001) == std::string(264'001, 'a'));
}
