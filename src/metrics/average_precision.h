// Average precision over ordered pairs: what the paper calls mAP.
#pragma once

#include "causcale/graph.h"
#include "causcale/matrix.h"
#include "graph/sparse_scores.h"

namespace causcale {

// Sum over distinct scores, highest first, of the gain in recall times the precision there; equal scores are
// taken together, nothing is interpolated. NaN when the truth has no edge.
double average_precision(const Matrix<double>& scores, const Digraph& truth);
double average_precision(const SparseScores& scores, const Digraph& truth);  // pairs without an entry score 0

// The same over unordered pairs, each once: a pair's score is the sum of both directions' scores (for
// probabilities, that of an edge whichever way it points), and a pair is true where the truth has an edge
// either way. `feedback`, symmetric or empty, is what both directions count, that they hold together, and
// counts once.
double skeleton_average_precision(const Matrix<double>& scores, const Digraph& truth,
                                  const Matrix<double>& feedback = {});

}  // namespace causcale
