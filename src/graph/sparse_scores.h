// Scores of some ordered pairs of many variables, for matrices that are too large to be held whole.
#pragma once

#include <vector>

#include "causcale/graph.h"
#include "causcale/matrix.h"

namespace causcale {

struct SparseScores {
  int nodes = 0;
  // Sorted by (source, target), every pair once and none of a variable with itself. All others score 0.
  std::vector<ScoredEdge> entries;

  const double* find(int source, int target) const;  // null where the pair has no entry
  double at(int source, int target) const {
    const double* found = find(source, target);
    return found ? *found : 0.0;
  }
  bool operator==(const SparseScores&) const = default;
};

// Entries in any order. Throws InputError for one outside the graph, of a variable with itself or given
// twice.
SparseScores sparse_scores(int nodes, std::vector<ScoredEdge> entries);

// The entries of a square matrix beside its diagonal that are not 0 and at least `least`.
SparseScores scores_at_least(const Matrix<double>& matrix, double least);

Matrix<double> dense_scores(const SparseScores& scores);

// Scores of the graph's own edges, in their order.
std::vector<double> scores_of_edges(const SparseScores& scores, const Digraph& graph);

// Edges with a score above the threshold, which must not be negative unless every pair has an entry: pairs
// without one are no edges.
Digraph graph_above(const SparseScores& scores, double threshold);

}  // namespace causcale
