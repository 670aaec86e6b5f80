// Orientation accuracy: are true edges scored higher than their reversals?
#pragma once

#include "causcale/graph.h"
#include "causcale/matrix.h"
#include "graph/sparse_scores.h"

namespace causcale {

// Share of true edges whose right direction scores strictly higher; NaN when the truth has no edge.
double orientation_accuracy(const Matrix<double>& scores, const Digraph& truth);
double orientation_accuracy(const SparseScores& scores,
                            const Digraph& truth);  // pairs without an entry score 0

}  // namespace causcale
