#include "arrays.hpp"
#include "bindings.hpp"
#include "values.hpp"

#include <slam/metrics.hpp>

#include <pybind11/stl.h>

namespace parte::python {
namespace {

/// Calls one of the metrics with two trajectories from Python.
template <class Metric>
auto of_trajectories(Metric metric) {
  return [metric](const py::object& estimate, const py::object& truth) {
    const auto estimated = poses(estimate, "estimate"), true_poses = poses(truth, "truth");
    const py::gil_scoped_release release;
    return metric(estimated, true_poses);
  };
}

void bind_errors(py::module_& m) {
  using slam::KittiError, slam::RelativeError;
  py::class_<RelativeError>(m, "RelativeError", "Errors of the motions between frames.")
      .def_readonly("translation_rmse_m", &RelativeError::translation_rmse_m, "[m]")
      .def_readonly("rotation_rmse_deg", &RelativeError::rotation_rmse_deg, "[deg]")
      .def_readonly("pairs", &RelativeError::pairs, "How many pairs of frames there are.");
  py::class_<KittiError>(m, "KittiError", "The metric of KITTI's odometry benchmark.")
      .def_readonly("t_rel_percent", &KittiError::t_rel_percent, "[%] of the path's length")
      .def_readonly("r_rel_deg_per_100m", &KittiError::r_rel_deg_per_100m, "[deg / 100 m]")
      .def_readonly("segments", &KittiError::segments, "How many segments of 100 to 800 m there are.");
}

}  // namespace

void bind_metrics(py::module_& parent) {
  using py::arg;
  py::module_ m = parent.def_submodule("metrics", R"(How far an estimated trajectory is from the true one.

Trajectories are N x 4 x 4 poses T_world_body [m] of the same frames.)");
  bind_errors(m);
  m.def("ate_rmse", of_trajectories(&slam::ate_rmse_m), arg("estimate"), arg("truth"),
        "Absolute trajectory error, RMS over the positions [m], after the best rigid alignment.");
  m.def("ate_rmse_first_pose", of_trajectories(&slam::ate_rmse_first_pose_m), arg("estimate"), arg("truth"),
        "The same [m], with the estimate moved so that the first poses are equal.");
  m.def(
      "align_positions",
      [](const py::object& estimate, const py::object& truth) {
        return to_array(of_trajectories(&slam::align_positions)(estimate, truth).matrix());
      },
      arg("estimate"), arg("truth"),
      "4 x 4: the rigid motion that takes the estimated positions closest to the true ones.");
  m.def(
      "rpe",
      [](const py::object& estimate, const py::object& truth, const Whole& distance) {
        const int frames = distance.as("frames");
        if (frames < 1) throw py::value_error("frames must be at least 1");
        return of_trajectories([frames](slam::Poses estimated, slam::Poses true_poses) {
          return slam::relative_pose_error(estimated, true_poses, static_cast<std::size_t>(frames));
        })(estimate, truth);
      },
      arg("estimate"), arg("truth"), arg("frames") = 1, "Relative pose error over every pair of frames i, i + frames.");
  m.def("kitti_error", of_trajectories(&slam::kitti_error), arg("estimate"), arg("truth"),
        R"(t_rel and r_rel as KITTI's development kit has them: segments of 100, 200, ..., 800 m of true path.

None if the path is shorter than 100 m.)");
}

}  // namespace parte::python
