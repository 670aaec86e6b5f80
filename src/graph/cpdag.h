// From a DAG to the graph of its Markov equivalence class.
#pragma once

#include <vector>

#include "causcale/graph.h"

namespace causcale {

// Edges with the same direction in every DAG of the class, and those that occur in both directions.
struct Cpdag {
  Digraph directed;
  std::vector<Edge> undirected;  // source < target, sorted
  bool operator==(const Cpdag&) const = default;
};

// Throws InputError when the graph has a directed cycle.
Cpdag cpdag_of(const Digraph& dag);

}  // namespace causcale
