#include "arrays.hpp"
#include "bindings.hpp"
#include "values.hpp"

#include <datasets/folder.hpp>
#include <datasets/kitti.hpp>
#include <datasets/scan_io.hpp>
#include <datasets/trajectory.hpp>
#include <datasets/world/synthetic.hpp>

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <map>

namespace parte::python {
namespace {

using Release = py::gil_scoped_release;
using datasets::Sequence;
using std::filesystem::path;

/// A class of its own, so that KITTI's has a constructor and the others do not.
struct KittiSequence : Sequence {};

datasets::KittiTruth truth_named(const std::string& name) {
  using datasets::KittiTruth;
  static const std::map<std::string, KittiTruth> names = {{"best", KittiTruth::best},
                                                          {"semantic", KittiTruth::semantic},
                                                          {"official", KittiTruth::official},
                                                          {"none", KittiTruth::none}};
  const auto found = names.find(name);
  if (found == names.end())
    throw py::value_error("ground_truth must be 'best', 'semantic', 'official' or 'none', not '" + name + "'");
  return found->second;
}

KittiSequence open_sequence(const path& root, const std::string& name, const std::string& ground_truth,
                            const Real& elevation_correction_deg) {
  datasets::KittiOptions options;
  options.ground_truth = truth_named(ground_truth);
  options.elevation_correction_deg = elevation_correction_deg.as("elevation_correction_deg");
  const Release release;
  return {datasets::open_kitti(root, name, options)};
}

py::array read_frame(const Sequence& sequence, py::ssize_t index) {
  const auto size = static_cast<py::ssize_t>(sequence.size());
  if (index < -size || index >= size)
    throw py::index_error("index must be one of the " + std::to_string(size) + " scans of " + sequence.name);
  datasets::Points points;
  {
    const Release release;
    points = sequence.read(static_cast<std::size_t>(index < 0 ? index + size : index));
  }
  return adopt(std::move(points));
}

py::object ground_truth(const Sequence& sequence) {
  if (sequence.ground_truth.empty()) return py::none();
  return to_array(sequence.ground_truth);
}

void bind_sequence(py::module_& m) {
  py::class_<Sequence>(m, "Sequence", R"(Scans in the order of a drive. Each is read when it is asked for, and not kept.

len(sequence), sequence[i] and iteration give the points of a scan in the LiDAR frame: N x 3 float32 [m].)")
      .def("__len__", &Sequence::size)
      .def("__getitem__", &read_frame, py::arg("index"))
      .def("__iter__",
           [](const py::object& self) { return py::reinterpret_steal<py::object>(PySeqIter_New(self.ptr())); })
      .def_readonly("name", &Sequence::name, "What it is called, such as \"KITTI 00\".")
      .def_property_readonly(
          "ids", [](const Sequence& s) { return to_array(s.ids); }, "The number of each frame.")
      .def_property_readonly(
          "times", [](const Sequence& s) { return to_array(s.times_s); }, "Time of each frame [s].")
      .def_property_readonly("poses", &ground_truth,
                             "N x 4 x 4: true T_world_lidar [m] of each frame; None without ground truth.")
      .def_property_readonly(
          "T_camera_lidar", [](const Sequence& s) { return to_array(s.T_camera_lidar.matrix()); },
          "4 x 4: Tr of KITTI's calib.txt, else the identity.")
      .def("__repr__", [](const Sequence& s) {
        return "<parte.Sequence " + s.name + ": " + std::to_string(s.size()) + " scans, " +
               (s.ground_truth.empty() ? "no " : "") + "ground truth>";
      });
}

void bind_kitti(py::module_& parent) {
  using py::arg;
  py::module_ m = parent.def_submodule("kitti", "KITTI odometry.");
  const datasets::KittiOptions defaults;
  py::class_<KittiSequence, Sequence>(m, "Sequence", "A sequence of KITTI odometry, or a part of one.")
      .def(py::init(&open_sequence), arg("root"), arg("name"), arg("ground_truth") = "best",
           arg("elevation_correction_deg") = defaults.elevation_correction_deg,
           R"(root: the folder that holds sequences/ (find_root() finds it); name: "00" to "21".

ground_truth: "best" (SemanticKITTI's poses where they are, else the official ones, else none), "semantic", "official"
or "none". elevation_correction_deg [deg]: added to the elevation of every point, since KITTI's calibration of the
Velodyne is wrong by about this much; 0 for other sensors. Raises IoError where files are missing or wrong.)");
  m.def("find_root", &datasets::find_kitti_root, arg("root") = py::none(), py::call_guard<Release>(),
        "The folder that holds sequences/: root or its dataset/, else $KITTI_ROOT, else the usual places.");
}

py::tuple read_poses(const path& file) {
  datasets::Trajectory trajectory;
  {
    const Release release;
    trajectory = datasets::read_trajectory(file);
  }
  py::object times = py::none();
  if (trajectory.times_s) times = to_array(*trajectory.times_s);
  return py::make_tuple(to_array(trajectory.poses), times);
}

Sequence open_synthetic(const std::string& preset, const Argument<std::uint64_t>& seed) {
  datasets::SyntheticOptions options;
  options.preset = datasets::preset_named(preset);
  options.seed = seed.as("seed");
  const Release release;
  return datasets::open_synthetic(options);
}

}  // namespace

void bind_datasets(py::module_& m) {
  using py::arg;
  bind_sequence(m);
  bind_kitti(m);
  m.def(
      "read_scan",
      [](const path& file) {
        datasets::Points points;
        {
          const Release release;
          points = datasets::read_scan(file);
        }
        return adopt(std::move(points));
      },
      arg("path"), R"(The points of a scan, N x 3 float32 [m]: .bin of KITTI, .ply, .pcd, .xyz, .txt or .csv.

Values that are not finite stay. Raises IoError naming the file and the place.)");
  m.def("open_folder", &datasets::open_folder, arg("folder"), arg("poses") = py::none(), py::call_guard<Release>(),
        R"(The scans of a folder as a Sequence, in the order of the numbers in their names.

poses: a file of true poses (KITTI or TUM); by default the folder's poses.txt, if there is one.)");
  m.def("open_synthetic", &open_synthetic, arg("preset") = "town", arg("seed") = 1,
        R"(A made-up world as a Sequence with ground truth; no data is needed.

preset: "town", "reverse", "highway", "forest" (a LiDAR like KITTI's) or "indoor" (a depth camera).)");
  m.def("read_trajectory", &read_poses, arg("path"),
        "A trajectory of KITTI's or TUM's format: N x 4 x 4 poses [m], and N times [s] or None.");
}

}  // namespace parte::python
