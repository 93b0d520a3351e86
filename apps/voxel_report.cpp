#include <apps/voxel_report.hpp>

#include <algorithm>
#include <array>
#include <cstdio>

namespace parte::apps {
namespace {

std::string with_unit(double length_m) {
  std::array<char, 32> text{};
  if (length_m < 1000.0) std::snprintf(text.data(), text.size(), "%.3g m", length_m);
  if (length_m >= 1000.0) std::snprintf(text.data(), text.size(), "%.3g km", length_m / 1000.0);
  return text.data();
}

}  // namespace

const char* name_of(Sensor sensor) { return sensor == Sensor::lidar ? "lidar" : "rgbd"; }

const char* name_of(VoxelReason reason) {
  switch (reason) {
    case VoxelReason::extent:
      return "extent";
    case VoxelReason::crowded:
      return "crowded";
    case VoxelReason::sparse:
      return "sparse";
    case VoxelReason::unknown:
      return "unknown";
  }
  return "";
}

std::string explanation(const VoxelChoice& choice, Sensor sensor) {
  std::array<char, 128> text{};
  switch (choice.reason) {
    case VoxelReason::extent:
      std::snprintf(text.data(), text.size(), "about 1/%g of the smaller cloud's radius of %s",
                    voxels_per_radius(sensor), with_unit(choice.radius_m).c_str());
      break;
    case VoxelReason::crowded:
      std::snprintf(text.data(), text.size(), "smaller ones would leave more than %zu points", kCrowdedVoxels);
      break;
    case VoxelReason::sparse:
      std::snprintf(text.data(), text.size(), "smaller ones would hold fewer than %g points on average", kSparsePoints);
      break;
    case VoxelReason::unknown:
      return "the default, since the clouds have no extent";
  }
  return text.data();
}

std::string unit_warning(const VoxelChoice& choice, Sensor sensor) {
  const double most_m = sensor == Sensor::lidar ? 3000.0 : 100.0;
  if (choice.radius_m <= most_m) return "";
  return "a radius of " + with_unit(choice.radius_m) + " is much for a " + name_of(sensor) +
         " scan: are the coordinates in millimetres? They must be in metres";
}

double automatic_voxel(std::size_t scans, const std::function<std::vector<Eigen::Vector3f>(std::size_t)>& read,
                       Sensor sensor) {
  constexpr std::size_t kAsked = 7;
  const std::size_t asked = std::min(scans, kAsked);
  std::vector<double> voxels;
  for (std::size_t k = 0; k < asked; ++k) {
    const std::vector<Eigen::Vector3f> points = read((2 * k + 1) * scans / (2 * asked));
    voxels.push_back(choose_voxel(points, points, sensor).voxel);
  }
  if (voxels.empty()) return (sensor == Sensor::lidar ? Options::lidar() : Options::rgbd()).voxel;
  const auto middle = voxels.begin() + static_cast<std::ptrdiff_t>(voxels.size() / 2);
  std::nth_element(voxels.begin(), middle, voxels.end());
  return *middle;
}

}  // namespace parte::apps
