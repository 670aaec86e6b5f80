// The simulation in which the authors of SDCD measured it (their programme's interventional benchmark): every
// variable is a random network of its parents, and every variable is intervened on.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "causcale/graph.h"
#include "causcale/table.h"

namespace causcale::test {

struct SdcdSetting {
  int nodes = 20;
  int edges = 40;
  int rows = 10000;  // without intervention
  int rows_a_target = 500;
};

struct SdcdExample {
  Digraph graph;
  Dataset dataset;
};

// A network has 100 logistic units without biases, all weights +-[0.5, 2], and sees its inputs at unit
// variance; noise has the standard deviation 0.5; an intervened variable is normal with 0.1.
inline SdcdExample sdcd_example(const SdcdSetting& setting, std::uint32_t number) {
  constexpr int kUnits = 100;
  const int n = setting.nodes;
  RandomStream random(2023, number, 0);
  std::vector<int> order(n);
  for (int v = 0; v < n; ++v) order[v] = v;
  std::vector<Edge> pairs;
  for (int k = n - 1; k > 0; --k) std::swap(order[k], order[random.below(static_cast<std::uint32_t>(k + 1))]);
  for (int a = 0; a < n; ++a)
    for (int b = a + 1; b < n; ++b) pairs.push_back({order[a], order[b]});
  for (std::size_t k = pairs.size() - 1; k > 0; --k)
    std::swap(pairs[k], pairs[random.below(static_cast<std::uint32_t>(k + 1))]);
  pairs.resize(std::min(pairs.size(), static_cast<std::size_t>(setting.edges)));
  SdcdExample example{Digraph(n, pairs), {}};

  Dataset& dataset = example.dataset;
  for (int v = 0; v < n; ++v) {
    dataset.table.names.push_back("X" + std::to_string(v));
    dataset.interventions.regimes.push_back({v});
  }
  dataset.interventions.regimes.push_back({});
  const int m = setting.rows + n * setting.rows_a_target;
  for (int r = 0; r < m; ++r)
    dataset.interventions.regime_of_row.push_back(
        r < setting.rows ? n : (r - setting.rows) / setting.rows_a_target);
  Matrix<double>& x = dataset.table.values = Matrix<double>(m, n);
  const auto weight = [&] { return (random.coin() ? 1 : -1) * random.uniform(0.5, 2); };
  for (const int v : order) {
    std::vector<double> location(m, 0.0);
    const auto& parents = example.graph.parents(v);
    if (!parents.empty()) {
      // Centred and scaled by what is seen without interventions.
      std::vector<std::pair<double, double>> scales;
      for (const int parent : parents) {
        double mean = 0, square = 0;
        for (int r = 0; r < setting.rows; ++r) mean += x(r, parent) / setting.rows;
        for (int r = 0; r < setting.rows; ++r) square += std::pow(x(r, parent) - mean, 2) / setting.rows;
        scales.emplace_back(mean, std::sqrt(square));
      }
      for (int unit = 0; unit < kUnits; ++unit) {
        std::vector<double> inner(m, 0.0);
        std::size_t place = 0;
        for (const int parent : parents) {
          const double factor = weight() / scales[place].second, mean = scales[place].first;
          ++place;
          for (int r = 0; r < m; ++r) inner[r] += factor * (x(r, parent) - mean);
        }
        const double outer = weight();
        for (int r = 0; r < m; ++r) location[r] += outer / (1 + std::exp(-inner[r]));
      }
    }
    for (int r = 0; r < m; ++r) {
      const bool set = dataset.interventions.regime_of_row[r] == v;
      const double noise = random.normal();
      x(r, v) = set ? 0.1 * noise : location[r] + 0.5 * noise;
    }
  }
  return example;
}

}  // namespace causcale::test
