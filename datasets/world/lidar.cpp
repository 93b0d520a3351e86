#include <datasets/world/lidar.hpp>

#include <datasets/random.hpp>
#include <parte/require.hpp>

#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

namespace parte::datasets {
namespace {

constexpr std::array<std::pair<std::string_view, LidarModel>, 6> kModels{{{"hdl64e", LidarModel::hdl64e},
                                                                          {"vlp16", LidarModel::vlp16},
                                                                          {"hdl32e", LidarModel::hdl32e},
                                                                          {"os1_128", LidarModel::os1_128},
                                                                          {"mid360", LidarModel::mid360},
                                                                          {"tls", LidarModel::tls}}};

constexpr double kTlsStep = 0.25, kTlsLowest = -60.0;  // [deg]

/// The Mid-360's lasers go up and down its field of view while they turn.
double zigzag_deg(double cycles) {
  constexpr double kLowest = -7.0, kHighest = 52.0;
  return kHighest - (kHighest - kLowest) * 2.0 * std::abs(cycles - std::round(cycles));
}

}  // namespace

std::string_view to_string(LidarModel model) {
  for (const auto& [name, value] : kModels)
    if (value == model) return name;
  return "unknown";
}

LidarModel lidar_named(std::string_view name) {
  std::string known;
  for (const auto& [candidate, model] : kModels) {
    if (candidate == name) return model;
    (known += ' ') += candidate;
  }
  throw std::invalid_argument("there is no LiDAR \"" + std::string(name) + "\"; choose one of" + known);
}

// docs/FORMATS.md, "LiDARs of the synthetic worlds", says where the figures are from.
LidarOptions LidarOptions::of(LidarModel model) {
  LidarOptions o;
  o.model = model;
  o.own_roof = model == LidarModel::hdl64e;
  switch (model) {
    case LidarModel::hdl64e:
      break;
    case LidarModel::vlp16:
      o.azimuth_steps = 1808;
      o.range_noise_m = 0.03, o.laser_bias_m = 0.015;
      o.min_range_m = 0.5, o.max_range_m = 100.0;
      break;
    case LidarModel::hdl32e:
      o.azimuth_steps = 2170;
      o.min_range_m = 1.0, o.max_range_m = 100.0;
      break;
    case LidarModel::os1_128:
      o.azimuth_steps = 1024;
      o.range_noise_m = 0.015, o.laser_bias_m = 0.0, o.resolution_m = 0.012;
      o.min_range_m = 0.8, o.dark_range_m = 40.0;
      break;
    case LidarModel::mid360:
      o.azimuth_steps = 5000;
      o.laser_bias_m = 0.0, o.angle_noise_deg = 0.15, o.resolution_m = 0.001;
      o.min_range_m = 0.1, o.max_range_m = 70.0, o.dark_range_m = 40.0;
      break;
    case LidarModel::tls:
      o.azimuth_steps = static_cast<int>(360.0 / kTlsStep);
      o.range_noise_m = 0.002, o.laser_bias_m = 0.0, o.resolution_m = 0.001;
      o.min_range_m = 0.6, o.dark_range_m = 40.0;
      break;
  }
  return o;
}

void LidarOptions::validate() const {
  require(azimuth_steps >= 1, "LidarOptions::azimuth_steps must be at least 1");
  require(range_noise_m >= 0.0, "LidarOptions::range_noise_m must not be negative");
  require(laser_bias_m >= 0.0, "LidarOptions::laser_bias_m must not be negative");
  require(angle_noise_deg >= 0.0, "LidarOptions::angle_noise_deg must not be negative");
  require(resolution_m > 0.0, "LidarOptions::resolution_m must be positive");
  require(min_range_m >= 0.0 && max_range_m > min_range_m, "LidarOptions::max_range_m must exceed min_range_m >= 0");
  require(dark_range_m > 0.0, "LidarOptions::dark_range_m must be positive");
  require(dropout >= 0.0 && dropout <= 1.0, "LidarOptions::dropout must lie in [0, 1]");
}

LidarPattern::LidarPattern(const LidarOptions& o)
    : model_(o.model), steps_(o.azimuth_steps), phase_(Random(o.seed, ~std::uint64_t{0}).uniform()) {}

int LidarPattern::rings() const {
  switch (model_) {
    case LidarModel::hdl64e:
      return 64;
    case LidarModel::vlp16:
      return 16;
    case LidarModel::hdl32e:
      return 32;
    case LidarModel::os1_128:
      return 128;
    case LidarModel::mid360:
      return 4;
    case LidarModel::tls:
      break;
  }
  return static_cast<int>((90.0 - kTlsLowest) / kTlsStep) + 1;
}

double LidarPattern::elevation_deg(int ring, int step) const {
  constexpr double kCycles =
      37.3;  // of the Mid-360 in a turn: 125 shots up and down, and the last does not meet the first
  switch (model_) {
    case LidarModel::hdl64e:
      return ring < 32 ? 2.0 - ring / 3.0 : -8.87 - 0.5 * (ring - 32);
    case LidarModel::vlp16:
      return 15.0 - 2.0 * ring;
    case LidarModel::hdl32e:
      return (8 - ring) * 4.0 / 3.0;
    case LidarModel::os1_128:
      return 22.5 - 45.0 * ring / 127.0;
    case LidarModel::mid360:
      return zigzag_deg(kCycles * step / steps_ + phase_ + 0.25 * ring);
    case LidarModel::tls:
      break;
  }
  return 90.0 - kTlsStep * ring;
}

}  // namespace parte::datasets
