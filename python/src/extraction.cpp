// The stages that describe one scan.
#include "bindings.hpp"
#include "clouds.hpp"
#include "values.hpp"

#include <parte/downsample.hpp>
#include <parte/fpfh.hpp>
#include <parte/ground.hpp>
#include <parte/normals.hpp>
#include <parte/planes.hpp>
#include <parte/require.hpp>

#include <pybind11/stl.h>

namespace parte::python {
namespace {

using Release = py::gil_scoped_release;

PointCloud downsample(const py::object& points, const Real& edge) {
  const double voxel = edge.as("voxel");
  require_positive(voxel, "voxel");
  const PointsView view = points_view(points, "points");
  const Release release;
  return voxel_downsample(view, voxel);
}

std::pair<PointCloud, Neighborhoods> normals(PointCloud cloud, const py::object& viewpoint, const Real& radius,
                                             const Whole& max_neighbors, const Whole& min_neighbors) {
  const NormalOptions options{radius.as("radius"), max_neighbors.as("max_neighbors"),
                              min_neighbors.as("min_neighbors")};
  const Eigen::Vector3d sensor = local_viewpoint(cloud, viewpoint);
  const Release release;
  Neighborhoods neighbors = estimate_normals(cloud, sensor, options);
  return {std::move(cloud), std::move(neighbors)};
}

py::array_t<bool> ground(const PointCloud& cloud, const Real& cell, const Real& tolerance, const Real& max_slope_deg,
                         const Real& max_bend_deg, const Real& max_step, const Whole& min_points) {
  require_normals(cloud);
  const GroundOptions options{cell.as("cell"),
                              tolerance.as("tolerance"),
                              max_slope_deg.as("max_slope_deg"),
                              max_bend_deg.as("max_bend_deg"),
                              max_step.as("max_step"),
                              min_points.as("min_points")};
  options.validate();
  std::vector<bool> mask;
  {
    const Release release;
    mask = segment_ground(cloud, options);
  }
  return to_array(mask);
}

std::vector<bool> mask_of(const py::object& flags, std::size_t size, const char* name) {
  if (flags.is_none()) return {};
  refuse_masked(flags, name, ".filled(False)");
  if (!py::isinstance<py::array_t<bool>>(flags) || py::reinterpret_borrow<py::array>(flags).ndim() != 1 ||
      py::len(flags) != size)
    throw py::value_error(std::string(name) + " must be a bool array with a value for each of the " +
                          std::to_string(size) + " points");
  const auto array = py::array_t<bool, py::array::c_style | py::array::forcecast>::ensure(flags);
  return std::vector<bool>(array.data(), array.data() + array.size());
}

std::vector<PlanarPatch> planes(const PointCloud& cloud, const Neighborhoods& neighbors, const py::object& excluded,
                                const py::object& viewpoint, const Real& thickness, const Real& normal_dispersion,
                                const Whole& min_points) {
  require_normals(cloud);
  if (neighbors.size() != cloud.size()) throw py::value_error("neighbors must be those of the same cloud");
  const PlaneOptions options{thickness.as("thickness"), normal_dispersion.as("normal_dispersion"),
                             min_points.as("min_points")};
  options.validate();
  const std::vector<bool> mask = mask_of(excluded, cloud.size(), "excluded");
  const Eigen::Vector3d sensor = local_viewpoint(cloud, viewpoint);
  const Release release;
  return extract_planes(cloud, neighbors, mask, sensor, options);
}

PlanarPatch fit_plane(const PointCloud& cloud, const py::object& members, const py::object& viewpoint,
                      const Argument<bool>& is_ground) {
  require_normals(cloud);
  std::vector<Index> chosen = indices(members, cloud.size(), "indices");
  if (chosen.empty()) throw py::value_error("indices must name some points");
  PlanarPatch patch = fit_patch(cloud, std::move(chosen), local_viewpoint(cloud, viewpoint));
  patch.ground = is_ground.as("ground");
  return patch;
}

py::array_t<float> fpfh(const PointCloud& cloud, const py::object& centers, const Real& radius,
                        const Whole& max_neighbors, const py::object& excluded) {
  require_normals(cloud);
  const FpfhOptions options{radius.as("radius"), max_neighbors.as("max_neighbors")};
  options.validate();
  const std::vector<bool> mask = mask_of(excluded, cloud.size(), "excluded");
  std::vector<Index> chosen(centers.is_none() ? cloud.size() : 0);
  for (Index i = 0; i < chosen.size(); ++i) chosen[i] = i;
  if (!centers.is_none()) chosen = indices(centers, cloud.size(), "centers");
  FpfhMatrix rows;
  {
    const Release release;
    rows = compute_fpfh(cloud, chosen, options, mask);
  }
  return to_array(rows);
}

PlaneFeatures pch(const PointCloud& cloud, std::vector<PlanarPatch> planes, const Real& half_range,
                  const Real& coplanar_angle_deg, const Real& coplanar_distance) {
  require_normals(cloud);
  const PlaneFeatureOptions options{half_range.as("half_range"), coplanar_angle_deg.as("coplanar_angle_deg"),
                                    coplanar_distance.as("coplanar_distance")};
  options.validate();
  for (const PlanarPatch& plane : planes)
    if (plane.indices.empty() || plane.indices.back() >= cloud.size())
      throw py::value_error("planes must be those of the same cloud");
  const Release release;
  return describe_planes(cloud, std::move(planes), options);
}

py::tuple origin() { return py::make_tuple(0.0, 0.0, 0.0); }

}  // namespace

void bind_extraction(py::module_& m) {
  using py::arg;
  m.def("downsample", &downsample, arg("points"), arg("voxel"), R"(The centroid of every cube of edge voxel [m].

points: N x 3 or N x 4 float32 or float64 [m], read without a copy. Points that are not finite, or more than 2^20
voxels from the middle, are dropped and counted (Cloud.dropped).)");
  const NormalOptions n;
  m.def("normals", &normals, arg("cloud"), arg("viewpoint") = origin(), arg("radius") = n.radius,
        arg("max_neighbors") = n.max_neighbors, arg("min_neighbors") = n.min_neighbors,
        R"(A cloud with normals by PCA of each neighbourhood, and the neighbourhoods: (Cloud, Neighborhoods).

viewpoint: where the scan was seen from, x, y, z [m] in the caller's coordinates; normals point there.
radius [m]: extract() uses 2 voxels. Fewer than min_neighbors give no normal (zero).)");
  const GroundOptions g;
  m.def("ground", &ground, arg("cloud"), arg("cell") = g.cell, arg("tolerance") = g.tolerance,
        arg("max_slope_deg") = g.max_slope_deg, arg("max_bend_deg") = g.max_bend_deg, arg("max_step") = g.max_step,
        arg("min_points") = g.min_points, R"(True for the ground points of a LiDAR scan whose z axis points up.

cell, tolerance, max_step [m]; max_slope_deg, max_bend_deg [deg]. Needs normals.)");
  const PlaneOptions p;
  m.def("planes", &planes, arg("cloud"), arg("neighbors"), arg("excluded") = py::none(), arg("viewpoint") = origin(),
        arg("thickness") = p.thickness, arg("normal_dispersion") = p.normal_dispersion,
        arg("min_points") = p.min_points,
        R"(Planar patches (Algorithm 1) in descending support; every point belongs to at most one.

neighbors: those that normals() returned. excluded: a bool array of points that join no patch (the ground).
viewpoint: caller's coordinates [m]. thickness [m]: RMS distance to the plane; extract() uses 1 voxel.
normal_dispersion: RMS sine between the normals of patch and points.)");
  m.def("fit_plane", &fit_plane, arg("cloud"), arg("indices"), arg("viewpoint") = origin(), arg("ground") = false,
        "One Plane of the given points as they are, whatever its thickness: how extract() makes the ground's.");
  const FpfhOptions f;
  m.def("fpfh", &fpfh, arg("cloud"), arg("centers") = py::none(), arg("radius") = f.radius,
        arg("max_neighbors") = f.max_neighbors, arg("excluded") = py::none(),
        R"(Fast Point Feature Histograms, M x 33 float32.

centers: indices of the points to describe; None: all. radius [m]: extract() uses 5 voxels. Each of the three
histograms of a row sums to 100; a point without neighbours gets a zero row. excluded: bool mask of points that do not
count in any neighbourhood (extract() passes the ground). Needs normals.)");
  const PlaneFeatureOptions o;
  m.def("pch", &pch, arg("cloud"), arg("planes"), arg("half_range") = o.half_range,
        arg("coplanar_angle_deg") = o.coplanar_angle_deg, arg("coplanar_distance") = o.coplanar_distance,
        R"(Plane Context Histograms of a cloud's planes: PlaneFeatures.

half_range [m]: reach of a descriptor on either side of its plane; extract() uses 20 voxels.
coplanar_angle_deg [deg], coplanar_distance [m]: what counts as one plane.)");
}

}  // namespace parte::python
