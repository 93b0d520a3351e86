#pragma once

#include <parte/registration.hpp>

namespace parte {

/// Where two clouds are thought to lie to each other, and how surely.
struct Expectation {
  Eigen::Isometry3d T_target_source = Eigen::Isometry3d::Identity();
  Matrix6d covariance = Matrix6d::Zero();  ///< of T_target_source exp(xi): source frame, rotation first
};

/// What confirms an alignment that is within an expectation: of few others, so that less suffices than from anywhere.
/// Vehicles that have moved on contradict a correct one, too. docs/ALGORITHM.md, "Partial results".
struct NearLimits {
  double min_agreement = 0.9, min_sharpness = 0.6, min_overlap = 0.08;
  [[nodiscard]] bool confirm(const Overlap& overlap) const;
};

/// Registers two clouds by their surfaces alone, from where they are thought to be: where a street leaves no clique
/// that fixes a transform, its walls still fix heading and the distance from them. Never a success, for what repeats
/// along a street confirms any expectation: one shift, the one that the surfaces fix least, is always left open.
/// Result::partial if the aligned clouds confirm all else and no other alignment within the expectation; docs/
/// ALGORITHM.md, "Partial results". Throws std::invalid_argument for an expectation that is not finite.
[[nodiscard]] Result align_near(const Features& source, const Features& target, const Expectation& expected,
                                const Options& options);

}  // namespace parte
