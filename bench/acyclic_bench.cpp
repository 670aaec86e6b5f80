// How much less does the best acyclic graph give up than the greedy one, and what does the search cost?
#include <fmt/format.h>

#include <chrono>
#include <vector>

#include "base/random.h"
#include "graph/optimal_acyclic.h"

using namespace causcale;

namespace {

// Random edges with probabilities between 1/2 and 1.
void measure(int nodes, double edges_per_node) {
  RandomStream random(1, static_cast<std::uint32_t>(nodes), 0);
  const double density = edges_per_node / (nodes - 1);
  std::vector<Edge> edges;
  std::vector<double> weights;
  for (int i = 0; i < nodes; ++i)
    for (int j = 0; j < nodes; ++j)
      if (i != j && random.coin(density)) {
        edges.push_back({i, j});
        weights.push_back(edge_log_odds(random.uniform(0.5, 1.0), 0.5));
      }
  const Digraph graph(nodes, std::move(edges));
  const auto start = std::chrono::steady_clock::now();
  const OptimalAcyclic result = optimal_acyclic(graph, weights);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  fmt::print("{:>7} {:>9} {:>16.1f} {:>14.1f} {:>7.3f} {:>8.2f}\n", nodes, graph.edge_count(),
             result.greedy_removed_weight, result.removed_weight,
             result.removed_weight / result.greedy_removed_weight, seconds);
}

}  // namespace

int main() {
  fmt::print("log-odds removed to make a random graph acyclic\n");
  fmt::print("{:>7} {:>9} {:>16} {:>14} {:>7} {:>8}\n", "nodes", "edges", "greedy", "best found", "ratio",
             "s");
  measure(20, 5);
  measure(100, 4);
  measure(300, 4);
  measure(1000, 2);
  measure(1000, 20);
  measure(1000, 300);
  measure(5000, 4);
  return 0;
}
