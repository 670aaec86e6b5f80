// How sure is an edge? The whole estimate repeated on rows drawn anew.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "causcale/discover.h"
#include "discover/settings.h"

namespace causcale {

// As many rows as there are, drawn with replacement within each regime, regimes in the order and size in
// which they stand. Within a regime the rows stay in the order of the draw: the network averages neighbours,
// and sorted copies of a row would be neighbours. A pure function of (seed, repetition).
std::vector<std::size_t> resample_rows(const Interventions& interventions, std::size_t rows,
                                       std::uint64_t seed, std::uint32_t repetition);

// Fills the result's bootstrap_mean, bootstrap_deviation and selection_frequency. `ordered` has its rows in
// canonical order, so that shuffling a file changes nothing. `progress` is called with the share done.
void run_bootstrap(const Settings& settings, const DiscoverOptions& options, const Dataset& ordered,
                   const std::function<void(double)>& progress, DiscoverResult& result);

}  // namespace causcale
