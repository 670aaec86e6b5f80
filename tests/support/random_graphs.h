// Random graphs for property tests, each a pure function of its arguments.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "base/random.h"
#include "causcale/graph.h"

namespace causcale::test {

// Every pair of a random order is joined with the given probability.
inline Digraph random_dag(int nodes, double density, std::uint32_t number) {
  RandomStream random(20260, number, 0);
  std::vector<int> order(nodes);
  std::iota(order.begin(), order.end(), 0);
  for (int i = nodes - 1; i > 0; --i) std::swap(order[i], order[random.below(i + 1)]);
  std::vector<Edge> edges;
  for (int a = 0; a < nodes; ++a)
    for (int b = a + 1; b < nodes; ++b)
      if (random.coin(density)) edges.push_back({order[a], order[b]});
  return Digraph(nodes, std::move(edges));
}

// Every ordered pair is joined with the given probability: cycles abound.
inline Digraph random_digraph(int nodes, double density, std::uint32_t number) {
  RandomStream random(20261, number, 0);
  std::vector<Edge> edges;
  for (int i = 0; i < nodes; ++i)
    for (int j = 0; j < nodes; ++j)
      if (i != j && random.coin(density)) edges.push_back({i, j});
  return Digraph(nodes, std::move(edges));
}

}  // namespace causcale::test
