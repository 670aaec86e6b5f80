// The options of discover from Python, by their list (discover/option_list.h).
#pragma once

#include <pybind11/pybind11.h>

#include "causcale/discover.h"

namespace causcale::python {

// What is not given keeps its default; other keys are not looked at. Throws UsageError that names the option
// and what was given.
DiscoverOptions options_from(const pybind11::dict& given);
pybind11::dict dict_from(const DiscoverOptions& options);

// One dict per option: name, kind, default, most, words, usual_word, help.
pybind11::list option_list();

}  // namespace causcale::python
