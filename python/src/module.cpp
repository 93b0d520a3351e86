#include "bindings.hpp"

#include <datasets/io_error.hpp>

PYBIND11_MODULE(_parte, m) {
  using namespace parte::python;
  // Classes take the name of their module from here, and submodules are registered below it: users see parte.Features
  // and parte.kitti, wherever the code is.
  const py::object own_name = m.attr("__name__");
  m.attr("__name__") = "parte";
  m.attr("__version__") = PARTE_VERSION;
  py::register_exception<parte::datasets::IoError>(m, "IoError", PyExc_OSError).attr("__doc__") =
      "A file that cannot be read or written as asked: its path, the line or byte, and what was expected.";
  bind_clouds(m);
  bind_extraction(m);
  bind_matching(m);
  bind_features(m);
  bind_result(m);
  bind_registration(m);
  bind_datasets(m);
  bind_pairs(m);
  bind_metrics(m);
  bind_picture(m);
  m.attr("__name__") = own_name;
}
