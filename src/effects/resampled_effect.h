// The doubt about a total effect by drawing the rows anew, and the graph with them.
#pragma once

#include "causcale/effects.h"

namespace causcale {

// Fills bootstrap_low, bootstrap_high and bootstrap of the answer, whose other parts are there. Every table
// has as many rows as there are, drawn with replacement within every regime, and the linear estimate for the
// set that the answer adjusts for in the given acyclic graph, or for the optimal set of one of options.graphs
// in turn. The answer does not depend on the number of threads.
void add_bootstrap(const Dataset& dataset, const Digraph& dag, const TotalEffectOptions& options,
                   TotalEffect& answer);

}  // namespace causcale
