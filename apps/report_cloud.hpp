#pragma once

#include <Eigen/Core>
#include <span>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace parte::apps {

/// Points as the page reads them (Cloud in apps/report/src/data.ts), in an order that packs well. Coordinates are
/// rounded to a grid of `step` [m], coarser where the cloud is larger than 65535 steps: each is off by half a step at
/// most. Points that are not finite are left out.
[[nodiscard]] nlohmann::ordered_json encode_cloud(std::span<const Eigen::Vector3f> points, double step);

/// Of clouds that were made with this voxel size: a tenth of it.
[[nodiscard]] inline double grid_step(double voxel) { return voxel / 10.0; }
/// Of the JSON that encode_cloud() makes, but for some numbers.
[[nodiscard]] inline std::size_t bytes_of_cloud(const nlohmann::ordered_json& cloud) {
  return cloud.at("data").get_ref<const std::string&>().size() + 120;
}

/// The points in cubes of `voxel`, or of larger ones where that leaves more than `limit`.
[[nodiscard]] std::vector<Eigen::Vector3f> thinned(const std::vector<Eigen::Vector3f>& points, double voxel,
                                                   std::size_t limit);

[[nodiscard]] std::string base64(const std::string& bytes);

}  // namespace parte::apps
