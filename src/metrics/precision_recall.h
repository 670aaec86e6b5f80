// Precision, recall and F1 of a thresholded graph.
#pragma once

#include <cstddef>

#include "causcale/graph.h"

namespace causcale {

struct PrecisionRecall {
  std::size_t true_positives = 0;
  std::size_t false_positives = 0;
  std::size_t false_negatives = 0;

  double precision() const;  // NaN when nothing is predicted
  double recall() const;     // NaN when there is nothing to find
  double f1() const;         // NaN when there is neither
};

// Unordered pairs that are joined, in whatever direction.
PrecisionRecall skeleton_precision_recall(const Digraph& truth, const Digraph& guess);
// Ordered pairs: the direction has to be right.
PrecisionRecall direction_precision_recall(const Digraph& truth, const Digraph& guess);

}  // namespace causcale
