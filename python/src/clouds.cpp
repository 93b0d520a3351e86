// What the stages hand to each other: clouds, neighbourhoods, planes.
#include "clouds.hpp"

#include "bindings.hpp"

#include <parte/neighbors.hpp>

#include <pybind11/stl.h>

#include <sstream>

namespace parte::python {
namespace {

PointCloud make_cloud(const py::object& points, const py::object& normals) {
  const std::vector<Eigen::Vector3d> given = finite_points(points, "points");
  const bool precise = py::isinstance<py::array_t<double>>(points), bare = normals.is_none();
  const auto directions = bare ? std::vector<Eigen::Vector3d>() : finite_points(normals, "normals");
  const py::gil_scoped_release release;
  PointCloud cloud;
  if (precise && !given.empty()) {
    for (const Eigen::Vector3d& p : given) cloud.origin += p / static_cast<double>(given.size());
  }
  for (const Eigen::Vector3d& p : given) {
    cloud.points.emplace_back((p - cloud.origin).cast<float>());
    if (!cloud.points.back().allFinite()) throw py::value_error("points must lie within the range of float32");
  }
  if (bare) return cloud;
  for (const Eigen::Vector3d& n : directions) cloud.normals.emplace_back(n.cast<float>());
  if (cloud.normals.size() != cloud.size()) throw py::value_error("normals must be as many as points");
  for (const Eigen::Vector3f& n : cloud.normals)
    if (!n.isZero(0.0f) && std::abs(n.norm() - 1.0f) > 1e-3f)
      throw py::value_error("normals must have the length 1, or 0 where there is none");
  return cloud;
}

py::array_t<double> coordinates(const PointCloud& cloud) {
  std::vector<Eigen::Vector3d> rows;
  for (std::size_t i = 0; i < cloud.size(); ++i) rows.emplace_back(cloud.origin + cloud.at(i));
  return to_rows(rows);
}

void bind_cloud(py::module_& m) {
  py::class_<PointCloud>(m, "Cloud", R"(Points in single precision relative to an origin, with or without normals.

caller's coordinates [m] = origin + points)")
      .def(py::init(&make_cloud), py::arg("points"), py::arg("normals") = py::none(),
           R"(A cloud of exactly these points [m], in their order. They must be finite.

float32 points are kept as they are, with the origin (0, 0, 0); float64 ones relative to their mean.
normals: N x 3, of length 1, or 0 where there is none.)")
      .def("__len__", &PointCloud::size)
      .def_property_readonly(
          "origin", [](const PointCloud& c) { return to_array(c.origin); }, "x, y, z [m].")
      .def_property_readonly(
          "points", [](const py::object& self) { return view(self.cast<const PointCloud&>().points, self); },
          "N x 3 float32 [m], relative to origin; read-only, without a copy.")
      .def_property_readonly("coordinates", &coordinates, "N x 3 float64 [m] in the caller's coordinates; a copy.")
      .def_property_readonly(
          "normals",
          [](const py::object& self) -> py::object {
            const auto& cloud = self.cast<const PointCloud&>();
            if (cloud.normals.size() != cloud.size()) return py::none();
            return view(cloud.normals, self);
          },
          "N x 3 float32, unit or zero where the neighbourhood is too small; None until estimated. Read-only.")
      .def_readonly("dropped", &PointCloud::dropped,
                    "How many points downsample() left out: not finite, or absurdly far from the rest.")
      .def("__repr__", [](const PointCloud& c) {
        return "<parte.Cloud of " + std::to_string(c.size()) + " points" + (c.normals.empty() ? ">" : " with normals>");
      });
}

void bind_neighborhoods(py::module_& m) {
  py::class_<Neighborhoods>(m, "Neighborhoods", "The neighbours of each point of a cloud, itself included.")
      .def("__len__", &Neighborhoods::size)
      .def(
          "__getitem__",
          [](const Neighborhoods& n, std::size_t i) {
            if (i >= n.size()) throw py::index_error("there are " + std::to_string(n.size()) + " neighbourhoods");
            return to_array(std::vector<Index>(n[i].begin(), n[i].end()));
          },
          py::arg("index"), "Indices of the neighbours of one point.")
      .def_property_readonly(
          "counts", [](const Neighborhoods& n) { return to_array(n.counts); }, "How many neighbours each point has.");
}

PlanarPatch make_plane(const py::object& centroid, const py::object& normal) {
  PlanarPatch patch;
  patch.centroid = vector3(centroid, "centroid");
  patch.normal = vector3(normal, "normal");
  if (std::abs(patch.normal.norm() - 1.0) > 1e-6) throw py::value_error("normal must have the length 1");
  return patch;
}

void bind_plane(py::module_& m) {
  py::class_<PlanarPatch>(m, "Plane", "A planar patch of a cloud, in the cloud's local coordinates.")
      .def(py::init(&make_plane), py::arg("centroid"), py::arg("normal"),
           "A plane without points: centroid [m] and unit normal, for compatibility() and estimate_transform().")
      .def_property_readonly(
          "centroid", [](const PlanarPatch& p) { return to_array(p.centroid); },
          "x, y, z [m], local coordinates of the cloud.")
      .def_property_readonly(
          "normal", [](const PlanarPatch& p) { return to_array(p.normal); }, "Unit vector, toward the sensor.")
      .def_property_readonly(
          "covariance", [](const PlanarPatch& p) { return to_array(p.covariance); },
          "3 x 3 [m^2], of the points of the patch.")
      .def_property_readonly(
          "indices", [](const PlanarPatch& p) { return to_array(p.indices); },
          "The points of the patch: indices into the cloud, ascending.")
      .def_property_readonly("offset", &PlanarPatch::offset, "Distance of the plane from the local origin [m].")
      .def_readonly("ground", &PlanarPatch::ground, "Whether it is the ground.")
      .def("__repr__", [](const PlanarPatch& p) {
        std::ostringstream text;
        text.precision(3);
        text << "<parte.Plane of " << p.indices.size() << " points" << (p.ground ? ", ground" : "") << ", normal ("
             << p.normal.x() << ", " << p.normal.y() << ", " << p.normal.z() << ")>";
        return text.str();
      });
}

py::array histograms(const py::object& self, const std::vector<Pch>& rows) {
  return view({static_cast<py::ssize_t>(rows.size()), py::ssize_t{kPchDistanceBins}, py::ssize_t{kPchAgreementBins}},
              reinterpret_cast<const double*>(rows.data()), self);
}

void bind_plane_features(py::module_& m) {
  py::class_<PlaneFeatures>(m, "PlaneFeatures", "The planes of a cloud with their descriptors at both levels.")
      .def("__len__", [](const PlaneFeatures& f) { return f.patches.size(); })
      .def_property_readonly(
          "planes", [](const PlaneFeatures& f) { return f.patches; }, "A list of Plane.")
      .def_property_readonly(
          "context", [](const py::object& self) { return histograms(self, self.cast<const PlaneFeatures&>().context); },
          "K x 16 x 12 counts over the whole slab around each plane: signed distance x normal agreement. Read-only.")
      .def_property_readonly(
          "box_context",
          [](const py::object& self) { return histograms(self, self.cast<const PlaneFeatures&>().box_context); },
          "The same over the points above and below each patch's box. Read-only.")
      .def_property_readonly(
          "groups", [](const PlaneFeatures& f) { return f.groups; },
          "Lists of indices of the planes that lie on one infinite plane.");
}

}  // namespace

void require_normals(const PointCloud& cloud) {
  if (cloud.normals.size() != cloud.size())
    throw py::value_error("cloud must have normals: use cloud, neighbors = parte.normals(cloud)");
}

Eigen::Vector3d local_viewpoint(const PointCloud& cloud, const py::object& viewpoint) {
  return vector3(viewpoint, "viewpoint") - cloud.origin;
}

void bind_clouds(py::module_& m) {
  bind_cloud(m);
  bind_neighborhoods(m);
  bind_plane(m);
  bind_plane_features(m);
}

}  // namespace parte::python
