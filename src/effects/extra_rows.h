// How many rows it takes to see whether two variables are joined.
#pragma once

#include <cstddef>
#include <vector>

#include "causcale/graph.h"
#include "effects/variables.h"

namespace causcale {

struct RowsNeeded {
  int a, b;
  std::vector<int> given;    // the other parents of the two in the graph
  std::size_t rows = 0;      // there are: neither of the two intervened on, nothing missing
  double correlation = 0.0;  // of the two given those; NaN where it cannot be told
  // At which a dependence of this size is told from none nine times in ten (level 0.05, two-sided). Infinite
  // or huge: the two look independent, and more rows will only say so more clearly. NaN: cannot be told.
  double needed = 0.0;
};

// Variables with categories that have no order: NaN.
RowsNeeded rows_needed(const EffectTable& table, const Digraph& graph, int a, int b);

}  // namespace causcale
