// The module's topics; each adds its functions to the module.
#pragma once

#include <pybind11/pybind11.h>

namespace causcale::python {

void add_data(pybind11::module_& module);      // files, interventions, audit
void add_discover(pybind11::module_& module);  // discover, models, the result and its formats
void add_simulate(pybind11::module_& module);
void add_evaluate(pybind11::module_& module);
void add_methods(pybind11::module_& module);  // the competing methods

}  // namespace causcale::python
