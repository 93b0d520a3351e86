#pragma once

#include <bit>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace parte::datasets {

/// A PLY number type. Every one of them fits a double.
struct PlyType {
  std::string_view name, alias;
  std::size_t size;
  bool integer;
  double (*load)(const char* from, std::endian order);
};

struct PlyProperty {
  std::string name;
  const PlyType* type;
  const PlyType* length_type = nullptr;  ///< of a list; null for a plain number
};

struct PlyElement {
  std::string name;
  std::size_t count;
  std::size_t line;  ///< where the header declares it
  std::vector<PlyProperty> properties;
};

struct PlyHeader {
  bool ascii = false;
  std::endian order = std::endian::little;
  std::vector<PlyElement> elements;
  std::size_t bytes = 0;  ///< the data begins here
  std::size_t lines = 0;  ///< including end_header
};

/// Throws IoError naming the line; `path` is for messages only.
[[nodiscard]] PlyHeader parse_ply_header(std::string_view bytes, const std::filesystem::path& path);

}  // namespace parte::datasets
