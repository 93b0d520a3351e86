#pragma once

#include "../slam/there_and_back.hpp"

/// The drive that the tests of parte_slam map.
inline const ThereAndBack& slam_world() {
  static const ThereAndBack one(60.0, 1.5);
  return one;
}
