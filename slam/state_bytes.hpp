#pragma once

#include <cstring>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

/// Values as bytes, for a program on the same machine to read again.
namespace parte::slam {

template <class T>
void put(std::string& bytes, const T& value) {
  static_assert(std::is_trivially_copyable_v<T>);
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

/// Takes the value off the front. Throws std::invalid_argument if there is not enough.
template <class T>
T take(std::string_view& bytes) {
  static_assert(std::is_trivially_copyable_v<T>);
  if (bytes.size() < sizeof(T)) throw std::invalid_argument("a saved state ends too early");
  T value;
  std::memcpy(static_cast<void*>(&value), bytes.data(), sizeof(T));
  bytes.remove_prefix(sizeof(T));
  return value;
}

/// Coefficient by coefficient, of a size that the reader knows.
template <class Matrix>
void put_matrix(std::string& bytes, const Matrix& matrix) {
  for (int i = 0; i < matrix.size(); ++i) put(bytes, matrix.data()[i]);
}

template <class Matrix>
void take_matrix(std::string_view& bytes, Matrix& matrix) {
  for (int i = 0; i < matrix.size(); ++i) matrix.data()[i] = take<typename Matrix::Scalar>(bytes);
}

}  // namespace parte::slam
