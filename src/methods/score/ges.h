// What GES and GIES share: from a table to an essential graph.
#pragma once

#include "methods/method.h"
#include "methods/score/ges_search.h"

namespace causcale {

// The directions that an essential graph keeps: of edges with exactly one end among the targets of some
// intervention, and of edges whose other direction knowledge rules out.
KeepsDirection kept_directions(const Interventions& interventions, const EdgePermissions& permissions);

// Runs the search and dresses the result as class_result() does.
MethodResult search_classes(const LocalScore& score, const Interventions& interventions,
                            const MethodOptions& options, bool turning, bool repeat);

// Scores are edge gains (EquivalenceSearch::edge_gain), equal both ways for undirected edges, zero for pairs
// without edge; required edges score highest.
MethodResult class_result(const EquivalenceSearch& search, const LocalScore& score,
                          const EdgePermissions& permissions);

}  // namespace causcale
