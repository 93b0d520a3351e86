#include <slam/odometry_anchor.hpp>
#include <slam/state_bytes.hpp>

#include <utility>

namespace parte::slam {
namespace {

/// A sensor in a hand has no attitude that the ground could be told from.
Options any_attitude(double voxel, int threads) {
  Options options = Options::rgbd(voxel);
  options.threads = threads;
  return options;
}

}  // namespace

OdometryAnchor::OdometryAnchor(double voxel, int threads) : registration_(any_attitude(voxel, threads)) {}

void OdometryAnchor::see(std::vector<Eigen::Vector3f> points) { seen_ = {std::move(points), std::nullopt}; }

const Features& OdometryAnchor::features(Scan& scan) const {
  if (!scan.features) scan.features = registration_.extract(scan.points, Eigen::Vector3d::Zero());
  return *scan.features;
}

std::optional<Eigen::Isometry3d> OdometryAnchor::locate() {
  if (anchor_.points.empty()) return std::nullopt;
  const Result result = registration_.align(features(seen_), features(anchor_));
  if (!result.success()) return std::nullopt;
  return T_world_anchor_ * result.T_target_source;
}

void OdometryAnchor::drop(const Eigen::Isometry3d& T_world_lidar) {
  anchor_ = std::exchange(seen_, {});
  T_world_anchor_ = T_world_lidar;
}

void OdometryAnchor::save(std::string& bytes) const {
  put_matrix(bytes, T_world_anchor_.matrix());
  put(bytes, anchor_.points.size());
  for (const Eigen::Vector3f& p : anchor_.points) put_matrix(bytes, p);
}

void OdometryAnchor::restore(std::string_view& bytes) {
  take_matrix(bytes, T_world_anchor_.matrix());
  const auto points = take<std::size_t>(bytes);
  if (points > bytes.size()) throw std::invalid_argument("a saved scan is damaged");
  anchor_ = {std::vector<Eigen::Vector3f>(points), std::nullopt};
  for (Eigen::Vector3f& p : anchor_.points) take_matrix(bytes, p);
}

}  // namespace parte::slam
