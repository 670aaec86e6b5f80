// AnnData's .h5ad files (HDF5): X or a layer, dense or sparse; variable names; one obs column with the
// perturbation of every cell.
//
// HDF5's library loops for ever, crashes or takes any amount of memory on some damaged or hostile files, and
// a file can ask it to open other files. So the library runs in a helper program of its own
// (src/h5ad_helper), with limits on memory, processor time and silence, and without the right to open any
// file but the one. The helper is started with posix_spawn: a plain fork would copy locks that other threads
// of the host program hold (Python, OpenBLAS, OpenMP) and run their fork handlers. What the helper sends is
// checked like any other input.
#pragma once

#include <filesystem>
#include <string>

#include "data/raw_table.h"
#include "data/reader.h"

namespace causcale {

struct H5adLimits {
  int silent_seconds = 60;  // longest time without any progress
};

// Throws InputError naming what is missing, damaged or outside the file (links to other files, external raw
// storage, virtual data sets); so it does where the program was built without HDF5.
RawTable read_h5ad(const std::filesystem::path& path, const ReadOptions& options,
                   const H5adLimits& limits = {});

}  // namespace causcale
