#pragma once

#include <slam/pose3.hpp>
#include <slam/pose_graph.hpp>

#include <datasets/file.hpp>
#include <datasets/kitti.hpp>
#include <datasets/pair_list.hpp>
#include <datasets/random.hpp>
#include <datasets/trajectory.hpp>

#include "../datasets/files.hpp"

#include <gtsam/slam/BetweenFactor.h>

#include <numbers>
#include <vector>

/// The whole of KITTI 00 without a scan: odometry by KISS-ICP and the loops of KITTI-LC, in the frame of the LiDAR.
struct KittiLoops {
  std::vector<Eigen::Isometry3d> truth, odometry;
  gtsam::NonlinearFactorGraph steps;
  gtsam::Values initial;
  std::vector<parte::slam::LoopEdge> loops;
};

/// As measured per axis against the truth: the odometry over one frame, the loops as they are.
struct KittiNoise {
  double step_rad = 0.00085, step_m = 0.014, loop_rad = 0.0045, loop_m = 0.06;
};

inline gtsam::SharedNoiseModel pose_noise(double radians, double metres) {
  return gtsam::noiseModel::Diagonal::Sigmas(
      (gtsam::Vector(6) << radians, radians, radians, metres, metres, metres).finished());
}

inline bool have_kitti_loops() {
  return exists(test_data() / "lists/kitti_lc") && exists(test_data() / "odometry/kitti_00_kiss_icp.txt") &&
         exists(test_data() / "kitti/sequences/00/calib.txt");
}

inline long frame_of(const std::string& scan) { return std::stol(std::filesystem::path(scan).stem().string()); }

inline KittiLoops kitti_loops(const KittiNoise& noise = {}) {
  using namespace parte::datasets;
  const auto data = test_data();
  const auto calib = data / "kitti/sequences/00/calib.txt";
  const Eigen::Isometry3d Tr = parse_kitti_calib(read_file(calib), calib);
  KittiLoops k;
  k.truth = to_lidar_frame(read_kitti_poses(data / "kitti/semantickitti_poses/00.txt"), Tr);
  k.odometry = to_lidar_frame(read_kitti_poses(data / "odometry/kitti_00_kiss_icp.txt"), Tr);
  const auto step_noise = pose_noise(noise.step_rad, noise.step_m),
             loop_noise = pose_noise(noise.loop_rad, noise.loop_m);
  for (std::size_t i = 0; i < k.odometry.size(); ++i) {
    k.initial.insert(i, parte::slam::to_pose3(k.odometry[i]));
    if (i > 0)
      k.steps.emplace_shared<gtsam::BetweenFactor<gtsam::Pose3>>(
          i - 1, i, parte::slam::to_pose3(k.odometry[i - 1].inverse() * k.odometry[i]), step_noise);
  }
  for (const char* list : {"test_0_10.txt", "test_10_20.txt", "test_20_30.txt"})
    for (const auto& pair : read_kitti_pairs(data / "lists/kitti_lc" / list, ""))
      if (pair.group == "00")
        k.loops.push_back({static_cast<gtsam::Key>(frame_of(pair.target)),
                           static_cast<gtsam::Key>(frame_of(pair.source)), parte::slam::to_pose3(pair.T_target_source),
                           loop_noise});
  return k;
}

enum class Wrong {
  random,   ///< any two frames, any place and heading within 30 m
  shifted,  ///< the frames of the true loop, but any place and heading within 30 m
  slipped,  ///< as streets, but at places of true loops: the right street, 4 to 15 m too far along or beside it
  streets,  ///< runs of consecutive frames, all placed as if one stretch were the other, moved by the same wrong motion
};

inline gtsam::Pose3 planar(double x, double y, double yaw) { return {gtsam::Rot3::Yaw(yaw), {x, y, 0.0}}; }

/// Replaces that part of the loops, chosen at random; true where a loop is wrong.
inline std::vector<bool> replace_loops(KittiLoops& k, double part, Wrong kind, std::uint64_t seed) {
  parte::datasets::Random random(seed);
  const auto pick = [&](std::size_t count) {
    return std::min(count - 1, static_cast<std::size_t>(random.uniform(0.0, static_cast<double>(count))));
  };
  const auto anywhere = [&] {
    return planar(random.uniform(-30, 30), random.uniform(-30, 30),
                  random.uniform(-std::numbers::pi, std::numbers::pi));
  };
  std::vector<std::size_t> order(k.loops.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  for (std::size_t i = 0; i + 1 < order.size(); ++i) std::swap(order[i], order[i + pick(order.size() - i)]);
  const auto wrong_count = static_cast<std::size_t>(part * static_cast<double>(order.size()));
  const auto true_loops = k.loops;
  std::vector<bool> wrong(k.loops.size(), false);
  std::size_t left = 0, a = 0, b = 0;
  gtsam::Pose3 offset;
  for (std::size_t n = 0; n < wrong_count; ++n, ++a, ++b) {
    auto& loop = k.loops[order[n]];
    wrong[order[n]] = true;
    if (kind == Wrong::shifted) {
      loop.T_from_to = anywhere();
      continue;
    }
    if (kind == Wrong::random || left == 0) {
      const auto& place = true_loops[pick(true_loops.size())];
      do a = pick(k.odometry.size() - 60), b = pick(k.odometry.size() - 60);
      while (a + 300 > b);
      if (kind == Wrong::slipped) a = std::min(place.from, place.to), b = std::max(place.from, place.to);
      left = 20 + pick(40);
      const auto from = parte::slam::to_pose3(k.truth[a]), to = parte::slam::to_pose3(k.truth[b]);
      const double direction = random.uniform(-std::numbers::pi, std::numbers::pi), slip = random.uniform(4, 15);
      // All loops of a street agree: true motion on both stretches, one wrong motion between them.
      if (kind == Wrong::slipped)
        offset = from * planar(slip * std::cos(direction), slip * std::sin(direction), random.uniform(-0.05, 0.05)) *
                 from.inverse();
      else
        offset = from * planar(random.uniform(-3, 3), random.uniform(-3, 3), random.uniform(-0.1, 0.1)) * to.inverse();
    }
    --left;
    b = std::min(b, k.odometry.size() - 1);
    loop.from = a;
    loop.to = b;
    loop.T_from_to = kind == Wrong::random
                         ? anywhere()
                         : parte::slam::to_pose3(k.truth[a]).inverse() * offset * parte::slam::to_pose3(k.truth[b]);
  }
  return wrong;
}
