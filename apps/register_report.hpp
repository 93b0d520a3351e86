#pragma once

#include <parte/registration.hpp>
#include <parte/voxel_size.hpp>

#include <optional>
#include <string>

namespace parte::apps {

/// One cloud on its way through the program.
struct Scan {
  std::string name;
  std::vector<Eigen::Vector3f> points;
  Features features;
};

/// Two clouds and what came of them.
struct Run {
  Scan source, target;
  std::optional<Eigen::Isometry3d> truth;  ///< T_target_source, where it is known
  std::optional<VoxelChoice> voxel;        ///< unless the user chose
  Result result;
  std::optional<Matrix6d> covariance;  ///< of registration_covariance(), if registered
};

/// Distance to a known truth.
struct PoseError {
  double translation_m, rotation_deg;
  [[nodiscard]] bool small() const { return translation_m < 0.5 && rotation_deg < 2.0; }
};
[[nodiscard]] PoseError pose_error(const Eigen::Isometry3d& estimate, const Eigen::Isometry3d& truth);

/// For people, on standard output.
void print_report(const Run& run, const Options& options);
/// For programs, on standard output.
void print_json(const Run& run, const Options& options);

}  // namespace parte::apps
