// Topological order and the test for directed cycles.
#pragma once

#include <optional>
#include <vector>

#include "causcale/graph.h"

namespace causcale {

// Every node after all its parents; nothing when the graph has a directed cycle. Deterministic: nodes become
// ready in breadth-first order, the roots in ascending order.
std::optional<std::vector<int>> topological_order(const Digraph& graph);

bool is_acyclic(const Digraph& graph);

}  // namespace causcale
