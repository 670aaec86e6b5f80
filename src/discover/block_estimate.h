// What the network says of a table in blocks of its columns (cover.h), put together.
#pragma once

#include <span>

#include "discover/cover.h"
#include "discover/estimate.h"

namespace causcale {

// Some columns of a table, with the interventions on them.
Dataset take_columns(const Dataset& dataset, std::span<const int> columns);

// The settings' blocks of one table. What is said of a pair is the mean over the blocks in which either
// variable is at the core, at most two; a pair that is in none gets the least that was said of any. `priors`
// of the whole table are not needed.
Estimate estimate_in_blocks(const Settings& settings, const Dataset& table, std::uint64_t seed,
                            const PassProgress& progress = {});

}  // namespace causcale
