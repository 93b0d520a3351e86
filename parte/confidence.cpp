#include <parte/confidence.hpp>

#include <algorithm>
#include <cmath>

namespace parte {
namespace {

/// Of a logistic regression; docs/BENCHMARK.md, "Confidence", has the pairs that they were fitted to, and others.
struct Coefficients {
  double constant, conflict, members, rival, correction, fit;
};
constexpr Coefficients kLidar = {-9.47, -8.36, 0.69, -4.98, -1.60, -6.48};
constexpr Coefficients kRgbd = {-16.58, -12.86, 5.50, -2.67, -5.03, -1.95};
constexpr double kAlias = 0.002;        // part of those that all numbers speak for, and that are wrong all the same
constexpr double kLeastOverlap = 0.04;  // fewer votes say nothing, however well they agree

}  // namespace

double confidence(const AlignmentEvidence& e, Sensor sensor) {
  if (e.overlap < kLeastOverlap) return 0.0;
  const Coefficients& c = sensor == Sensor::lidar ? kLidar : kRgbd;
  const double log_odds = c.constant + c.conflict * std::log10((1.005 - e.agreement) / (1.02 - e.chance_agreement)) +
                          c.members * std::log10(std::max(1.0, e.members)) + c.rival * std::min(e.rival, 1.5) +
                          c.correction * std::log10(e.correction + 0.05) + c.fit * std::log10(e.fit + 0.01);
  return (1.0 - kAlias) / (1.0 + std::exp(-log_odds));
}

}  // namespace parte
