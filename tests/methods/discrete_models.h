// Networks of conditional probability tables for tests: tables drawn from them, and plain formulas for
// discrete data.
#pragma once

#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "base/random.h"
#include "causcale/graph.h"
#include "causcale/table.h"
#include "graph/order.h"
#include "methods/gaussian_models.h"

namespace causcale::test {

// Every combination of the parents' values has a distribution of its own, drawn with few even ones: effects
// are strong.
inline Dataset drawn_from_tables(const Digraph& dag, const std::vector<int>& levels, int rows,
                                 std::uint32_t number) {
  RandomStream random(91, number, 0);
  const auto order = *topological_order(dag);
  std::vector<std::map<std::vector<int>, std::vector<double>>> shares(dag.nodes());
  Dataset dataset;
  dataset.table.names = column_names(dag.nodes());
  dataset.table.values = Matrix<double>(rows, dag.nodes());
  for (int r = 0; r < rows; ++r)
    for (const int v : order) {
      std::vector<int> key;
      for (const int parent : dag.parents(v))
        key.push_back(static_cast<int>(dataset.table.values(r, parent)));
      std::vector<double>& share = shares[v][key];
      if (share.empty()) {
        double sum = 0.0;
        for (int k = 0; k < levels[v]; ++k) {
          share.push_back(0.03 + std::pow(random.uniform(), 2.0));
          sum += share.back();
        }
        for (double& value : share) value /= sum;
      }
      double left = random.uniform();
      int value = 0;
      while (value + 1 < levels[v] && left >= share[value]) left -= share[value++];
      dataset.table.values(r, v) = value;
    }
  return dataset;
}

// Counts of the values of some columns, by definition.
inline std::map<std::vector<int>, double> counted(const Table& table, const std::vector<int>& columns) {
  std::map<std::vector<int>, double> counts;
  for (std::size_t r = 0; r < table.rows(); ++r) {
    std::vector<int> key;
    bool whole = true;
    for (const int column : columns) {
      whole &= !std::isnan(table.values(r, column));
      key.push_back(whole ? static_cast<int>(table.values(r, column)) : 0);
    }
    if (whole) counts[key] += 1.0;
  }
  return counts;
}

}  // namespace causcale::test
