#pragma once

#include <cmath>
#include <stdexcept>
#include <string>

/// What a validate() is made of: throws std::invalid_argument where an option is wrong.
namespace parte {

inline void require(bool valid, const char* message) {
  if (!valid) throw std::invalid_argument(message);
}

inline void require_positive(double value, const char* name) {
  if (!(value > 0.0) || !std::isfinite(value))
    throw std::invalid_argument(std::string(name) + " must be positive and finite");
}

}  // namespace parte
