#pragma once

#include <Eigen/Core>
#include <span>
#include <string>

#include <nlohmann/json.hpp>

namespace parte::apps {

/// Points as the page reads them (Cloud in apps/report/src/data.ts), in an order that packs well. Coordinates are
/// rounded to a grid of `step` [m], coarser where the cloud is larger than 65535 steps: each is off by half a step at
/// most. Points that are not finite are left out.
[[nodiscard]] nlohmann::ordered_json encode_cloud(std::span<const Eigen::Vector3f> points, double step);

/// The points in cubes of `voxel`, or of larger ones where that leaves more than `limit`.
[[nodiscard]] std::vector<Eigen::Vector3f> thinned(const std::vector<Eigen::Vector3f>& points, double voxel,
                                                   std::size_t limit);

[[nodiscard]] std::string base64(const std::string& bytes);

}  // namespace parte::apps
