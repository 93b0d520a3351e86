#pragma once

#include <datasets/sequence.hpp>
#include <datasets/world/presets.hpp>
#include <datasets/world/sensors.hpp>

#include <numbers>
#include <vector>

/// A drive along a street and back again on the other side, with a LiDAR of fewer columns than usual: quick.
class ThereAndBack {
 public:
  explicit ThereAndBack(double metres = 66.0, double step = 3.0) {
    for (double s = 0.0; s <= metres; s += step) poses_.push_back(pose(60.0 + s, -1.5, 0.0));
    for (double s = metres; s >= 0.0; s -= step) poses_.push_back(pose(60.0 + s, 1.5, std::numbers::pi));
  }

  [[nodiscard]] std::size_t size() const { return poses_.size(); }
  [[nodiscard]] const std::vector<Eigen::Isometry3d>& poses() const { return poses_; }
  [[nodiscard]] std::vector<Eigen::Vector3f> scan(std::size_t i) const {
    parte::datasets::LidarOptions options;
    options.azimuth_steps = 700;
    options.seed = i;
    return parte::datasets::scan_lidar(tracer_, poses_.at(i), options);
  }
  /// The motion from the frame before, a little turned and too long: drift.
  [[nodiscard]] Eigen::Isometry3d drifting_motion(std::size_t i) const {
    if (i == 0) return poses_[0];
    Eigen::Isometry3d motion = poses_[i - 1].inverse() * poses_[i];
    motion.translation() *= 1.01;
    motion.rotate(Eigen::AngleAxisd(0.004, Eigen::Vector3d::UnitZ()));
    return motion;
  }
  [[nodiscard]] parte::datasets::Sequence sequence() const {
    parte::datasets::Sequence s;
    s.name = "there and back";
    for (std::size_t i = 0; i < size(); ++i) {
      s.ids.push_back(static_cast<int>(i));
      s.times_s.push_back(0.1 * static_cast<double>(i));
      s.ground_truth.push_back(poses_[0].inverse() * poses_[i]);
    }
    s.read = [this](std::size_t i) { return scan(i); };
    return s;
  }

 private:
  [[nodiscard]] Eigen::Isometry3d pose(double s, double left, double yaw) const {
    return parte::datasets::street_pose(street_, s, left, yaw);
  }

  parte::datasets::World street_ = parte::datasets::make_street(1);
  parte::datasets::RayTracer tracer_{street_.mesh};
  std::vector<Eigen::Isometry3d> poses_;
};
