// Strongly connected components.
#pragma once

#include <vector>

#include "causcale/graph.h"

namespace causcale {

struct Components {
  std::vector<int> component_of;  // of every node, in [0, count)
  int count = 0;

  // The nodes of every component, ascending.
  std::vector<std::vector<int>> members() const;
};

// Components are numbered in reverse topological order: an edge between components leads from the higher
// number to the lower. Uses no recursion, so that long chains cannot exhaust the stack.
Components strongly_connected_components(const Digraph& graph);

}  // namespace causcale
