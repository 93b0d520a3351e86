#pragma once

namespace parte {

enum class Sensor {
  lidar,  ///< z roughly up, one viewpoint: the ground is segmented first
  rgbd,   ///< any attitude, no ground segmentation
};

}  // namespace parte
