#include <apps/voxel_report.hpp>

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

}  // namespace parte::apps
