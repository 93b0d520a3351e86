#pragma once

#include <datasets/file.hpp>

#include <Eigen/Core>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>
#include <zlib.h>

/// Reads what a report has in it, by the words of apps/report/src/data.ts alone.
using PageJson = nlohmann::ordered_json;

/// The data ends at the first end of a script behind its beginning, as it does for a browser.
inline PageJson page_data(const std::filesystem::path& file) {
  const std::string page = parte::datasets::read_file(file);
  const std::string tag = "<script id=\"report-data\" type=\"application/json\">";
  const std::size_t first = page.find(tag) + tag.size();
  return PageJson::parse(page.substr(first, page.find("</script", first) - first));
}

/// Of parte_slam: everything but what a second run cannot have in common.
inline PageJson timeless(PageJson report) {
  for (const char* name : {"seconds", "command"}) report.erase(name);
  for (const char* name : {"times_ms", "peak_memory_gb"}) report["metrics"].erase(name);
  for (PageJson& loop : report["loops"]) loop.erase("ms");
  return report;
}

inline std::string from_base64(const std::string& text) {
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned buffer = 0;
  int bits = 0;
  for (const char c : text) {
    if (c == '=') break;
    buffer = buffer << 6 | static_cast<unsigned>(letters.find(c));
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes += static_cast<char>(buffer >> bits & 0xff);
  }
  return bytes;
}

inline std::vector<Eigen::Vector3d> decode_cloud(const PageJson& cloud) {
  const std::size_t count = cloud.at("count");
  const std::string packed = from_base64(cloud.at("data"));
  std::vector<unsigned char> bytes(6 * count + 1);
  uLongf size = static_cast<uLongf>(bytes.size());
  if (uncompress(bytes.data(), &size, reinterpret_cast<const Bytef*>(packed.data()),
                 static_cast<uLong>(packed.size())) != Z_OK ||
      size != 6 * count)
    throw std::runtime_error("the cloud is damaged");
  std::vector<Eigen::Vector3d> points(count);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    unsigned q = 0;
    for (std::size_t i = 0; i < count; ++i) {
      q = (q + bytes[2 * axis * count + i] + 256u * bytes[(2 * axis + 1) * count + i]) % 65536u;
      points[i][static_cast<Eigen::Index>(axis)] =
          cloud.at("origin").at(axis).get<double>() + cloud.at("step").get<double>() * q;
    }
  }
  return points;
}
