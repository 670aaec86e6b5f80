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

// The direct effect along an edge of the graph of one repetition, in its resampled rows.
struct RepeatedEffect {
  Edge edge;
  double size;
};

// Fills the result's bootstrap_mean, bootstrap_deviation and selection_frequency. `ordered` has its rows in
// canonical order, so that shuffling a file changes nothing. `progress` is called with the share done.
// Returns the effects of all repetitions; in each the graph is chosen as discover does, cycles broken
// greedily if at all, without striking out edges.
std::vector<RepeatedEffect> run_bootstrap(const Settings& settings, const DiscoverOptions& options,
                                          const Dataset& ordered, const std::function<void(double)>& progress,
                                          DiscoverResult& result);

// Fills graph_low and graph_high: the middle 90 % over the repetitions, 0 in those without the edge.
void add_graph_intervals(const std::vector<RepeatedEffect>& repeated, int repetitions,
                         std::vector<EdgeEffect>& effects);

}  // namespace causcale
