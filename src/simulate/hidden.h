// Hiding variables: which nodes stay visible and the graph among them.
#pragma once

#include <vector>

#include "causcale/graph.h"

namespace causcale {

// All nodes but the `hidden` ones of highest out-degree (ties: the lower number is hidden), ascending.
std::vector<int> visible_nodes(const Digraph& graph, int hidden);

// Node i of the result is nodes[i]; `nodes` ascending.
Digraph induced_subgraph(const Digraph& graph, const std::vector<int>& nodes);

}  // namespace causcale
