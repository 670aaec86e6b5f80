// Which arrows of an acyclic graph follow from its adjacencies and those of its colliders that the data bear
// out.
#pragma once

#include <functional>

#include "causcale/graph.h"

namespace causcale {

// An unshielded collider a -> c <- b counts when borne_out(edge) holds for both of its edges; then arrows
// that would make another collider or a cycle (the first three rules of Meek 1995) follow. Only arrows that
// agree with the graph are returned.
Digraph compelled_edges(const Digraph& dag, const std::function<bool(Edge)>& borne_out);

}  // namespace causcale
