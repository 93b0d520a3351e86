#pragma once

#include <cmath>
#include <limits>
#include <string>

namespace parte::datasets {

/// A coordinate of a file in single precision, which would blur doubles beyond 100 km by centimetres: fail(problem) is
/// called for them, and must throw. Numbers that the file calls single keep what precision they have, if they fit.
template <class Fail>
[[nodiscard]] float coordinate(double value, bool single, Fail&& fail) {
  constexpr double kFarthest = 1e5, kLargest = std::numeric_limits<float>::max();
  if (std::isfinite(value) && !single && std::abs(value) > kFarthest)
    fail("a coordinate beyond 100 km; shift the cloud near the origin to keep its precision");
  if (std::isfinite(value) && single && std::abs(value) > kLargest)
    fail("a coordinate too large for single precision (3.4e38); mark points without a return as nan");
  return static_cast<float>(value);
}

}  // namespace parte::datasets
