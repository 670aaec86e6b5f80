// From a result to a file, as `causcale discover -o` and `--matrix` write it. A file is whole or as it was
// before.
//
//   causcale::write_result("graph.html", result);
#pragma once

#include <filesystem>

#include "causcale/discover.h"
#include "causcale/export.h"

namespace causcale {

// Chooses by extension: .html (interactive report), .svg, .png, .csv (edges), .json, .dot, .gv, .graphml,
// .gml, .txt (Tetrad), .npz and .mtx (the graph as a sparse matrix); - is standard output and takes the edges
// as CSV. Throws UsageError that names what is accepted, InputError when the file cannot be written.
CAUSCALE_API void write_result(const std::filesystem::path& path, const DiscoverResult& result);

// All n x n probabilities, row -> column: .npy or .csv. Sparse, with what is at least the result's
// min_probability (0.01 where it has none): .npz as scipy.sparse reads it, with `names` beside, or .mtx
// (Matrix Market), whose names are written to NAME.names.txt. Throws UsageError for text of more than 5000
// variables.
CAUSCALE_API void write_matrix(const std::filesystem::path& path, const DiscoverResult& result);

}  // namespace causcale
