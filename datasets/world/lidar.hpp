#pragma once

#include <cstdint>
#include <string_view>

namespace parte::datasets {

/// The LiDARs of the worlds; docs/FORMATS.md ("LiDARs of the synthetic worlds") has their figures and sources.
enum class LidarModel {
  hdl64e,   ///< Velodyne HDL-64E S2, on the roof of KITTI's car
  vlp16,    ///< Velodyne VLP-16
  hdl32e,   ///< Velodyne HDL-32E
  os1_128,  ///< Ouster OS1-128
  mid360,   ///< Livox Mid-360: looks upward, and no scan has the pattern of another
  tls,      ///< a terrestrial scanner on a tripod: nearly the whole sphere on a fine grid, to millimetres
};
[[nodiscard]] std::string_view to_string(LidarModel model);
/// Throws std::invalid_argument naming the models.
[[nodiscard]] LidarModel lidar_named(std::string_view name);

/// The defaults are those of the HDL-64E; `of` has those of any model.
struct LidarOptions {
  LidarModel model = LidarModel::hdl64e;  ///< where the lasers point
  int azimuth_steps = 2083;
  double range_noise_m = 0.02;   ///< standard deviation
  double laser_bias_m = 0.01;    ///< standard deviation of the constant error of each laser
  double angle_noise_deg = 0.0;  ///< standard deviation between where a laser points and where it is said to point
  double resolution_m = 0.002;   ///< ranges are multiples of it, which also hides how a processor rounds
  double min_range_m = 2.0, max_range_m = 120.0;
  double dark_range_m = 50.0;  ///< how far a surface that reflects a tenth is seen head-on
  double dropout = 0.03;       ///< the part of the returns that are lost, at random
  bool own_roof = true;        ///< shades what is near and below
  bool weak_returns = true;    ///< far, dark and grazed surfaces may give none
  std::uint64_t seed = 0;
  [[nodiscard]] static LidarOptions of(LidarModel model);
  void validate() const;  ///< throws std::invalid_argument naming the field
};

/// Where the lasers point during one scan.
class LidarPattern {
 public:
  explicit LidarPattern(const LidarOptions& options);
  /// One for each laser; of the scanner on a tripod, one for each row.
  [[nodiscard]] int rings() const;
  /// From the highest ring (0) to the lowest; `step` is one of azimuth_steps and matters to the Mid-360 only.
  [[nodiscard]] double elevation_deg(int ring, int step) const;

 private:
  LidarModel model_;
  int steps_;
  double phase_;  ///< of the Mid-360, which varies with the seed of the scan
};

}  // namespace parte::datasets
