#pragma once

#include <parte/types.hpp>
#include <slam/icp.hpp>
#include <slam/odometry_anchor.hpp>
#include <slam/voxel_map.hpp>

namespace parte::slam {

/// Lengths are in metres unless they say otherwise.
struct OdometryOptions {
  double voxel = 1.0;           ///< edge of the map's cubes
  double max_range_m = 100.0;   ///< farther points are left out, and what the map has beyond it is dropped
  double min_range_m = 2.0;     ///< nearer points, such as those on the vehicle itself, are left out
  double first_motion_m = 2.0;  ///< how wrong the prediction may be before there is experience
  double min_motion_m = 0.1;    ///< how good a prediction may be thought to be
  int max_iterations = 100;     ///< of a scan's alignment
  /// The sensor turns counter-clockwise as seen from above, from behind to behind, and its points are as it saw them on
  /// the way: they are moved to where it is in the middle of the turn, by the motion before. The first scan has none.
  bool deskew = false;
  int threads = 0;        ///< 0: as many as the machine has
  void validate() const;  ///< throws std::invalid_argument naming the field and its range
};

/// Moves the points of a scan to where the sensor is in the middle of its turn, see OdometryOptions::deskew.
void deskew(std::vector<Eigen::Vector3f>& points, const Eigen::Isometry3d& motion_before);

/// Scan-to-map LiDAR odometry in the manner of KISS-ICP (Vizzo et al., RA-L 2023): the motion of the last scan predicts
/// the next one, ICP corrects it, and the errors of past predictions say how far ICP has to look. Unlike there, points
/// are matched with planes of the map. For one thread at a time.
class Odometry {
 public:
  explicit Odometry(OdometryOptions options = {});

  struct Step {
    Eigen::Isometry3d T_world_lidar = Eigen::Isometry3d::Identity();  ///< the world is the first scan's frame
    Eigen::Isometry3d T_last_this = Eigen::Isometry3d::Identity();
    /// Inverse covariance of T_last_this exp(xi), xi = (rotation [rad], translation [m]) in the frame of this scan, as
    /// parte::Result has it: of the jitter of both scans and the drift. Steps in a row share a scan, whose jitter they
    /// have with opposite signs, so a chain must not sum their covariances: see OdometryMotion. Calibrated: "Odometry"
    /// in docs/BENCHMARK.md. Zero for the first scan and where the scan is lost.
    Matrix6d information = Matrix6d::Zero();
    Matrix6d jitter = Matrix6d::Zero();  ///< covariance of T_world_lidar exp(xi) against the map, gone with the scan
    Matrix6d drift = Matrix6d::Zero();   ///< covariance of T_last_this exp(xi) that later scans inherit with the map
    int iterations = 0;
    double rms_m = 0.0;  ///< distance of the points from the map's planes, weighted
    double fit = 0.0;    ///< mean weight of the aligned points, 0 for those that lie on nothing known; 1 is perfect
    /// False: either the scan is lost (nothing matched, or far less than usually, wherever it was tried), then the pose
    /// is the prediction and the information zero; or the alignment did not come to rest, then the pose is the best one
    /// found.
    bool converged = false;
  };
  /// Points in the sensor's frame; those that are not finite are left out. Any cloud will do, even an empty one.
  Step add(PointsView points);

  /// All that it remembers, as bytes for restore(): an odometry of the same options then goes on as this one would.
  /// restore() throws std::invalid_argument for anything else.
  [[nodiscard]] std::string state() const;
  void restore(std::string_view state);

  [[nodiscard]] const VoxelMap& map() const { return map_; }
  [[nodiscard]] const OdometryOptions& options() const { return options_; }

 private:
  struct Guess {
    Eigen::Isometry3d T_world_lidar;
    double prior_m;  ///< standard deviation of its position
  };
  [[nodiscard]] std::vector<Eigen::Vector3f> usable_points(PointsView points) const;
  void learn(const IcpResult& icp, double error_m, double shift_m);
  [[nodiscard]] IcpOptions icp_options(double expected_m, double range_m, double prior_m) const;
  [[nodiscard]] std::vector<Guess> other_guesses(const Guess& predicted);
  [[nodiscard]] bool confirmed(std::span<const Eigen::Vector3d> scan, const Guess& predicted, double expected_m,
                               const IcpResult& found) const;
  [[nodiscard]] IcpResult align_widely(std::span<const Eigen::Vector3d> scan, const Guess& predicted, double expected_m,
                                       IcpResult best);
  [[nodiscard]] IcpResult align(std::span<const Eigen::Vector3d> scan, const Eigen::Isometry3d& T_predicted);
  void estimate_covariance(const IcpResult& icp, Step& step);
  [[nodiscard]] Step located(std::span<const Eigen::Vector3d> scan);
  Step step(PointsView points);

  OdometryOptions options_;
  VoxelMap map_;
  OdometryAnchor anchor_;
  Eigen::Isometry3d T_world_last_ = Eigen::Isometry3d::Identity();
  Eigen::Isometry3d T_last_this_ = Eigen::Isometry3d::Identity();  // the motion that is expected to go on
  Matrix6d last_jitter_ = Matrix6d::Zero();                        // of T_world_last_
  double mean_squared_error_;                                      // of past predictions, at the points [m^2]
  double mean_squared_shift_;                                      // the same of the position alone
  int lessons_ = 0;
  double mean_fit_ = 0.0;  // of past alignments
  int failures_ = 0;       // since the last alignment that converged
};

}  // namespace parte::slam
