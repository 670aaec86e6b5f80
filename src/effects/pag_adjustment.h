// Adjustment in PAGs and MAGs, whose edges allow causes that were not measured: the generalised adjustment
// criterion (Perkovic, Textor, Kalisch and Maathuis 2018). Only the graph is looked at, no data.
#pragma once

#include <optional>
#include <vector>

#include "effects/adjustment_sets.h"
#include "graph/mixed_graph.h"

namespace causcale {

// Do the marks rule out that a and b, joined by a -> b, have a common cause that was not measured (Zhang
// 2008)? They do where a third variable, not adjacent to b, points at a, be it by a path of colliders that
// all are parents of b.
bool is_visible(const MixedGraph& graph, int a, int b);

struct PagAdjustment {
  // On paths from cause to outcome that may be directed, outcome included, cause not; empty: no effect.
  std::vector<int> possibly_causal;
  // A neighbour of the cause at which such a path begins by an edge that is not a visible arrow; -1: none.
  // Where there is one, some graph of the class leaves the size of the effect entirely open.
  int open_edge_to = -1;
  std::optional<std::vector<int>> set;  // a valid one, if any is
  MinimalSets minimal;
};
// Without edges that have a tail and no arrowhead opposite (selection).
PagAdjustment pag_adjustment(const MixedGraph& pag, int cause, int outcome);

}  // namespace causcale
