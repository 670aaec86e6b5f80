// Orientation accuracy: are true edges scored higher than their reversals?
#pragma once

#include "causcale/graph.h"
#include "causcale/matrix.h"

namespace causcale {

// Share of true edges whose right direction scores strictly higher; NaN when the truth has no edge.
double orientation_accuracy(const Matrix<double>& scores, const Digraph& truth);

}  // namespace causcale
