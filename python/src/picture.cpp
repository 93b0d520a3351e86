#include "arrays.hpp"
#include "bindings.hpp"
#include "values.hpp"

#include <apps/picture.hpp>

#include <pybind11/stl/filesystem.h>

namespace parte::python {
namespace {

void draw(const std::filesystem::path& path, const py::object& source, const py::object& target,
          const py::object& T_target_source, const std::string& title, const Argument<bool>& camera_frame) {
  const PointsView from = points_view(source, "source"), to = points_view(target, "target");
  const Eigen::Isometry3d transform = pose(T_target_source, "T_target_source");
  const apps::PictureOptions options{title, camera_frame.as("camera_frame")};
  const py::gil_scoped_release release;
  apps::draw_alignment(path, from, to, transform, options);
}

}  // namespace

void bind_picture(py::module_& m) {
  using py::arg;
  m.def("draw_alignment", &draw, arg("path"), arg("source"), arg("target"), arg("T_target_source"),
        arg("title") = "after", arg("camera_frame") = false,
        R"(Draws two scans before and after to a .png or .svg file, from above and from the side.

source, target: N x 3 or N x 4 [m]; T_target_source: 4 x 4. title: of the right half.
camera_frame: z ahead and y down, instead of x ahead and z up.)");
}

}  // namespace parte::python
