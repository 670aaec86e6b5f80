// Area under the ROC curve over ordered pairs.
#pragma once

#include "causcale/graph.h"
#include "causcale/matrix.h"
#include "graph/sparse_scores.h"

namespace causcale {

// The chance that a true edge scores higher than an ordered pair without edge, ties counting one half. NaN
// when either kind is missing.
double roc_auc(const Matrix<double>& scores, const Digraph& truth);
double roc_auc(const SparseScores& scores, const Digraph& truth);  // pairs without an entry score 0

}  // namespace causcale
