#pragma once

#include <parte/transform.hpp>

namespace parte::slam {

/// The information of a g2o file, translation first, for a covariance with the rotation first.
[[nodiscard]] Matrix6d g2o_information(const Matrix6d& covariance);
/// The inverse: rotation first. Throws std::invalid_argument if the information is singular.
[[nodiscard]] Matrix6d g2o_covariance(const Matrix6d& information);

}  // namespace parte::slam
