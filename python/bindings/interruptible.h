// Calls from long C++ work back into Python, between two steps.
#pragma once

#include <pybind11/pybind11.h>

#include <string>

namespace causcale::python {

namespace py = pybind11;

// For work that runs without the interpreter's lock: takes the lock, raises KeyboardInterrupt after Ctrl-C,
// and tells `progress` (None: nobody) how far the work is.
inline void step(const py::object& progress, const std::string& stage, double share) {
  py::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
  if (!progress.is_none()) progress(stage, share);
}

}  // namespace causcale::python
