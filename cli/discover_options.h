// The options of discover on the command line, from their list (discover/option_list.h).
#pragma once

#include <CLI/CLI.hpp>

#include "discover/option_list.h"

namespace causcale::cli {

// All of a group, in the list's order; a value that was given goes into `options`.
void add_discover_options(CLI::App& command, OptionGroup group, DiscoverOptions& options);

}  // namespace causcale::cli
