// Total effects in graphs that leave directions open, and the words of the answer.
#pragma once

#include <string>
#include <vector>

#include "causcale/effects.h"
#include "graph/mixed_graph.h"

namespace causcale {

// As total_effect() for a graph of any class. In a CPDAG every set of neighbours that may be parents of the
// cause without making a new collider gives one possible effect (IDA: Maathuis, Kalisch and Bühlmann 2009). A
// PAG and an undirected graph are refused.
TotalEffect total_effect(const Dataset& dataset, const MixedGraph& marks, GraphClass graph_class, int cause,
                         int outcome, const TotalEffectOptions& options = {});

// The parent sets that the cause can have in a CPDAG, each ascending; the one without any of its open
// neighbours first. Empty when it has more than `most` neighbours by open edges.
std::vector<std::vector<int>> possible_parent_sets(const MixedGraph& cpdag, int cause, int most = 12);

}  // namespace causcale
