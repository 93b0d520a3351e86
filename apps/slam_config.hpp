#pragma once

#include <parte/registration.hpp>
#include <slam/mapper.hpp>
#include <slam/odometry.hpp>
#include <slam/odometry_noise.hpp>

#include <cstdint>
#include <string>

namespace CLI {
class App;
}

namespace parte::apps {

/// Everything parte_slam can be told.
struct SlamConfig {
  // What to map: one of the first four.
  std::string kitti, replay, demo, graph;
  std::string root, scans;
  std::string lidar = "hdl64e";  ///< of the demo
  double length_m = 1500.0;      ///< of the demo's drive, if it has none of its own
  std::uint64_t seed = 1;
  std::string frames;  ///< A:B, by their numbers
  int every = 1;

  std::string odometry = "icp";  ///< icp, truth or a file
  bool degrade = false;
  double degrade_m = 0.02, degrade_deg = 0.12, degrade_scale = 0.002;
  double odometry_voxel = 1.0, min_range_m = 2.0, max_range_m = 100.0;
  bool deskew = false;
  slam::OdometryNoise noise;

  std::string sensor = "lidar";
  double voxel = 0.0;  ///< 0: automatic_voxel(), or the default of the sensor where there is no scan
  bool refine = true;
  VerificationOptions verification;  ///< but for `refine`
  slam::MapperOptions mapper;
  double map_voxel = 0.5;
  double memory_gb = 1.0;  ///< for features

  std::string out;
  int threads = 0;
  bool json = false, resume = false, overwrite = false;

  [[nodiscard]] Options registration() const;
  [[nodiscard]] slam::MapperOptions mapping() const;
  [[nodiscard]] slam::OdometryOptions lidar_odometry() const;
  [[nodiscard]] std::string out_folder() const;  ///< that of --out, or a name after the input
};

/// Adds the options to the program's command line and configuration file.
void declare(CLI::App& app, SlamConfig& config);

/// Fills in what was not given and depends on what was: the demo shows a drift, and a camera sees near things only.
void settle(CLI::App& app, SlamConfig& config);

/// The settings as a configuration file, without what may differ between a run and its continuation.
[[nodiscard]] std::string to_toml(const CLI::App& app);

}  // namespace parte::apps
