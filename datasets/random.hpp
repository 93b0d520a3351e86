#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>

namespace parte::datasets {

/// A small generator (splitmix64) whose draws are the same everywhere: the distributions of the standard library differ
/// between implementations. Streams of one seed are independent, so that every ray can have its own.
class Random {
 public:
  explicit Random(std::uint64_t seed, std::uint64_t stream = 0) : state_(mix(seed) ^ mix(~stream)) {}

  std::uint64_t next() { return mix(state_ += kIncrement); }
  /// In [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  /// In [low, high], both ends included.
  int integer(int low, int high) { return low + static_cast<int>(uniform() * (high - low + 1)); }
  bool chance(double probability) { return uniform() < probability; }
  /// Standard normal (Box and Muller 1958), at most 8.6. Its last bit is that of the C library's log and cos; what is
  /// rounded to the resolution of a sensor is the same everywhere but for the one draw in 10^12 that meets an edge.
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    return radius * std::cos(2.0 * std::numbers::pi * uniform());
  }

 private:
  static constexpr std::uint64_t kIncrement = 0x9e3779b97f4a7c15;
  static std::uint64_t mix(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }

  std::uint64_t state_;
};

}  // namespace parte::datasets
