#include "graph/cpdag.h"

#include <algorithm>

#include "causcale/error.h"
#include "graph/order.h"

namespace causcale {

namespace {

// Position of the edge source -> target in the sorted list of edges.
std::size_t index_of(const Digraph& dag, int source, int target) {
  const auto edges = dag.edges();
  return std::lower_bound(edges.begin(), edges.end(), Edge{source, target}) - edges.begin();
}

}  // namespace

// Chickering's (1995) labelling: targets are taken in topological order, and the incoming edge whose source
// comes last in that order decides all those into the target that are still undecided.
Cpdag cpdag_of(const Digraph& dag) {
  const auto order = topological_order(dag);
  if (!order) throw InputError("a graph with a directed cycle has no Markov equivalence class of DAGs");
  std::vector<int> position(dag.nodes());
  for (int p = 0; p < dag.nodes(); ++p) position[(*order)[p]] = p;
  std::vector<char> decided(dag.edge_count(), 0);
  std::vector<char> compelled(dag.edge_count(), 0);

  for (int y : *order) {
    const auto parents = dag.parents(y);
    if (parents.empty()) continue;
    const int x = *std::max_element(parents.begin(), parents.end(),
                                    [&](int a, int b) { return position[a] < position[b]; });
    // A collider z -> y <- x without z -> x, or a compelled w -> x that must not become a collider at x.
    bool compel_all =
        std::any_of(parents.begin(), parents.end(), [&](int z) { return z != x && !dag.has_edge(z, x); });
    for (int w : dag.parents(x)) {
      if (!compelled[index_of(dag, w, x)]) continue;
      if (!dag.has_edge(w, y)) {
        compel_all = true;
        break;
      }
      const std::size_t edge = index_of(dag, w, y);
      decided[edge] = compelled[edge] = 1;
    }
    for (int z : parents) {
      const std::size_t edge = index_of(dag, z, y);
      if (!decided[edge]) compelled[edge] = compel_all;
      decided[edge] = 1;
    }
  }

  std::vector<Edge> directed;
  Cpdag result;
  for (std::size_t e = 0; e < compelled.size(); ++e) {
    const auto [source, target] = dag.edges()[e];
    if (compelled[e])
      directed.push_back({source, target});
    else
      result.undirected.push_back({std::min(source, target), std::max(source, target)});
  }
  std::sort(result.undirected.begin(), result.undirected.end());
  result.directed = Digraph(dag.nodes(), std::move(directed));
  return result;
}

}  // namespace causcale
