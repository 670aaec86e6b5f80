// causcale._native: the library as plain functions on arrays, lists and dicts. The package around it
// (python/causcale) is what users see.
#include <pybind11/pybind11.h>

#include "causcale/error.h"
#include "causcale/version.h"
#include "topics.h"
#include "wording.h"

namespace py = pybind11;

namespace {

// `error` again, in the words of the package; whoever translates errors next makes a Python error of it.
template <class Kind>
[[noreturn]] void throw_in_python_words(const Kind& error) {
  throw Kind(causcale::python::in_python_words(error.what()));
}

void add_errors(py::module_& module) {
  // The most general first: pybind11 asks the last one registered first.
  py::register_exception<causcale::Error>(module, "Error", PyExc_RuntimeError);
  py::register_exception<causcale::InputError>(module, "InputError", PyExc_ValueError);
  py::register_exception<causcale::UsageError>(module, "UsageError", PyExc_ValueError);
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const causcale::UsageError& error) {
      throw_in_python_words(error);
    } catch (const causcale::InputError& error) {
      throw_in_python_words(error);
    } catch (const causcale::Error& error) {
      throw_in_python_words(error);
    }
  });
}

}  // namespace

PYBIND11_MODULE(_native, module) {
  module.doc() = "The C++ library behind the causcale package; use the package instead.";
  module.attr("version") = CAUSCALE_VERSION;

  add_errors(module);
  causcale::python::add_tables(module);
  causcale::python::add_data(module);
  causcale::python::add_results(module);
  causcale::python::add_effects(module);
  causcale::python::add_discover(module);
  causcale::python::add_simulate(module);
  causcale::python::add_evaluate(module);
  causcale::python::add_methods(module);
}
