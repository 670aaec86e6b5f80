// d-separation in a DAG.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "causcale/graph.h"

namespace causcale {

// The nodes that a walk from `start` reaches which is open given `given`; `start` and the nodes of `given`
// included where walks end there. One flag per node.
std::vector<std::uint8_t> connected_nodes(const Digraph& dag, int start, std::span<const int> given);

// No open walk joins two nodes; neither may be among `given`.
inline bool separated(const Digraph& dag, int a, int b, std::span<const int> given) {
  return !connected_nodes(dag, a, given)[static_cast<std::size_t>(b)];
}

// The graph without the edges that leave any of `nodes`.
Digraph without_edges_from(const Digraph& dag, std::span<const int> nodes);

}  // namespace causcale
