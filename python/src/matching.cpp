// The stages that bring two scans together.
#include "arrays.hpp"
#include "bindings.hpp"
#include "clouds.hpp"
#include "options.hpp"
#include "values.hpp"

#include <parte/clique.hpp>
#include <parte/compatibility.hpp>
#include <parte/transform.hpp>

#include <pybind11/stl.h>

namespace parte::python {
namespace {

using Release = py::gil_scoped_release;

template <class Rows>
Rows rows_of(const py::object& object, const char* name) {
  constexpr int kColumns = Rows::ColsAtCompileTime;
  const py::array_t<float> rows = float_rows(object, kColumns, name);
  const Rows matrix = Eigen::Map<const Rows>(rows.data(), rows.shape(0), kColumns);
  if (!matrix.allFinite()) throw py::value_error(std::string(name) + " must be finite");
  return matrix;
}

/// None or no rows: nothing stands beside the descriptors.
UprightMatrix upright_of(const py::object& object, Eigen::Index size, const char* name) {
  if (object.is_none()) return {};
  const auto rows = rows_of<UprightMatrix>(object, name);
  if (rows.rows() != 0 && rows.rows() != size)
    throw py::value_error(std::string(name) + " must have as many rows as there are descriptors");
  return rows;
}

py::array_t<Index> match_descriptors(const py::object& source, const py::object& target,
                                     const py::object& source_upright, const py::object& target_upright) {
  const auto a = rows_of<FpfhMatrix>(source, "source"), b = rows_of<FpfhMatrix>(target, "target");
  const UprightMatrix beside_a = upright_of(source_upright, a.rows(), "source_upright");
  const UprightMatrix beside_b = upright_of(target_upright, b.rows(), "target_upright");
  std::vector<Match> matches;
  {
    const Release release;
    matches = match_points(a, b, beside_a, beside_b);
  }
  return match_array(matches);
}

py::tuple match_plane_features(const PlaneFeatures& source, const PlaneFeatures& target, const py::object& mode) {
  const PlaneMatching level = plane_matching_named(mode);
  std::vector<PlaneMatch> matches;
  {
    const Release release;
    matches = match_planes(source, target, level);
  }
  std::vector<double> confidence;
  for (const PlaneMatch& m : matches) confidence.push_back(m.confidence);
  return py::make_tuple(match_array(matches), to_array(confidence));
}

std::vector<PointPair> point_pairs(const py::object& source, const py::object& target) {
  const auto a = finite_points(source, "source_points"), b = finite_points(target, "target_points");
  if (a.size() != b.size()) throw py::value_error("target_points must be as many as source_points");
  std::vector<PointPair> pairs;
  for (std::size_t i = 0; i < a.size(); ++i) pairs.push_back({a[i], b[i]});
  return pairs;
}

std::vector<PlanePair> plane_pairs(const std::vector<PlanarPatch>& source, const std::vector<PlanarPatch>& target,
                                   const std::vector<double>& weights) {
  if (source.size() != target.size()) throw py::value_error("target_planes must be as many as source_planes");
  if (weights.size() != source.size()) throw py::value_error("plane_weights must be as many as source_planes");
  std::vector<PlanePair> pairs;
  for (std::size_t j = 0; j < source.size(); ++j) {
    const double weight = weights[j];
    if (!(weight >= 0.0) || !std::isfinite(weight))
      throw py::value_error("plane_weights must be finite and not negative");
    pairs.push_back({source[j].centroid, source[j].normal, target[j].centroid, target[j].normal, weight});
  }
  return pairs;
}

BitMatrix compatibility(const py::object& source_points, const py::object& target_points,
                        const std::vector<PlanarPatch>& source_planes, const std::vector<PlanarPatch>& target_planes,
                        const Real& spatial_tolerance, const Real& angular_tolerance_deg) {
  const CompatibilityOptions options{spatial_tolerance.as("spatial_tolerance"),
                                     angular_tolerance_deg.as("angular_tolerance_deg")};
  options.validate();
  const std::vector<PointPair> points = point_pairs(source_points, target_points);
  const std::vector<PlanePair> planes =
      plane_pairs(source_planes, target_planes, std::vector<double>(source_planes.size(), 1.0));
  const Release release;
  return compatibility_graph(points, planes, options);
}

BitMatrix make_graph(const py::object& object) {
  refuse_masked(object, "adjacency", ".filled(False)");
  if (!py::isinstance<py::array_t<bool>>(object)) throw py::value_error("adjacency must be a numpy array of bool");
  const auto adjacency = py::reinterpret_borrow<py::array_t<bool>>(object);
  if (adjacency.ndim() != 2 || adjacency.shape(0) != adjacency.shape(1))
    throw py::value_error("adjacency must be square, N x N");
  const auto at = adjacency.unchecked<2>();
  const auto size = static_cast<std::size_t>(adjacency.shape(0));
  const Release release;
  BitMatrix graph(size);
  for (std::size_t i = 0; i < size; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const auto row = static_cast<py::ssize_t>(i), column = static_cast<py::ssize_t>(j);
      if (at(row, column) != at(column, row)) throw py::value_error("adjacency must be symmetric");
      if (at(row, column)) graph.connect(i, j);
    }
  }
  return graph;
}

py::array_t<bool> adjacency(const BitMatrix& graph) {
  const auto size = static_cast<py::ssize_t>(graph.size());
  py::array_t<bool> array({size, size});
  auto at = array.mutable_unchecked<2>();
  for (py::ssize_t i = 0; i < size; ++i)
    for (py::ssize_t j = 0; j < size; ++j)
      at(i, j) = graph.test(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
  return array;
}

Clique heaviest_clique(const BitMatrix& graph, const py::object& weights, const Argument<std::int64_t>& max_work,
                       const Real& time_limit_s) {
  const CliqueOptions options{max_work.as("max_work"), time_limit_s.as("time_limit_s")};
  options.validate();
  const auto whole = whole_numbers(weights, 1, std::numeric_limits<int>::max(), "weights");
  if (whole.size() != graph.size()) throw py::value_error("weights must have one number for each vertex");
  const std::vector<int> values(whole.begin(), whole.end());
  const Release release;
  return max_weight_clique(graph, values, options);
}

TransformEstimate transform(const py::object& source_points, const py::object& target_points,
                            const std::vector<PlanarPatch>& source_planes,
                            const std::vector<PlanarPatch>& target_planes, const py::object& plane_weights,
                            const Whole& max_iterations, const Real& convergence, const Real& noise,
                            const Real& angular_noise, const Real& max_uncertainty) {
  const TransformOptions options{max_iterations.as("max_iterations"), convergence.as("convergence"), noise.as("noise"),
                                 angular_noise.as("angular_noise"), max_uncertainty.as("max_uncertainty")};
  options.validate();
  const std::vector<PointPair> points = point_pairs(source_points, target_points);
  const std::vector<double> weights = plane_weights.is_none() ? std::vector<double>(source_planes.size(), 1.0)
                                                              : numbers(plane_weights, "plane_weights");
  const std::vector<PlanePair> planes = plane_pairs(source_planes, target_planes, weights);
  const Release release;
  return estimate_transform(points, planes, options);
}

void bind_graph(py::module_& m) {
  py::class_<BitMatrix>(m, "Graph", "An undirected graph, one bit for each pair of vertices.")
      .def(py::init(&make_graph), py::arg("adjacency"), "Of a symmetric N x N bool array; its diagonal does not count.")
      .def("__len__", &BitMatrix::size)
      .def_property_readonly("adjacency", &adjacency,
                             "N x N bool: N^2 bytes, eight times what the graph itself takes.");
  py::class_<Clique>(m, "Clique", "A set of vertices that are all joined to each other.")
      .def_property_readonly(
          "vertices", [](const Clique& c) { return to_array(c.vertices); }, "Indices, ascending.")
      .def_readonly("weight", &Clique::weight, "The sum of the vertices' weights.")
      .def_readonly("proven_optimal", &Clique::proven_optimal, "The search ended by itself, not by a limit.")
      .def("__repr__", [](const Clique& c) {
        return "<parte.Clique of " + std::to_string(c.vertices.size()) + " vertices, weight " +
               std::to_string(c.weight) + (c.proven_optimal ? ", proven optimal>" : ">");
      });
}

void bind_estimate(py::module_& m) {
  using Estimate = TransformEstimate;
  py::class_<Estimate>(m, "TransformEstimate", "What a set of correspondences says about the transform.")
      .def_property_readonly(
          "T_target_source", [](const Estimate& e) { return to_array(e.T_target_source.matrix()); },
          "4 x 4, maps the coordinates of the given source points [m] into the frame of the target's.")
      .def_property_readonly(
          "information", [](const Estimate& e) { return to_array(e.information); },
          "6 x 6 for T exp(xi), xi = (rotation [rad], translation [m]) in the source frame.")
      .def_property_readonly(
          "free_directions", [](const Estimate& e) { return to_rows(e.free_directions); },
          "K x 6: unit tangent vectors in the source frame that nothing fixes.")
      .def_readonly("degenerate", &Estimate::degenerate, "Whether there is such a direction.")
      .def_readonly("objective", &Estimate::objective, "Value of the joint objective at the optimum.")
      .def_property_readonly(
          "objective_history", [](const Estimate& e) { return to_array(e.objective_history); },
          "After every step; never rises.")
      .def_readonly("point_rms_m", &Estimate::point_rms_m, "RMS distance of the matched points [m].");
}

}  // namespace

void bind_matching(py::module_& m) {
  using py::arg;
  bind_graph(m);
  bind_estimate(m);
  m.def("match_points", &match_descriptors, arg("source"), arg("target"), arg("source_upright") = py::none(),
        arg("target_upright") = py::none(),
        R"(Exact mutual nearest neighbours of descriptors: M x 2 indices of rows (source, target), ascending.

source, target: N x 33 float32 in C order, as fpfh() gives them. Zero rows match nothing. source_upright, target_upright:
N x 2 float32, Features.upright; they count beside the descriptors if both are given and have rows.)");
  m.def("match_planes", &match_plane_features, arg("source"), arg("target"), arg("mode") = "two_level",
        R"(Mutual nearest neighbours of planes: M x 2 indices (source, target) and M confidences in [0, 1].

mode: "two_level" (planes first, then the patches inside coplanar groups) or "one_level".)");
  const CompatibilityOptions c;
  m.def("compatibility", &compatibility, arg("source_points"), arg("target_points"), arg("source_planes") = py::tuple(),
        arg("target_planes") = py::tuple(), arg("spatial_tolerance") = c.spatial_tolerance,
        arg("angular_tolerance_deg") = c.angular_tolerance_deg,
        R"(The graph of correspondences: points first, then planes, joined where a rigid motion could keep both.

source_points, target_points: N x 3 [m], row by row a pair; source_planes, target_planes: lists of Plane, likewise.
Points must be in the local coordinates that their planes are in: cloud.points, not cloud.coordinates.
spatial_tolerance [m]: align() uses 1 voxel; angular_tolerance_deg [deg].)");
  const CliqueOptions k;
  m.def("max_weight_clique", &heaviest_clique, arg("graph"), arg("weights"), arg("max_work") = k.max_work,
        arg("time_limit_s") = k.time_limit_s, R"(The clique whose vertices weigh most, exactly unless a limit stops it.

weights: a positive whole number for each vertex. max_work: 64-bit words visited, about 10^9 in a second, at the same
place in every run; time_limit_s [s]: a safety net on the wall clock. Ctrl-C takes effect only after the search.)");
  const TransformOptions t;
  m.def("estimate_transform", &transform, arg("source_points"), arg("target_points"),
        arg("source_planes") = py::tuple(), arg("target_planes") = py::tuple(), arg("plane_weights") = py::none(),
        arg("max_iterations") = t.max_iterations, arg("convergence") = t.convergence, arg("noise") = t.noise,
        arg("angular_noise") = t.angular_noise, arg("max_uncertainty") = t.max_uncertainty,
        R"(The transform that fits matched points and planes best (Algorithm 2): TransformEstimate.

Arguments as for compatibility(): points in the local coordinates of their clouds, as planes are. T_target_source,
information and free_directions are between these local frames. With origins o and q of the source's and the target's
cloud, the callers' frames are related by the same rotation R and the translation t + q - R o; and with S the 6 x 6
matrix [[I, 0], [-skew(o), I]], by information S.T @ information @ S.
plane_weights: one for each pair of planes, 1 by default. convergence [rad, m].
noise [m], angular_noise [rad]: standard deviations of residuals, for the test of degeneracy; max_uncertainty: a
direction is free if its deviation exceeds this part of the scene's size.)");
}

}  // namespace parte::python
