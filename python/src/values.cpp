#include "values.hpp"

namespace parte::python {

void refuse_value(const std::string& name, const std::string& expected, const py::handle& value) {
  throw py::value_error(name + " must be " + expected + ", not " + std::string(py::repr(value)));
}

bool flag(const std::string& name, const py::handle& value) {
  py::detail::make_caster<bool> caster;
  if (!caster.load(value, false)) refuse_value(name, "True or False", value);
  return static_cast<bool>(caster);
}

double number(const std::string& name, const py::handle& value) {
  const double result = PyBool_Check(value.ptr()) ? -1.0 : PyFloat_AsDouble(value.ptr());
  if (PyBool_Check(value.ptr()) || PyErr_Occurred()) {
    PyErr_Clear();
    refuse_value(name, "a number", value);
  }
  return result;
}

}  // namespace parte::python
