#include "arrays.hpp"

#include "values.hpp"

#include <datasets/rigid.hpp>

#include <cstdint>
#include <string>

namespace parte::python {
namespace {

[[noreturn]] void refuse(const char* name, const std::string& problem) {
  throw py::value_error(std::string(name) + " " + problem);
}

std::string type_name(const py::handle& object) { return py::str(py::type::handle_of(object).attr("__name__")); }

std::string shape_of(const py::array& array) { return py::str(array.attr("shape")); }

py::array require_array(const py::object& object, const char* name) {
  refuse_masked(object, name);
  if (!py::isinstance<py::array>(object))
    refuse(name, "must be a numpy array, not " + type_name(object) + ": use numpy.asarray(" + name +
                     ", dtype=numpy.float32)");
  return py::reinterpret_borrow<py::array>(object);
}

/// Whether rows can be read as they lie in memory.
template <class T>
bool has_packed_rows(const py::array& array) {
  constexpr auto kSize = static_cast<py::ssize_t>(sizeof(T));
  const bool aligned = reinterpret_cast<std::uintptr_t>(array.data()) % sizeof(T) == 0;
  if (array.shape(0) == 0) return true;
  if (!aligned || array.strides(1) != kSize) return false;
  // How far one row is from the next means nothing where there is no next.
  return array.shape(0) == 1 || (array.strides(0) % kSize == 0 && array.strides(0) >= array.shape(1) * kSize);
}

template <class T>
PointsView view_of(const py::array& array, const char* name) {
  if (!has_packed_rows<T>(array))
    refuse(name,
           "must be in C order, x y z of each point side by side and rows ascending: use "
           "numpy.ascontiguousarray(" +
               std::string(name) + ")");
  const auto count = static_cast<std::size_t>(array.shape(0));
  const std::size_t stride = count <= 1 ? 3 : static_cast<std::size_t>(array.strides(0)) / sizeof(T);
  return {static_cast<const T*>(array.data()), count, stride};
}

/// Any sequence of numbers as an array of doubles; only for what is small.
py::array_t<double> doubles(const py::object& numbers, const char* name, const std::string& expected) {
  refuse_masked(numbers, name);
  auto array = py::array_t<double, py::array::c_style | py::array::forcecast>::ensure(numbers);
  if (!array) refuse_value(name, expected, numbers);
  return array;
}

Eigen::Isometry3d rigid(const double* row_major, const std::string& name) {
  const Eigen::Matrix4d matrix = Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(row_major);
  const auto transform = datasets::nearest_rigid(matrix);
  if (!transform) refuse(name.c_str(), "is not a rigid transform (finite, a rotation, last row 0 0 0 1)");
  return *transform;
}

}  // namespace

void refuse_masked(const py::object& object, const char* name, const char* remedy) {
  if (py::isinstance(object, py::module_::import("numpy.ma").attr("MaskedArray")))
    refuse(name, "must not be a masked array: use " + std::string(name) + remedy);
}

PointsView points_view(const py::object& object, const char* name) {
  const py::array array = require_array(object, name);
  if (array.ndim() != 2 || (array.shape(1) != 3 && array.shape(1) != 4))
    refuse(name, "must have the shape N x 3 or N x 4, not " + shape_of(array) + ": use " + name +
                     "[:, :3] of more "
                     "columns");
  if (py::isinstance<py::array_t<float>>(array)) return view_of<float>(array, name);
  if (py::isinstance<py::array_t<double>>(array)) return view_of<double>(array, name);
  refuse(name, "must be float32 or float64 in native byte order, not " + std::string(py::str(array.dtype())) +
                   ": use " + name + ".astype(numpy.float32)");
}

std::vector<Eigen::Vector3d> finite_points(const py::object& object, const char* name) {
  const PointsView points = points_view(object, name);
  const py::gil_scoped_release release;
  std::vector<Eigen::Vector3d> result;
  result.reserve(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    result.push_back(points[i]);
    if (!result.back().allFinite())
      refuse(name, "must be finite, and row " + std::to_string(i) + " is not: use " + name + "[numpy.isfinite(" + name +
                       ").all(axis=1)]");
  }
  return result;
}

py::array_t<float> float_rows(const py::object& object, py::ssize_t columns, const char* name) {
  const py::array array = require_array(object, name);
  if (array.ndim() != 2 || array.shape(1) != columns)
    refuse(name, "must have the shape N x " + std::to_string(columns) + ", not " + shape_of(array));
  if (!py::isinstance<py::array_t<float, py::array::c_style>>(array))
    refuse(name,
           "must be float32 in C order: use numpy.ascontiguousarray(" + std::string(name) + ", dtype=numpy.float32)");
  return py::reinterpret_borrow<py::array_t<float>>(array);
}

std::vector<double> numbers(const py::object& numbers, const char* name) {
  const auto array = doubles(numbers, name, "numbers");
  if (array.ndim() != 1) refuse(name, "must be numbers one after the other, not of shape " + shape_of(array));
  return {array.data(), array.data() + array.size()};
}

Eigen::Vector3d vector3(const py::object& numbers, const char* name) {
  const auto array = doubles(numbers, name, "three numbers");
  if (array.ndim() != 1 || array.shape(0) != 3) refuse(name, "must be three numbers, not of shape " + shape_of(array));
  const Eigen::Vector3d vector = Eigen::Map<const Eigen::Vector3d>(array.data());
  if (!vector.allFinite()) refuse(name, "must be three finite numbers");
  return vector;
}

Eigen::Isometry3d pose(const py::object& matrix, const char* name) {
  const auto array = doubles(matrix, name, "a 4 x 4 matrix");
  if (array.ndim() != 2 || array.shape(0) != 4 || array.shape(1) != 4)
    refuse(name, "must have the shape 4 x 4, not " + shape_of(array));
  return rigid(array.data(), name);
}

std::vector<Eigen::Isometry3d> poses(const py::object& matrices, const char* name) {
  const auto array = doubles(matrices, name, "N x 4 x 4 matrices");
  if (array.ndim() != 3 || array.shape(1) != 4 || array.shape(2) != 4)
    refuse(name, "must have the shape N x 4 x 4, not " + shape_of(array));
  std::vector<Eigen::Isometry3d> result;
  for (py::ssize_t i = 0; i < array.shape(0); ++i)
    result.push_back(rigid(array.data(i, 0, 0), std::string(name) + "[" + std::to_string(i) + "]"));
  return result;
}

std::vector<std::int64_t> whole_numbers(const py::object& numbers, std::int64_t low, std::int64_t end,
                                        const char* name) {
  refuse_masked(numbers, name, ".compressed()");
  const auto array = py::array::ensure(numbers);
  const char kind = array ? array.dtype().kind() : '?';
  const bool whole = kind == 'i' || kind == 'u' || (array && array.size() == 0);
  if (!whole || array.ndim() != 1) refuse(name, "must be whole numbers, one after the other (integers, 1-D)");
  const auto values = py::array_t<std::int64_t, py::array::c_style | py::array::forcecast>::ensure(array);
  std::vector<std::int64_t> result(values.data(), values.data() + values.size());
  for (const std::int64_t value : result)
    if (value < low || value >= end)
      refuse(name, "must be at least " + std::to_string(low) + " and below " + std::to_string(end) + ", and " +
                       std::to_string(value) + " is not");
  return result;
}

std::vector<Index> indices(const py::object& numbers, std::size_t size, const char* name) {
  const std::vector<std::int64_t> values = whole_numbers(numbers, 0, static_cast<std::int64_t>(size), name);
  return {values.begin(), values.end()};
}

py::array_t<double> to_array(const Eigen::Vector3d& vector) { return py::array_t<double>(3, vector.data()); }

py::array_t<double> to_array(const std::vector<Eigen::Isometry3d>& poses) {
  py::array_t<double> array({static_cast<py::ssize_t>(poses.size()), py::ssize_t{4}, py::ssize_t{4}});
  for (std::size_t i = 0; i < poses.size(); ++i)
    Eigen::Map<Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(array.mutable_data() + 16 * i) = poses[i].matrix();
  return array;
}

py::array_t<bool> to_array(const std::vector<bool>& flags) {
  py::array_t<bool> array(static_cast<py::ssize_t>(flags.size()));
  std::copy(flags.begin(), flags.end(), array.mutable_data());
  return array;
}

py::array adopt(std::vector<Eigen::Vector3f> points) {
  auto owned = std::make_unique<std::vector<Eigen::Vector3f>>(std::move(points));
  const std::vector<Eigen::Vector3f>& rows = *owned;
  const py::capsule owner(owned.get(), [](void* p) { delete static_cast<std::vector<Eigen::Vector3f>*>(p); });
  owned.release();
  return py::array_t<float>({static_cast<py::ssize_t>(rows.size()), py::ssize_t{3}},
                            reinterpret_cast<const float*>(rows.data()), owner);
}

}  // namespace parte::python
