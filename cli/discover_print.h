// What causcale discover says on the terminal.
#pragma once

#include <cstddef>

#include "causcale/discover.h"

namespace causcale::cli {

void print_plan(const DiscoverPlan& plan, bool json);

// The summary, the most probable edges and what was removed to break cycles.
void print_discovery(const DiscoverResult& result, std::size_t intervened_rows,
                     const DiscoverOptions& options);

}  // namespace causcale::cli
