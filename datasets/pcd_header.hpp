#pragma once

#include <bit>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace parte::datasets {

struct PcdField {
  std::string name;
  std::size_t size;          ///< of one value [bytes]
  std::size_t count;         ///< values per point
  bool single;               ///< a float of 4 bytes
  std::size_t offset;        ///< bytes of a point's earlier fields
  std::size_t first_column;  ///< values of a point's earlier fields
  double (*load)(const char* from, std::endian order);
};

enum class PcdData { ascii, binary, binary_compressed };

struct PcdHeader {
  std::vector<PcdField> fields;
  std::size_t points = 0;
  std::size_t point_bytes = 0, point_values = 0;  ///< of all fields together
  PcdData data = PcdData::ascii;
  std::size_t bytes = 0;  ///< the data begins here
  std::size_t lines = 0;  ///< including DATA
};

/// Throws IoError naming the line; `path` is for messages only.
[[nodiscard]] PcdHeader parse_pcd_header(std::string_view bytes, const std::filesystem::path& path);

}  // namespace parte::datasets
