// Structural Hamming distance.
#pragma once

#include <cstddef>

#include "causcale/graph.h"

namespace causcale {

// Edges to add, remove or reverse, each counting 1, to get from one graph to the other. Two opposite edges
// where the other graph has none therefore count 2. Symmetric.
std::size_t structural_hamming_distance(const Digraph& truth, const Digraph& guess);

}  // namespace causcale
