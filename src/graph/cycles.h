// Cycle breaking: from a scored directed graph to an acyclic one.
//
// The paper's rule: while a directed cycle exists, remove the edge of lowest score in it. Its outcome depends
// on which cycle is found first. Implemented here is the one instance of the rule that depends on the scores
// only and removes nothing needlessly:
//
//   Go through the edges from the highest score to the lowest. Keep an edge unless it closes a directed cycle
//   with the edges kept before it.
//
// Why this is an instance of the rule: every removed edge e closes a cycle whose other edges are kept and
// score at least as high, so e is a lowest edge of that cycle; as kept edges stay to the end, that cycle
// exists until e goes, and the removals can be done one after the other in any order. Why nothing goes
// needlessly: putting any removed edge back makes a cycle again. (Removing the lowest edge that lies on any
// cycle, over and over, is an instance too, but takes nearly every edge of a dense noisy graph.)
#pragma once

#include <span>
#include <vector>

#include "causcale/graph.h"
#include "causcale/knowledge.h"
#include "causcale/matrix.h"

namespace causcale {

struct CycleBreaking {
  Digraph graph;                    // acyclic, a subset of the input
  std::vector<ScoredEdge> removed;  // highest score first: the price of acyclicity
};

// scores[k] belongs to graph.edges()[k]. Of equal scores the edge first in (source, target) order is kept
// first. Takes n^2 / 4 bytes for the largest strongly connected component (n nodes), O(n^3 / 64)
// time at most for its closure, and a sort of the edges.
CycleBreaking break_cycles(const Digraph& graph, std::span<const double> scores);
// The score of i -> j is scores(i, j).
CycleBreaking break_cycles(const Digraph& graph, const Matrix<double>& scores);

// The scores with required edges above all others, so that breaking cycles never takes one.
Matrix<double> with_required_first(Matrix<double> scores, const Knowledge& knowledge);
// The same of a graph's edges alone, in their order.
std::vector<double> edge_scores(const Digraph& graph, const Matrix<double>& scores,
                                const Knowledge& knowledge = {});
// Edges with scores above the threshold and the required ones, without the weakest of each cycle.
Digraph acyclic_above(const Matrix<double>& scores, double threshold, const Knowledge& knowledge);

}  // namespace causcale
