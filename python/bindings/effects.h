// Sizes of edges and answers about total effects, as the package takes them.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <utility>
#include <vector>

#include "causcale/effects.h"

namespace causcale::python {

// As keyword arguments of the package's EdgeEffect; the variables by number.
pybind11::list list_from(const std::vector<EdgeEffect>& effects);

// As JSON and as text, options in the words of Python.
std::pair<std::string, std::string> texts_of(TotalEffect effect, const std::vector<std::string>& names);

}  // namespace causcale::python
