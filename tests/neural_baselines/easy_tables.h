// Small tables whose graph is known and easy.
#pragma once

#include <cmath>
#include <vector>

#include "base/random.h"
#include "causcale/graph.h"
#include "causcale/table.h"

namespace causcale::test {

enum class Link { kLinear, kNonlinear };

// Nodes in the order 0, 1, ...; every edge must lead to a higher number. A node is the sum over its parents
// of a link function plus Gaussian noise. `regimes`: node that is set to independent noise, or -1, dealt to
// the rows in turn.
inline Dataset easy_table(const Digraph& graph, int rows, Link link, std::uint32_t number,
                          const std::vector<int>& regimes = {}) {
  Dataset dataset;
  const int n = graph.nodes();
  for (int v = 0; v < n; ++v) dataset.table.names.push_back("X" + std::to_string(v));
  dataset.table.values = Matrix<double>(rows, n);
  for (const int target : regimes)
    dataset.interventions.regimes.push_back(target < 0 ? std::vector<int>{} : std::vector<int>{target});
  RandomStream random(77, number, 0);
  for (int r = 0; r < rows; ++r) {
    const int regime = regimes.empty() ? -1 : r % static_cast<int>(regimes.size());
    if (regime >= 0) dataset.interventions.regime_of_row.push_back(regime);
    for (int v = 0; v < n; ++v) {
      if (regime >= 0 && regimes[regime] == v) {
        dataset.table.values(r, v) = 2 * random.normal();
        continue;
      }
      double sum = 0;
      for (const int parent : graph.parents(v)) {
        const double x = dataset.table.values(r, parent);
        sum += link == Link::kLinear ? 1.5 * x : std::sin(1.5 * x) + 0.5 * x;
      }
      dataset.table.values(r, v) = sum + (graph.parents(v).empty() ? 1.0 : 0.6) * random.normal();
    }
  }
  return dataset;
}

}  // namespace causcale::test
