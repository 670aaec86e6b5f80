// Who is an ancestor or a descendant of whom.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "causcale/graph.h"
#include "graph/bit_matrix.h"

namespace causcale {

// The nodes that a directed path (also of length zero) leads to from, or from which one leads to, any of
// `from`. One flag per node.
std::vector<std::uint8_t> descendants(const Digraph& graph, std::span<const int> from);
std::vector<std::uint8_t> ancestors(const Digraph& graph, std::span<const int> from);

// Row i: all ancestors (descendants) of i and i itself. For acyclic graphs; throws InputError otherwise.
BitMatrix ancestor_sets(const Digraph& dag);
BitMatrix descendant_sets(const Digraph& dag);

}  // namespace causcale
