#pragma once

#include <slam/pose_graph.hpp>

#include "kitti_loops.hpp"

#include <algorithm>

/// Four rounds of a square of 40 m, odometry that drifts, and loops from each round to the first.
struct Square {
  std::vector<gtsam::Pose3> truth;
  gtsam::NonlinearFactorGraph steps;
  gtsam::Values initial;
  std::vector<parte::slam::LoopEdge> loops;
};

inline Square square() {
  Square s;
  parte::datasets::Random random(5);
  gtsam::Pose3 estimate;
  s.truth.push_back(estimate);
  s.initial.insert(0, estimate);
  for (std::size_t i = 1; i < 640; ++i) {
    const gtsam::Pose3 step = planar(1.0, 0.0, i % 40 == 0 ? std::numbers::pi / 2 : 0.0);
    const gtsam::Pose3 measured =
        step * planar(0.01 * random.normal(), 0.01 * random.normal(), 0.001 * random.normal());
    s.truth.push_back(s.truth.back() * step);
    s.steps.emplace_shared<gtsam::BetweenFactor<gtsam::Pose3>>(i - 1, i, measured, pose_noise(0.001, 0.02));
    estimate = estimate * measured;
    s.initial.insert(i, estimate);
  }
  for (std::size_t i = 160; i < 640; i += 4)
    s.loops.push_back({i % 160, i,
                       s.truth[i % 160].between(s.truth[i]) *
                           planar(0.05 * random.normal(), 0.05 * random.normal(), 0.003 * random.normal()),
                       pose_noise(0.005, 0.08)});
  return s;
}

inline double largest_error_m(const Square& s, const gtsam::Values& values) {
  double worst = 0.0;
  for (std::size_t i = 0; i < s.truth.size(); ++i)
    worst = std::max(worst, (values.at<gtsam::Pose3>(i).translation() - s.truth[i].translation()).norm());
  return worst;
}
