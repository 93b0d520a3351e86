// RANSAC and FGR, as Open3D has them, on PARTE's own point correspondences.
#include <apps/eval_method.hpp>

#ifdef PARTE_HAVE_OPEN3D
#include <open3d/geometry/PointCloud.h>
#include <open3d/pipelines/registration/CorrespondenceChecker.h>
#include <open3d/pipelines/registration/FastGlobalRegistration.h>
#include <open3d/pipelines/registration/Registration.h>
#include <open3d/utility/Random.h>
#endif

#include <stdexcept>

namespace parte::apps {

#ifdef PARTE_HAVE_OPEN3D

bool has_open3d() { return true; }

std::optional<Eigen::Isometry3d> open3d_transform(std::span<const Correspondence> correspondences, double distance,
                                                  std::size_t iterations) {
  namespace o3d = open3d::pipelines::registration;
  constexpr int kSample = 3;
  if (correspondences.size() < kSample) return std::nullopt;
  open3d::geometry::PointCloud source, target;
  o3d::CorrespondenceSet set;
  for (const Correspondence& c : correspondences) {
    const int k = static_cast<int>(source.points_.size());
    source.points_.push_back(c.source);
    target.points_.push_back(c.target);
    set.emplace_back(k, k);
  }
  open3d::utility::random::Seed(1);  // its threads may still take their draws in another order
  o3d::RegistrationResult result;
  if (iterations == 0) {
    o3d::FastGlobalRegistrationOption options;
    options.use_absolute_scale_ = true;
    options.maximum_correspondence_distance_ = distance;
    result = o3d::FastGlobalRegistrationBasedOnCorrespondence(source, target, set, options);
  } else {
    const o3d::CorrespondenceCheckerBasedOnEdgeLength edges(0.9);
    result = o3d::RegistrationRANSACBasedOnCorrespondence(
        source, target, set, distance, o3d::TransformationEstimationPointToPoint(false), kSample, {edges},
        o3d::RANSACConvergenceCriteria(static_cast<int>(iterations), 0.999));
  }
  if (!result.transformation_.allFinite() || result.transformation_ == Eigen::Matrix4d::Identity()) return std::nullopt;
  return Eigen::Isometry3d(result.transformation_);
}

#else

bool has_open3d() { return false; }

std::optional<Eigen::Isometry3d> open3d_transform(std::span<const Correspondence>, double, std::size_t) {
  throw std::logic_error("this build has no Open3D");
}

#endif

}  // namespace parte::apps
