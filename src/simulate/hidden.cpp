#include "simulate/hidden.h"

#include <algorithm>
#include <numeric>

namespace causcale {

std::vector<int> visible_nodes(const Digraph& graph, int hidden) {
  std::vector<int> nodes(graph.nodes());
  std::iota(nodes.begin(), nodes.end(), 0);
  std::stable_sort(nodes.begin(), nodes.end(),
                   [&](int a, int b) { return graph.children(a).size() > graph.children(b).size(); });
  nodes.erase(nodes.begin(), nodes.begin() + hidden);
  std::sort(nodes.begin(), nodes.end());
  return nodes;
}

Digraph induced_subgraph(const Digraph& graph, const std::vector<int>& nodes) {
  std::vector<int> position(graph.nodes(), -1);
  for (std::size_t i = 0; i < nodes.size(); ++i) position[nodes[i]] = static_cast<int>(i);
  std::vector<Edge> edges;
  for (const Edge& edge : graph.edges())
    if (position[edge.source] >= 0 && position[edge.target] >= 0)
      edges.push_back({position[edge.source], position[edge.target]});
  return Digraph(static_cast<int>(nodes.size()), std::move(edges));
}

}  // namespace causcale
