#include "registration.hpp"

#include "arrays.hpp"
#include "bindings.hpp"
#include "options.hpp"

#include <parte/covariance.hpp>
#include <parte/voxel_size.hpp>

#include <optional>

namespace parte::python {
namespace {

using Release = py::gil_scoped_release;
using Viewpoint = std::optional<Eigen::Vector3d>;

Viewpoint viewpoint_of(const py::object& viewpoint, const char* name) {
  return viewpoint.is_none() ? Viewpoint() : Viewpoint(vector3(viewpoint, name));
}

ScanFeatures extract(const py::object& points, const py::object& voxel, const py::object& sensor,
                     const py::object& viewpoint, const py::kwargs& options) {
  const PointsView view = points_view(points, "points");
  const Viewpoint from = viewpoint_of(viewpoint, "viewpoint");
  const Registration registration(make_options(voxel, sensor, options));
  const Release release;
  return {registration.extract(view, from), registration.options()};
}

std::vector<Correspondence> correspondences_of(const py::object& pair) {
  if (!py::isinstance<py::sequence>(pair) || py::len(pair) != 2)
    throw py::value_error("correspondences must be two arrays N x 3: those of the source and those of the target");
  const py::object first = pair[py::int_(0)], second = pair[py::int_(1)];
  const auto source = finite_points(first, "correspondences[0]"), target = finite_points(second, "correspondences[1]");
  if (source.size() != target.size())
    throw py::value_error("correspondences must have as many points of the source as of the target");
  std::vector<Correspondence> result;
  for (std::size_t i = 0; i < source.size(); ++i) result.push_back({source[i], target[i]});
  return result;
}

Alignment align(const ScanFeatures& source, const ScanFeatures& target, const py::object& correspondences,
                const py::kwargs& options) {
  const Registration registration(options_for_alignment(source.options, target.options, options));
  if (correspondences.is_none()) {
    const Release release;
    return {registration.align(source.features, target.features), registration.options()};
  }
  const std::vector<Correspondence> pairs = correspondences_of(correspondences);
  const Release release;
  return {registration.align(source.features, target.features, pairs), registration.options()};
}

Alignment register_scans(const py::object& source, const py::object& target, const py::object& voxel,
                         const py::object& sensor, const py::object& source_viewpoint,
                         const py::object& target_viewpoint, const py::kwargs& options) {
  const PointsView from = points_view(source, "source"), to = points_view(target, "target");
  const Viewpoint from_sensor = viewpoint_of(source_viewpoint, "source_viewpoint");
  const Viewpoint to_sensor = viewpoint_of(target_viewpoint, "target_viewpoint");
  const Registration registration(make_options(voxel, sensor, options));
  const Release release;
  return {registration.align(registration.extract(from, from_sensor), registration.extract(to, to_sensor)),
          registration.options()};
}

double voxel_for(const py::object& source, const py::object& target, const py::object& sensor) {
  const PointsView from = points_view(source, "source"), to = points_view(target, "target");
  const Sensor kind = sensor_named(sensor);
  const Release release;
  return choose_voxel(from, to, kind).voxel;
}

}  // namespace

void bind_registration(py::module_& m) {
  using py::arg;
  m.def("extract", &extract, arg("points"), arg("voxel") = py::none(), arg("sensor") = "lidar",
        arg("viewpoint") = py::none(), R"(The features of one scan: extract once, align as often as you like.

points: N x 3 or N x 4 float32 or float64 [m], rows in C order, read without a copy and not kept; only x, y, z count.
  Points that are not finite are dropped and counted (Features.dropped).
voxel: edge of the voxels [m]; None: 0.3 for "lidar", 0.05 for "rgbd". choose_voxel() chooses for two scans.
sensor: "lidar" (z up, ground segmented first) or "rgbd" (any attitude).
viewpoint: where the scan was seen from, x, y, z [m] in the coordinates of the points. None: (0, 0, 0) or, if that
  lies far outside of the scan, a guess.
options: the fields of the C++ Options by name, see default_options(); nested ones as a dict, such as
  verification={"refine": False}.

Raises ValueError naming the argument or option. Safe to call from several threads; the GIL is released.)");
  m.def("align", &align, arg("source"), arg("target"), arg("correspondences") = py::none(),
        R"(The transform from the source's frame to the target's, without an initial guess: a Result.

source, target: Features, extracted with equal options.
correspondences: pairs of points from elsewhere (learned features, say) instead of FPFH matches: two arrays N x 3 [m],
  those of the source and those of the target, in the callers' coordinates, finite.
options: threads, and those that do not change the features, such as plane_weight; by default those of extract().

A scan that does not match is no error: see Result.success and Result.status.)");
  m.def("register", &register_scans, arg("source"), arg("target"), arg("voxel") = py::none(), arg("sensor") = "lidar",
        arg("source_viewpoint") = py::none(), arg("target_viewpoint") = py::none(),
        "extract() of both scans, then align(): arguments as there.");
  m.def("choose_voxel", &voxel_for, arg("source"), arg("target"), arg("sensor") = "lidar",
        "A voxel size [m] for two scans, by their extent and density.");
  m.def(
      "default_options",
      [](const py::object& sensor) { return to_dict(make_options(py::none(), sensor, py::kwargs())); },
      arg("sensor") = "lidar",
      "Every option of extract() and align() with its default, as keyword arguments. Lengths without a unit in their "
      "name are multiples of voxel, but those of ground, which are metres; *_deg are degrees.");
}

}  // namespace parte::python
