#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <string>

namespace parte::datasets {

/// A number of the given byte order from memory of any alignment.
template <class T>
[[nodiscard]] T load(const char* from, std::endian order) {
  std::array<char, sizeof(T)> bytes;
  std::memcpy(bytes.data(), from, sizeof(T));
  if (order != std::endian::native) std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<T>(bytes);
}

template <class T>
[[nodiscard]] double load_as_double(const char* from, std::endian order) {
  return static_cast<double>(load<T>(from, order));
}

template <class T>
void append(std::string& to, T value, std::endian order) {
  auto bytes = std::bit_cast<std::array<char, sizeof(T)>>(value);
  if (order != std::endian::native) std::reverse(bytes.begin(), bytes.end());
  to.append(bytes.data(), bytes.size());
}

}  // namespace parte::datasets
