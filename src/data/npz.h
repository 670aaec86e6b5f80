// NumPy's .npz archives: AVICI's (data or x, interv), CausalBench's (expression_matrix, interventions,
// var_names) and the like.
#pragma once

#include <filesystem>
#include <string>

#include "base/npz_archive.h"
#include "data/interventions.h"
#include "data/raw_table.h"
#include "data/reader.h"

namespace causcale {

RawTable npz_table(NpzArchive& archive, const std::string& source, const ReadOptions& options);
RawTable read_npz(const std::filesystem::path& path, const ReadOptions& options);

}  // namespace causcale
