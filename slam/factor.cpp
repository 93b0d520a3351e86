#include <slam/factor.hpp>

#include <slam/pose3.hpp>

namespace parte::slam {

gtsam::BetweenFactor<gtsam::Pose3> make_between_factor(gtsam::Key key_target, gtsam::Key key_source,
                                                       const Result& result, const CovarianceOptions& options) {
  return {key_target, key_source, to_pose3(result.T_target_source),
          gtsam::noiseModel::Gaussian::Covariance(registration_covariance(result, options))};
}

}  // namespace parte::slam
