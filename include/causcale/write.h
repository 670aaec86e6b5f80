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
// .gml, .txt (Tetrad); - is standard output and takes the edges as CSV. Throws UsageError that names what is
// accepted, InputError when the file cannot be written.
CAUSCALE_API void write_result(const std::filesystem::path& path, const DiscoverResult& result);

// All n x n probabilities, row -> column: .npy or .csv.
CAUSCALE_API void write_matrix(const std::filesystem::path& path, const DiscoverResult& result);

}  // namespace causcale
