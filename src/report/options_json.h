// The options of a run as its record holds them.
#pragma once

#include <nlohmann/json.hpp>

#include "causcale/discover.h"

namespace causcale {

// Every option of discover by its name, and what was known of the graph, if anything, by the numbers of the
// variables.
nlohmann::ordered_json options_json(const DiscoverOptions& options);

}  // namespace causcale
