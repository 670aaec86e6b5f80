// causcale convert: graphs from and to the formats of other programs.
#pragma once

#include <CLI/CLI.hpp>

namespace causcale::cli {

void add_convert(CLI::App& app);

}  // namespace causcale::cli
