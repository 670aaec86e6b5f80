// How the scores of true edges stand among those of the other ordered pairs. Average precision and AUC are
// sums over this; it needs no sorting of all n (n - 1) pairs.
#pragma once

#include <cstddef>
#include <vector>

#include "causcale/graph.h"
#include "causcale/matrix.h"
#include "graph/sparse_scores.h"

namespace causcale {

struct ScoreLevel {
  double score;           // a distinct score of true edges
  std::size_t positives;  // true edges with that score
  std::size_t tied;       // other pairs with that score
  std::size_t above;      // other pairs with a higher score
};

// Highest score first.
std::vector<ScoreLevel> count_scores(const Matrix<double>& scores, const Digraph& truth);
// Pairs without an entry score 0.
std::vector<ScoreLevel> count_scores(const SparseScores& scores, const Digraph& truth);

}  // namespace causcale
