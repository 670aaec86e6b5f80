// Total effects in graphs that leave directions open, and the words of the answer.
#pragma once

#include <string>
#include <vector>

#include "causcale/effects.h"
#include "graph/mixed_graph.h"

namespace causcale {

// As total_effect() for a graph of any class. In a CPDAG every set of neighbours that may be parents of the
// cause without making a new collider gives one possible effect (IDA: Maathuis, Kalisch and Bühlmann 2009).
// In a PAG there is one number or none (pag_adjustment.h). An undirected graph is refused.
TotalEffect total_effect(const Dataset& dataset, const MixedGraph& marks, GraphClass graph_class, int cause,
                         int outcome, const TotalEffectOptions& options = {});

// As total_effect() where some causes were not measured: the nodes of the graph beyond the table's columns.
// `names` are those of all nodes, the table's first. Where no measured set can be adjusted for, mediators or
// an instrument may still tell the effect.
TotalEffect total_effect_with_hidden(const Dataset& dataset, const Digraph& graph,
                                     const std::vector<std::string>& names, int cause, int outcome,
                                     const TotalEffectOptions& options = {});

// An answer with cause and outcome only; throws UsageError where they are no two columns of the table, or the
// table has more columns than the graph nodes.
TotalEffect begin_total_effect(const Dataset& dataset, int nodes, int cause, int outcome);
void say_obstacle(const std::string& obstacle, TotalEffect& answer);

// The parent sets that the cause can have in a CPDAG, each ascending; the one without any of its open
// neighbours first. Empty when it has more than `most` neighbours by open edges.
std::vector<std::vector<int>> possible_parent_sets(const MixedGraph& cpdag, int cause, int most = 12);

}  // namespace causcale
