#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <type_traits>
#include <utility>

/// Single values from Python. What is none raises a ValueError that names the argument.
namespace parte::python {

namespace py = pybind11;

[[noreturn]] void refuse_value(const std::string& name, const std::string& expected, const py::handle& value);

[[nodiscard]] bool flag(const std::string& name, const py::handle& value);
/// True and False are no numbers.
[[nodiscard]] double number(const std::string& name, const py::handle& value);

template <class Integer>
[[nodiscard]] Integer whole_number(const std::string& name, const py::handle& value) {
  const auto index =
      py::reinterpret_steal<py::object>(PyBool_Check(value.ptr()) ? nullptr : PyNumber_Index(value.ptr()));
  const long long result = index ? PyLong_AsLongLong(index.ptr()) : -1;
  if (!index || PyErr_Occurred() || !std::in_range<Integer>(result)) {
    PyErr_Clear();
    refuse_value(name, std::is_unsigned_v<Integer> ? "a whole number that is not negative" : "a whole number", value);
  }
  return static_cast<Integer>(result);
}

template <class T>
[[nodiscard]] T value_of(const std::string& name, const py::handle& value) {
  if constexpr (std::is_same_v<T, bool>)
    return flag(name, value);
  else if constexpr (std::is_floating_point_v<T>)
    return number(name, value);
  else
    return whole_number<T>(name, value);
}

/// An argument that should be a T but takes anything, so that what it refuses is told by name; signatures show T.
template <class T>
class Argument : public py::object {
  PYBIND11_OBJECT_DEFAULT(Argument, py::object, anything)
  [[nodiscard]] T as(const char* name) const { return value_of<T>(name, *this); }

 private:
  static bool anything(PyObject*) { return true; }
};
using Real = Argument<double>;
using Whole = Argument<int>;

}  // namespace parte::python

template <class T>
struct pybind11::detail::handle_type_name<parte::python::Argument<T>> {
  static constexpr auto name = make_caster<T>::name;
};
