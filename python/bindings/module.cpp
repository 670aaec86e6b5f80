// causcale._native: the library as plain functions on arrays, lists and dicts. The package around it
// (python/causcale) is what users see.
#include <pybind11/pybind11.h>

#include "causcale/error.h"
#include "topics.h"

namespace py = pybind11;

PYBIND11_MODULE(_native, module) {
  module.doc() = "The C++ library behind the causcale package; use the package instead.";
  module.attr("version") = CAUSCALE_VERSION;

  // The most general first: pybind11 asks the last one registered first.
  py::register_exception<causcale::Error>(module, "Error", PyExc_RuntimeError);
  py::register_exception<causcale::InputError>(module, "InputError", PyExc_ValueError);
  py::register_exception<causcale::UsageError>(module, "UsageError", PyExc_ValueError);

  causcale::python::add_data(module);
  causcale::python::add_discover(module);
  causcale::python::add_simulate(module);
  causcale::python::add_evaluate(module);
  causcale::python::add_methods(module);
}
