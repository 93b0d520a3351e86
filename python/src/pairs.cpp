#include "arrays.hpp"
#include "bindings.hpp"
#include "values.hpp"

#include <datasets/eth.hpp>
#include <datasets/fragment_pairs.hpp>
#include <datasets/pair_list.hpp>
#include <datasets/resso.hpp>

#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

namespace parte::python {
namespace {

using Release = py::gil_scoped_release;
using datasets::Pair;
using std::filesystem::path;

py::object information(const Pair& pair) {
  if (!pair.information) return py::none();
  return to_array(*pair.information);
}

}  // namespace

void bind_pairs(py::module_& m) {
  using py::arg;
  py::class_<Pair>(m, "Pair", "Two scans and the true transform between them.")
      .def_readonly("source", &Pair::source, "Path of the scan, for read_scan().")
      .def_readonly("target", &Pair::target, "Path of the scan, for read_scan().")
      .def_property_readonly(
          "T_target_source", [](const Pair& p) { return to_array(p.T_target_source.matrix()); },
          "4 x 4, maps source coordinates [m] into the target frame.")
      .def_readonly("group", &Pair::group, "Results are reported by group: a sequence or a scene.")
      .def_property_readonly("information", &information, "6 x 6 matrix of 3DMatch's error (gt.info), or None.")
      .def("__repr__", [](const Pair& p) { return "<parte.Pair " + p.source + " -> " + p.target + ">"; });
  m.def("read_kitti_pairs", &datasets::read_kitti_pairs, arg("list"), arg("root"), py::call_guard<Release>(),
        "Pairs of KITTI-LC, KITTI-10m and lists like them; scans are root/sequences/NN/velodyne/NNNNNN.bin.");
  m.def("read_3dmatch_pairs", &datasets::read_3dmatch_pairs, arg("list"), arg("root"), py::call_guard<Release>(),
        "Lines `file_i file_j scene benchmark overlap` and a 4 x 4 matrix; files are relative to root.");
  m.def(
      "read_3dmatch_scene",
      [](const path& root, const std::string& scene, const std::optional<path>& logs) {
        return datasets::read_3dmatch_scene(root, scene, logs.value_or(path()));
      },
      arg("root"), arg("scene"), arg("logs") = py::none(), py::call_guard<Release>(),
      "The pairs of a scene of 3DMatch or 3DLoMatch by its gt.log, which may be below logs instead of root.");
  m.def(
      "read_eth_scene",
      [](const path& root, const std::string& scene, const Real& min_overlap) {
        const datasets::EthOptions options{min_overlap.as("min_overlap")};
        const Release release;
        return datasets::read_eth_scene(root, scene, options);
      },
      arg("root"), arg("scene"), arg("min_overlap") = datasets::EthOptions().min_overlap,
      "The pairs of a scene of ETH; those that both see less than min_overlap of each other are left out.");
  m.def("read_resso_pairs", &datasets::read_resso_pairs, arg("list"), arg("full") = "", py::call_guard<Release>(),
        "The pairs of a scene of RESSO: every other scan onto the full one, by default the first of the list.");
}

}  // namespace parte::python
