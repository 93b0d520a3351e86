#pragma once

#include <parte/sensor.hpp>

namespace parte {

/// What speaks for and against an alignment, in numbers that do not depend on the sensor: docs/ALGORITHM.md,
/// "Confidence".
struct AlignmentEvidence {
  double members = 0.0;           ///< of the clique, those within 3 v of each other at both ends counted once
  double overlap = 0.0;           ///< Overlap::fraction()
  double agreement = 0.0;         ///< Overlap::agreement()
  double sharpness = 0.0;         ///< Overlap::sharpness()
  double chance_overlap = 0.0;    ///< the same at other places around, all together
  double chance_agreement = 0.0;  ///< the same
  double rival = 0.0;             ///< score of the best other motion over that of this one
  double correction = 0.0;        ///< [v] how far the surfaces have moved the clique's alignment
  double fit = 0.0;               ///< [v] RMS distance of the surfaces
};

/// The probability that an alignment that fixes all directions is correct: a logistic regression. At most 0.998;
/// docs/BENCHMARK.md, "Confidence".
[[nodiscard]] double confidence(const AlignmentEvidence& evidence, Sensor sensor);

}  // namespace parte
