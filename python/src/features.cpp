#include "arrays.hpp"
#include "bindings.hpp"
#include "options.hpp"
#include "registration.hpp"

#include <pybind11/stl.h>

namespace parte::python {
namespace {

/// It may have to be made first, which takes a while.
const Description& described(const ScanFeatures& s) {
  const py::gil_scoped_release unlocked;
  return s.features.description();
}

std::string describe(const ScanFeatures& s) {
  const Features& f = s.features;
  const std::string state = f.status == Status::success ? "" : std::string(to_string(f.status)) + ": ";
  const Description& d = f.coarsest().description();  // the only one that is surely made already
  const std::string counts = std::to_string(f.cloud.size()) + " points, at the coarsest scale " +
                             std::to_string(d.planes.patches.size()) + " planes, " +
                             std::to_string(d.point_indices.size()) + " descriptors, ";
  return "<parte.Features " + state + counts + std::to_string(f.cloud.dropped) + " dropped>";
}

}  // namespace

void bind_features(py::module_& m) {
  using S = ScanFeatures;
  const auto within = py::return_value_policy::reference_internal;
  py::class_<S>(m, "Features", R"(What one scan contributes to any number of alignments. Made by extract().

It keeps nothing of the caller's array. Arrays are read-only and in the memory of this object. Coordinates of the cloud
and its planes are local: caller's coordinates [m] = cloud.origin + local ones.)")
      .def_property_readonly(
          "status", [](const S& s) { return to_string(s.features.status); },
          "\"success\" if usable, else \"too few points\" or \"too many points\" (another voxel helps).")
      .def_property_readonly(
          "dropped", [](const S& s) { return s.features.cloud.dropped; },
          "Points left out: not finite, or absurdly far from the rest.")
      .def_property_readonly(
          "cloud", [](const S& s) -> const PointCloud& { return s.features.cloud; }, within,
          "The downsampled points with their normals, which are None unless status is \"success\".")
      .def("__len__", [](const S& s) { return s.features.cloud.size(); })
      .def_property_readonly(
          "viewpoint",
          [](const S& s) { return to_array(Eigen::Vector3d(s.features.cloud.origin + s.features.sensor)); },
          "Where the scan was taken to be seen from, x, y, z [m] in the caller's coordinates.")
      .def_property_readonly(
          "ground", [](const S& s) { return to_array(s.features.ground); }, "Bool for each point: on the ground.")
      .def_property_readonly(
          "planes", [](const S& s) -> const PlaneFeatures& { return described(s).planes; }, within,
          "The planes and their descriptors; the ground comes first.")
      .def_property_readonly(
          "point_indices", [](const S& s) { return to_array(described(s).point_indices); },
          "The points that carry a descriptor: indices into cloud.")
      .def_property_readonly(
          "descriptors",
          [](const py::object& self) {
            const FpfhMatrix& rows = described(self.cast<const S&>()).descriptors;
            return view({rows.rows(), rows.cols()}, rows.data(), self);
          },
          "M x 33 float32, FPFH: row k belongs to point_indices[k].")
      .def_property_readonly(
          "upright",
          [](const py::object& self) {
            const UprightMatrix& rows = described(self.cast<const S&>()).upright;
            return view({rows.rows(), rows.cols()}, rows.data(), self);
          },
          "M x 2 float32, height over the ground and slope beside each descriptor; no rows where there is no ground.")
      .def(
          "at_level",
          [](const S& s, int level) {
            int levels = 0;
            for (const Features* f = &s.features; f->coarse; f = f->coarse.get()) ++levels;
            if (level < 0 || level > levels)
              throw py::value_error("level must be 0 to " + std::to_string(levels) + ", not " + std::to_string(level));
            return S{s.features.at_level(level), s.options.at_level(level)};
          },
          py::arg("level"),
          R"(The features on voxels 2^level times as large, of which Result.level says where the clique was found.

ValueError if there is no such scale.)")
      .def_property_readonly(
          "timings", [](const S& s) { return to_dict(s.features.timings); },
          "Wall-clock time of each stage and in total [ms], without descriptions made when they are first asked for.")
      .def_property_readonly(
          "options", [](const S& s) { return to_dict(s.options); },
          "All options that extract() was called with, as keyword arguments.")
      .def("__repr__", &describe);
}

}  // namespace parte::python
