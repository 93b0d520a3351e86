#pragma once

#include <apps/stage_times.hpp>
#include <parte/registration.hpp>

#include <pybind11/pybind11.h>

namespace parte::python {

/// The features of a scan with the options that made them: align() needs both.
struct ScanFeatures {
  Features features;
  Options options;
};

/// A result with the options that led to it: its covariance depends on the sensor and the voxel.
struct Alignment {
  Result result;
  Options options;
};

/// By stage and in total [ms].
template <class Timings>
[[nodiscard]] pybind11::dict to_dict(const Timings& timings) {
  pybind11::dict result;
  for (const auto& [stage, ms] : apps::stage_times(timings)) result[pybind11::str(stage + "_ms")] = ms;
  result["total_ms"] = timings.total_ms();
  return result;
}

}  // namespace parte::python
