#include "arrays.hpp"
#include "bindings.hpp"
#include "options.hpp"
#include "registration.hpp"

#include <parte/covariance.hpp>

#include <pybind11/stl.h>

#include <cstdio>
#include <numbers>

namespace parte::python {
namespace {

std::string describe(const Alignment& a) {
  const Result& r = a.result;
  char numbers[256];
  std::snprintf(numbers, sizeof numbers,
                "%.2f m, %.1f deg; confidence %.4f; clique %zu points + %zu planes; overlap %.0f %%; align %.0f ms>",
                r.T_target_source.translation().norm(),
                Eigen::AngleAxisd(r.T_target_source.linear()).angle() * 180.0 / std::numbers::pi, r.confidence,
                r.clique_points.size(), r.clique_planes.size(), 100.0 * r.overlap.fraction(), r.timings.total_ms());
  return "<parte.Result " + std::string(to_string(r.status)) + ": " + numbers;
}

py::array clique_points(const py::object& self) {
  static_assert(sizeof(Correspondence) == 6 * sizeof(double));
  const std::vector<Correspondence>& pairs = self.cast<const Alignment&>().result.clique_points;
  return view({static_cast<py::ssize_t>(pairs.size()), py::ssize_t{2}, py::ssize_t{3}},
              reinterpret_cast<const double*>(pairs.data()), self);
}

py::array_t<double> confidences(const Alignment& a) {
  std::vector<double> values;
  for (const PlaneMatch& m : a.result.clique_planes) values.push_back(m.confidence);
  return to_array(values);
}

py::object covariance(const Alignment& a) {
  if (!a.result.usable()) return py::none();
  return to_array(registration_covariance(a.result, CovarianceOptions::of(a.options)));
}

py::dict evidence(const Alignment& a) {
  const AlignmentEvidence& e = a.result.evidence;
  py::dict numbers;
  numbers["members"] = e.members;
  numbers["overlap"] = e.overlap;
  numbers["agreement"] = e.agreement;
  numbers["sharpness"] = e.sharpness;
  numbers["chance_overlap"] = e.chance_overlap;
  numbers["chance_agreement"] = e.chance_agreement;
  numbers["rival"] = e.rival;
  numbers["correction"] = e.correction;
  numbers["fit"] = e.fit;
  return numbers;
}

void bind_overlap(py::module_& m) {
  py::class_<Overlap>(m, "Overlap", "Votes of the points of both scans on an alignment.")
      .def_readonly("supported", &Overlap::supported, "Lie on a surface of the other scan, facing the same way.")
      .def_readonly("conflicting", &Overlap::conflicting, "Lie where the other sensor looked through.")
      .def_readonly("unseen", &Overlap::unseen, "Abstain.")
      .def_readonly("close", &Overlap::close, "Of the supported ones, those very near the surface.")
      .def_property_readonly("agreement", &Overlap::agreement, "supported / (supported + conflicting).")
      .def_property_readonly("sharpness", &Overlap::sharpness, "close / supported.")
      .def_property_readonly("fraction", &Overlap::fraction, "supported / all.")
      .def("__repr__", [](const Overlap& o) {
        char text[128];
        std::snprintf(text, sizeof text, "<parte.Overlap fraction %.3f, agreement %.3f, sharpness %.3f>", o.fraction(),
                      o.agreement(), o.sharpness());
        return std::string(text);
      });
}

void bind_transform(py::class_<Alignment>& result) {
  using A = Alignment;
  result
      .def_property_readonly(
          "T_target_source", [](const A& a) { return to_array(a.result.T_target_source.matrix()); },
          "4 x 4, maps source coordinates [m] into the target frame. Trust it only if success.")
      .def_property_readonly(
          "T_clique", [](const A& a) { return to_array(a.result.T_clique.matrix()); },
          "4 x 4, the clique's own transform, before refinement by the surfaces.")
      .def_property_readonly(
          "information", [](const A& a) { return to_array(a.result.information); },
          R"(6 x 6 inverse covariance of T_clique exp(xi) for residuals of unit variance.

xi = (rotation [rad], translation [m]) in the source frame: the order and side of gtsam.Pose3.)")
      .def_property_readonly(
          "surface_information", [](const A& a) { return to_array(a.result.surface_information); },
          "6 x 6, the same for T_target_source: Hessian of the refinement; zero without it.")
      .def_property_readonly(
          "surface_rms_m", [](const A& a) { return a.result.surface_rms_m; }, "RMS residual of the refinement [m].")
      .def_property_readonly(
          "partial", [](const A& a) { return a.result.partial; },
          "Whether a degenerate result is confirmed but for one shift that it leaves open, as along a street.")
      .def_property_readonly("covariance", &covariance,
                             R"(6 x 6 calibrated covariance of T_target_source exp(xi); None unless success or partial.

xi = (rotation [rad], translation [m]) in the source frame: the order and side of gtsam.Pose3.)")
      .def_property_readonly(
          "free_directions", [](const A& a) { return to_rows(a.result.free_directions); },
          "K x 6: unit tangent vectors in the source frame that a degenerate result leaves open.");
}

void bind_clique(py::class_<Alignment>& result) {
  using A = Alignment;
  result
      .def_property_readonly("clique_points", &clique_points,
                             "N x 2 x 3 float64 [m]: inlier pairs (source, target) in the callers' coordinates.")
      .def_property_readonly(
          "clique_matches", [](const A& a) { return match_array(a.result.clique_matches); },
          R"(N x 2 indices (source, target) of the same pairs: into Features.at_level(level).cloud.

With correspondences given to align(): into those, the same number twice.)")
      .def_property_readonly(
          "clique_planes", [](const A& a) { return match_array(a.result.clique_planes); },
          "K x 2 indices (source, target) of the inlier planes: into Features.at_level(level).planes.planes.")
      .def_property_readonly("clique_confidences", &confidences, "K confidences of these planes, in [0, 1].")
      .def_property_readonly(
          "clique_weight", [](const A& a) { return a.result.clique_weight; },
          "A point weighs 1, a plane by its confidence.")
      .def_property_readonly(
          "proven_optimal", [](const A& a) { return a.result.proven_optimal; }, "No heavier clique exists.")
      .def_property_readonly(
          "level", [](const A& a) { return a.result.level; },
          "Of the scale that the clique was found at: on voxels of 2^level times voxel.")
      .def_property_readonly(
          "levels", [](const A& a) { return a.result.levels; }, "Scales tried; 1: the coarsest sufficed.")
      .def_property_readonly(
          "hypotheses", [](const A& a) { return a.result.hypotheses; },
          "Cliques tried; 1: the heaviest one was confirmed at once.")
      .def_property_readonly(
          "point_candidates", [](const A& a) { return a.result.point_candidates; },
          "Point correspondences before the clique.")
      .def_property_readonly(
          "plane_candidates", [](const A& a) { return a.result.plane_candidates; },
          "Plane correspondences before the clique.")
      .def_property_readonly(
          "point_rms_m", [](const A& a) { return a.result.point_rms_m; },
          "RMS distance of the clique's points under T_clique [m].");
}

}  // namespace

void bind_result(py::module_& m) {
  using A = Alignment;
  bind_overlap(m);
  py::class_<A> result(m, "Result", "What came of an alignment. Made by align() and register().");
  result.def_property_readonly(
      "success", [](const A& a) { return a.result.success(); }, "Whether the aligned scans confirm the transform.");
  result.def_property_readonly(
      "status", [](const A& a) { return to_string(a.result.status); },
      R"("success", or why not: "too few points", "too many points", "too few correspondences",
"degenerate" (see free_directions), "not verified".)");
  result.def_property_readonly(
      "confidence", [](const A& a) { return a.result.confidence; },
      "Probability that T_target_source is correct: a success has at least verification.min_confidence.");
  result.def_property_readonly("evidence", &evidence, "What the confidence follows from, by name.");
  bind_transform(result);
  bind_clique(result);
  result.def_property_readonly(
      "overlap", [](const A& a) { return a.result.overlap; }, "Overlap of the aligned scans.");
  result.def_property_readonly(
      "timings", [](const A& a) { return to_dict(a.result.timings); },
      "Wall-clock time of each stage of align() and in total [ms].");
  result.def_property_readonly(
      "options", [](const A& a) { return to_dict(a.options); }, "All options of the alignment, as keyword arguments.");
  result.def("__repr__", &describe);
}

}  // namespace parte::python
