#pragma once

#include <stdexcept>
#include <string>

#include <zlib.h>

namespace parte::apps {

/// As a zlib stream, as small as it gets.
[[nodiscard]] inline std::string deflated(const std::string& bytes) {
  uLongf size = compressBound(static_cast<uLong>(bytes.size()));
  std::string packed(size, '\0');
  const int status =
      compress2(reinterpret_cast<Bytef*>(packed.data()), &size, reinterpret_cast<const Bytef*>(bytes.data()),
                static_cast<uLong>(bytes.size()), Z_BEST_COMPRESSION);
  if (status != Z_OK) throw std::runtime_error("zlib cannot compress: is there not enough memory?");
  packed.resize(size);
  return packed;
}

}  // namespace parte::apps
