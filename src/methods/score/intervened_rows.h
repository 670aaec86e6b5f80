// Rows that say nothing about how a node depends on its parents.
#pragma once

#include <vector>

#include "causcale/table.h"

namespace causcale {

// Per node: which rows it was set in by intervention; empty where there are none.
inline std::vector<std::vector<char>> intervened_rows(const Interventions& interventions, std::size_t nodes) {
  std::vector<std::vector<char>> result(nodes);
  const std::size_t rows = interventions.regime_of_row.size();
  for (std::size_t r = 0; r < rows; ++r)
    for (const int target : interventions.regimes[interventions.regime_of_row[r]]) {
      if (result[target].empty()) result[target].assign(rows, 0);
      result[target][r] = 1;
    }
  return result;
}

}  // namespace causcale
