#pragma once

#include <parte/option_fields.hpp>

#include <pybind11/pybind11.h>

/// Options as Python sees them: keyword arguments by the names of C++, with a dict for each nested structure.
namespace parte::python {

namespace py = pybind11;

[[nodiscard]] Sensor sensor_named(const py::object& name);
/// Without a voxel: the sensor's own default.
[[nodiscard]] Options make_options(const py::object& voxel, const py::object& sensor, const py::kwargs& options);
/// The options that both scans were extracted with, some of them changed: only such as do not change the features.
[[nodiscard]] Options options_for_alignment(const Options& source, const Options& target, const py::kwargs& changes);
[[nodiscard]] py::dict to_dict(const Options& options);

/// Any other choice by its name.
[[nodiscard]] PlaneMatching plane_matching_named(const py::object& name);

}  // namespace parte::python
