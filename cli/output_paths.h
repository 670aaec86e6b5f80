// Results must not replace what they were made from, nor each other.
#pragma once

#include <filesystem>
#include <vector>

namespace causcale::cli {

// Throws UsageError where an output is one of the inputs, under whatever name, or is given twice. Empty paths
// do not count.
void check_output_paths(const std::vector<std::filesystem::path>& outputs,
                        const std::vector<std::filesystem::path>& inputs);

}  // namespace causcale::cli
