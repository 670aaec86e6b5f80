// Whole graphs drawn from a result; part of the topic results.
#pragma once

#include <pybind11/pybind11.h>

namespace causcale::python {

void add_samples(pybind11::module_& module);

}  // namespace causcale::python
