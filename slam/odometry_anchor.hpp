#pragma once

#include <parte/registration.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace parte::slam {

/// The last scan whose place is known, and where the next one is against it without any guess: PARTE's registration,
/// at any attitude. Features are extracted when they are needed, and once for every scan.
class OdometryAnchor {
 public:
  /// `voxel` [m] is the registration's.
  OdometryAnchor(double voxel, int threads);

  /// The scan that is to be located.
  void see(std::vector<Eigen::Vector3f> points);
  /// T_world_lidar of the scan seen last, if its registration with the anchor is confirmed; nothing without an anchor.
  [[nodiscard]] std::optional<Eigen::Isometry3d> locate();
  /// Makes the scan seen last the anchor.
  void drop(const Eigen::Isometry3d& T_world_lidar);

  /// Appends the anchor, for restore() to take off the front again. Throws std::invalid_argument for other bytes.
  void save(std::string& bytes) const;
  void restore(std::string_view& bytes);

 private:
  struct Scan {
    std::vector<Eigen::Vector3f> points;
    std::optional<Features> features;
  };
  const Features& features(Scan& scan) const;

  Registration registration_;
  Scan anchor_, seen_;
  Eigen::Isometry3d T_world_anchor_ = Eigen::Isometry3d::Identity();
};

}  // namespace parte::slam
