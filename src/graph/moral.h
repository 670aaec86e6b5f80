// Moralisation: which variables share a joint factor.
#pragma once

#include <vector>

#include "causcale/graph.h"

namespace causcale {

// The undirected edges (source < target, sorted) that join neighbours and parents of a common child.
std::vector<Edge> moral_edges(const Digraph& graph);

}  // namespace causcale
