#pragma once

#include <pybind11/pybind11.h>

namespace parte::python {

namespace py = pybind11;

void bind_clouds(py::module_& m);
void bind_extraction(py::module_& m);
void bind_matching(py::module_& m);
void bind_features(py::module_& m);
void bind_result(py::module_& m);
void bind_registration(py::module_& m);
void bind_datasets(py::module_& m);
void bind_pairs(py::module_& m);
void bind_metrics(py::module_& m);
void bind_picture(py::module_& m);

}  // namespace parte::python
