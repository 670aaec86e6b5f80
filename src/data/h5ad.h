// AnnData's .h5ad files (HDF5): X or a layer, dense or sparse; variable names; one obs column with the
// perturbation of every cell.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>

#include "data/raw_table.h"
#include "data/reader.h"

namespace causcale {

// Throws InputError naming what is missing or damaged; so it does where the program was built without HDF5.
RawTable read_h5ad(const std::filesystem::path& path, const ReadOptions& options);
RawTable parse_h5ad(std::span<const std::byte> bytes, const std::string& source, const ReadOptions& options);

}  // namespace causcale
