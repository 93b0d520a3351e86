#include <parte/confidence.hpp>

#include <algorithm>
#include <cmath>

namespace parte {
namespace {

/// Of a logistic regression; docs/BENCHMARK.md, "Confidence", has the pairs that they were fitted to, and others.
struct Coefficients {
  double constant, conflict, members, rival, correction, fit, overlap;
};
constexpr Coefficients kLidar = {-10.80, -8.55, 0.22, -4.88, 0.0, -6.82, 0.0};
constexpr Coefficients kRgbd = {-11.74, -10.44, 4.42, 0.0, -3.72, -0.84, 4.54};
constexpr double kAlias = 0.002;  // part of those that all numbers speak for, and that are wrong all the same

}  // namespace

double confidence(const AlignmentEvidence& e, Sensor sensor) {
  const Coefficients& c = sensor == Sensor::lidar ? kLidar : kRgbd;
  const double log_odds = c.constant + c.conflict * std::log10((1.005 - e.agreement) / (1.02 - e.chance_agreement)) +
                          c.members * std::log10(std::max(1.0, e.members)) + c.rival * std::min(e.rival, 1.5) +
                          c.correction * std::log10(e.correction + 0.05) + c.fit * std::log10(e.fit + 0.01) +
                          c.overlap * std::log10(e.overlap + 0.01);
  return (1.0 - kAlias) / (1.0 + std::exp(-log_odds));
}

}  // namespace parte
