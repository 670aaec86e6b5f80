// Graphs with feedback.
#pragma once

#include "base/random.h"
#include "causcale/graph.h"

namespace causcale {

// An acyclic graph with further edges, `share` of the number of its own and at least one, each of which leads
// back along a path of one to four edges and so closes a cycle; half of them answer an edge directly (two
// variables that act on each other). A graph without edges stays as it is.
Digraph with_feedback(const Digraph& graph, double share, RandomStream& random);

// Every node keeps at most `most` of its parents, chosen at random.
Digraph with_few_parents(const Digraph& graph, int most, RandomStream& random);

}  // namespace causcale
