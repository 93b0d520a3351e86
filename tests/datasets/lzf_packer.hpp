#pragma once

#include <algorithm>
#include <string>
#include <string_view>

/// LZF as its format description has it, to make test data: a literal run of n bytes is the byte n - 1 and the bytes; a
/// repetition of n bytes, d bytes back, has n - 2 in the upper three bits (7: one more byte with the rest) and d - 1 in
/// thirteen bits.
inline void lzf_literal(std::string& packed, std::string_view bytes) {
  for (; !bytes.empty(); bytes.remove_prefix(std::min<std::size_t>(32, bytes.size()))) {
    const std::size_t run = std::min<std::size_t>(32, bytes.size());
    packed += static_cast<char>(run - 1);
    packed += bytes.substr(0, run);
  }
}

inline void lzf_repeat(std::string& packed, std::size_t length, std::size_t back) {
  const std::size_t far = back - 1, code = length - 2;
  packed += static_cast<char>((std::min<std::size_t>(code, 7) << 5) | (far >> 8));
  if (code >= 7) packed += static_cast<char>(code - 7);
  packed += static_cast<char>(far & 255);
}

/// Greedy, by trying every distance: slow, and as simple as can be.
inline std::string lzf_pack(std::string_view bytes) {
  std::string packed, literal;
  for (std::size_t at = 0; at < bytes.size();) {
    std::size_t length = 0, back = 0;
    for (std::size_t d = 1; d <= std::min<std::size_t>(at, 8192); ++d) {
      std::size_t n = 0;
      while (n < 264 && at + n < bytes.size() && bytes[at + n] == bytes[at + n - d]) ++n;
      if (n > length) length = n, back = d;
    }
    if (length < 3) {
      literal += bytes[at++];
      continue;
    }
    lzf_literal(packed, literal);
    literal.clear();
    lzf_repeat(packed, length, back);
    at += length;
  }
  lzf_literal(packed, literal);
  return packed;
}
