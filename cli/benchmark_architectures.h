// causcale benchmark architectures.
#pragma once

#include <CLI/CLI.hpp>

namespace causcale::cli {

void add_architectures(CLI::App& benchmark, std::uint64_t default_seed);

}  // namespace causcale::cli
