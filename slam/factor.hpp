#pragma once

#include <parte/covariance.hpp>

#include <gtsam/geometry/Pose3.h>
#include <gtsam/slam/BetweenFactor.h>

namespace parte::slam {

/// A factor between the poses of the two scans: measured = pose(key_target)^-1 pose(key_source) = T_target_source.
[[nodiscard]] gtsam::BetweenFactor<gtsam::Pose3> make_between_factor(gtsam::Key key_target, gtsam::Key key_source,
                                                                     const Result& result,
                                                                     const CovarianceOptions& options = {});

}  // namespace parte::slam
