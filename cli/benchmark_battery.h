// causcale benchmark battery DIR.
#pragma once

#include <CLI/CLI.hpp>

namespace causcale::cli {

void add_battery(CLI::App& benchmark, std::uint64_t default_seed);

}  // namespace causcale::cli
