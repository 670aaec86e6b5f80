// The module's topics; each adds its functions to the module.
#pragma once

#include <pybind11/pybind11.h>

namespace causcale::python {

void add_tables(pybind11::module_& module);    // from files and memory, audit
void add_data(pybind11::module_& module);      // labels of interventions, knowledge, files of graphs
void add_results(pybind11::module_& module);   // the result of discover, its formats, storing and loading it
void add_effects(pybind11::module_& module);   // sizes of effects
void add_discover(pybind11::module_& module);  // discover, models
void add_simulate(pybind11::module_& module);
void add_evaluate(pybind11::module_& module);
void add_methods(pybind11::module_& module);  // the competing methods

}  // namespace causcale::python
