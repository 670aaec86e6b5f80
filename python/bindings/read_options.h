// How a table is to be read, from the dict in which the package passes it.
#pragma once

#include "arrays.h"
#include "data/option_names.h"
#include "data/reader.h"

namespace causcale::python {

// What every source of a table has: missing, missing_markers, types, groups, dates. A word that is not known
// is a UsageError that lists those that are.
ReadOptions table_options(const py::dict& given);
// And what a file has besides.
ReadOptions file_options(const py::dict& given);

}  // namespace causcale::python
