// Between numpy arrays, lists of targets and the library's own types.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "causcale/knowledge.h"
#include "causcale/matrix.h"
#include "causcale/table.h"

namespace causcale::python {

namespace py = pybind11;

// Converted where it is not yet a C-ordered array of doubles.
using DoubleArray = py::array_t<double, py::array::c_style | py::array::forcecast>;
using EdgePairs = std::vector<std::pair<int, int>>;
using RowTargets = std::vector<std::vector<int>>;  // the columns intervened on, row by row

Matrix<double> matrix_from(const DoubleArray& array);
py::array_t<double> array_from(const Matrix<double>& matrix);

std::vector<Edge> edges_from(const EdgePairs& pairs);
EdgePairs pairs_from(const Digraph& graph);

// {"values", "names", "targets", "kinds", "levels"}. No targets at all (None in Python) means that every row
// is observational; kinds and levels may be empty lists.
Dataset dataset_from(const py::dict& given);
RowTargets row_targets(const Interventions& interventions, std::size_t rows);

// The same dict.
py::dict dict_from(const Dataset& dataset);

}  // namespace causcale::python
