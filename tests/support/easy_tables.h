// Small tables whose graph is known and easy.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
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
  for (int v = 0; v < n; ++v) dataset.table.names.push_back(fmt::format("X{}", v));
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

// A random graph whose edges lead to higher numbers, about `parents` a node where there are so many before
// it.
inline Digraph random_graph(int nodes, double parents, std::uint32_t number) {
  RandomStream random(78, number, 0);
  std::vector<Edge> edges;
  for (int target = 1; target < nodes; ++target)
    for (int source = 0; source < target; ++source)
      if (random.coin(std::min(1.0, parents / (0.5 * (nodes - 1))))) edges.push_back({source, target});
  return Digraph(nodes, edges);
}

enum class Curve { kTanh, kGaussianProcess };

// Additive noise with a random curve an edge: a * tanh(b x + c), or a draw from a Gaussian process with unit
// variance and length scale by random Fourier features. Noise variances from 0.4 to 0.8.
inline Dataset curved_table(const Digraph& graph, int rows, Curve curve, std::uint32_t number) {
  constexpr int kFeatures = 50;
  Dataset dataset;
  const int n = graph.nodes();
  for (int v = 0; v < n; ++v) dataset.table.names.push_back(fmt::format("X{}", v));
  dataset.table.values = Matrix<double>(rows, n);
  Matrix<double>& x = dataset.table.values;
  RandomStream random(79, number, 0);
  for (int v = 0; v < n; ++v) {
    for (const int parent : graph.parents(v)) {
      std::vector<std::array<double, 3>> waves;  // factor, slope, shift
      if (curve == Curve::kTanh)
        waves.push_back(
            {(random.coin() ? 1 : -1) * random.uniform(1, 2), random.uniform(1, 2.5), random.uniform(-1, 1)});
      else
        for (int k = 0; k < kFeatures; ++k)
          waves.push_back(
              {random.normal() * std::sqrt(2.0 / kFeatures), random.normal(), random.uniform(0, 2 * M_PI)});
      for (int r = 0; r < rows; ++r)
        for (const auto& [factor, slope, shift] : waves) {
          const double z = slope * x(r, parent) + shift;
          x(r, v) += factor * (curve == Curve::kTanh ? std::tanh(z) : std::cos(z));
        }
    }
    const double deviation = std::sqrt(random.uniform(0.4, 0.8));
    for (int r = 0; r < rows; ++r) x(r, v) += deviation * random.normal();
  }
  return dataset;
}

}  // namespace causcale::test
