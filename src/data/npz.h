// NumPy's .npz archives: AVICI's (data or x, interv), CausalBench's (expression_matrix, interventions,
// var_names) and the like.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "data/interventions.h"
#include "data/raw_table.h"
#include "data/reader.h"

namespace causcale {

// The .npy files of an archive by key (without the extension). Throws InputError; so it does where the
// program was built without libzip.
using NpzArrays = std::map<std::string, std::vector<std::byte>>;
NpzArrays parse_npz(std::span<const std::byte> bytes, const std::string& source);

RawTable npz_table(const NpzArrays& arrays, const std::string& source, const ReadOptions& options);
RawTable read_npz(const std::filesystem::path& path, const ReadOptions& options);

}  // namespace causcale
