// Random directed acyclic graphs. Node labels are in random order, so an index tells nothing about causal
// order.
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.h"
#include "causcale/graph.h"

namespace causcale {

enum class GraphModel { kErdosRenyi, kScaleFree, kStochasticBlock, kWattsStrogatz, kGeometric };

// The expected number of edges is nodes * edges_per_node in every model (as far as so many pairs exist).
struct GraphOptions {
  GraphModel model = GraphModel::kErdosRenyi;
  int nodes = 10;
  double edges_per_node = 1.0;
  double attachment_power = 1.0;  // scale-free: weight of a parent is (out-degree + 1)^power
  bool reverse_edges = false;     // turns every edge round: scale-free hubs become collectors
  int blocks = 5;                 // stochastic block model
  double block_damping = 0.1;     // probability between blocks relative to within
  double rewiring = 0.3;          // Watts-Strogatz: share of the ring's edges that go elsewhere
};

struct SampledGraph {
  Digraph graph;
  std::vector<int> order;  // topological
};

// Throws UsageError when the options make no sense.
void check_graph_options(const GraphOptions& options);
SampledGraph sample_graph(const GraphOptions& options, RandomStream& random);

// Fisher-Yates.
std::vector<int> random_permutation(int size, RandomStream& random);

}  // namespace causcale
