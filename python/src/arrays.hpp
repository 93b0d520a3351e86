#pragma once

#include <parte/types.hpp>

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

/// numpy in and out. What cannot be used as it is raises a ValueError that names the argument and the remedy.
namespace parte::python {

namespace py = pybind11;

/// Arrays of numpy.ma, whose mask nobody would see. `remedy`: what to append to the array's name.
void refuse_masked(const py::object& object, const char* name, const char* remedy = ".filled(numpy.nan)");

/// The caller's memory, without a copy: float32 or float64, N x 3 or more columns of which the first three count, the
/// columns of a row side by side. Rows may be farther apart, as in a part of a larger array.
[[nodiscard]] PointsView points_view(const py::object& array, const char* name);
/// The points of such an array, all of them finite.
[[nodiscard]] std::vector<Eigen::Vector3d> finite_points(const py::object& array, const char* name);
/// float32, N x `columns`, C order.
[[nodiscard]] py::array_t<float> float_rows(const py::object& array, py::ssize_t columns, const char* name);

/// Numbers one after the other.
[[nodiscard]] std::vector<double> numbers(const py::object& numbers, const char* name);
[[nodiscard]] Eigen::Vector3d vector3(const py::object& numbers, const char* name);
/// A matrix of 4 x 4 numbers that is a rigid transform.
[[nodiscard]] Eigen::Isometry3d pose(const py::object& matrix, const char* name);
/// N x 4 x 4 numbers.
[[nodiscard]] std::vector<Eigen::Isometry3d> poses(const py::object& matrices, const char* name);
/// Whole numbers of which each is at least `low` and below `end`.
[[nodiscard]] std::vector<std::int64_t> whole_numbers(const py::object& numbers, std::int64_t low, std::int64_t end,
                                                      const char* name);
/// Indices of `size` things.
[[nodiscard]] std::vector<Index> indices(const py::object& numbers, std::size_t size, const char* name);

/// A read-only array in the memory of `owner`, which it keeps alive.
template <class T>
[[nodiscard]] py::array view(py::array::ShapeContainer shape, const T* data, py::handle owner) {
  py::array_t<T> array(std::move(shape), data, owner);
  array.attr("setflags")(py::arg("write") = false);
  return array;
}
/// The same for rows of three.
[[nodiscard]] inline py::array view(const std::vector<Eigen::Vector3f>& rows, py::handle owner) {
  return view({static_cast<py::ssize_t>(rows.size()), py::ssize_t{3}}, reinterpret_cast<const float*>(rows.data()),
              owner);
}

/// An array of its own, in C order.
template <class Derived>
[[nodiscard]] py::array_t<typename Derived::Scalar> to_array(const Eigen::MatrixBase<Derived>& matrix) {
  py::array_t<typename Derived::Scalar> array({matrix.rows(), matrix.cols()});
  auto at = array.template mutable_unchecked<2>();
  for (Eigen::Index r = 0; r < matrix.rows(); ++r)
    for (Eigen::Index c = 0; c < matrix.cols(); ++c) at(r, c) = matrix(r, c);
  return array;
}
[[nodiscard]] py::array_t<double> to_array(const Eigen::Vector3d& vector);
[[nodiscard]] py::array_t<double> to_array(const std::vector<Eigen::Isometry3d>& poses);
template <class T>
[[nodiscard]] py::array_t<T> to_array(const std::vector<T>& values) {
  return py::array_t<T>(static_cast<py::ssize_t>(values.size()), values.data());
}
[[nodiscard]] py::array_t<bool> to_array(const std::vector<bool>& flags);
/// One row each.
template <class Row>
[[nodiscard]] py::array_t<double> to_rows(const std::vector<Row>& rows) {
  py::array_t<double> array({static_cast<py::ssize_t>(rows.size()), py::ssize_t{Row::SizeAtCompileTime}});
  auto at = array.template mutable_unchecked<2>();
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (Eigen::Index k = 0; k < rows[i].size(); ++k) at(static_cast<py::ssize_t>(i), k) = rows[i][k];
  return array;
}
/// N x 2: source, target.
template <class Pair>
[[nodiscard]] py::array_t<Index> match_array(const std::vector<Pair>& matches) {
  py::array_t<Index> array({static_cast<py::ssize_t>(matches.size()), py::ssize_t{2}});
  auto at = array.template mutable_unchecked<2>();
  for (std::size_t i = 0; i < matches.size(); ++i) {
    at(static_cast<py::ssize_t>(i), 0) = matches[i].source;
    at(static_cast<py::ssize_t>(i), 1) = matches[i].target;
  }
  return array;
}
/// The points themselves become the array's memory.
[[nodiscard]] py::array adopt(std::vector<Eigen::Vector3f> points);

}  // namespace parte::python
