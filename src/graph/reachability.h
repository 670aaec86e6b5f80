// Who is an ancestor or a descendant of whom.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "causcale/graph.h"
#include "graph/bit_matrix.h"
#include "graph/mixed_graph.h"

namespace causcale {

// The nodes that a directed path (also of length zero) leads to from, or from which one leads to, any of
// `from`. One flag per node.
std::vector<std::uint8_t> descendants(const Digraph& graph, std::span<const int> from);
std::vector<std::uint8_t> ancestors(const Digraph& graph, std::span<const int> from);

// Row i: all ancestors (descendants) of i and i itself. For acyclic graphs; throws InputError otherwise.
BitMatrix ancestor_sets(const Digraph& dag);
BitMatrix descendant_sets(const Digraph& dag);

// The nodes that a walk from `start` reaches along which no edge points back (start included), or from which
// such a walk leads to `end`; walks never pass `avoided`. One flag per node.
std::vector<std::uint8_t> possible_descendants(const MixedGraph& graph, int start, int avoided = -1);
std::vector<std::uint8_t> possible_ancestors(const MixedGraph& graph, int end, int avoided = -1);

}  // namespace causcale
