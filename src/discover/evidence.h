// What the data say about the edges that the network chose, and the edges that they do not bear out.
#pragma once

#include <span>
#include <vector>

#include "causcale/discover.h"

namespace causcale {

// One entry per edge, in their order. The dependence is tested in rows where the target is not intervened
// on; the shift compares rows with the source intervened on with the observational ones (or, where there are
// none, with all others), the target untouched in both. `struck` is set by the q values alone.
//
// A struck edge can be real: causes that cancel exactly, or that act only together with another (exclusive
// or), leave no dependence between the two columns.
std::vector<EdgeEvidence> edge_evidence(const Dataset& dataset, std::span<const Edge> edges, int threads);

// Nothing where the edge has no entry.
const EdgeEvidence* find_evidence(const DiscoverResult& result, Edge edge);

// Tests the selected edges, selects the graph from those that are not struck out, and fills evidence and
// struck_edges, with a remark when there are any. With options.evidence off: only selects.
void select_graph_with_evidence(const Dataset& dataset, const DiscoverOptions& options,
                                DiscoverResult& result);

}  // namespace causcale
