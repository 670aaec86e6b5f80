#include "graph/moral.h"

#include <algorithm>

namespace causcale {

std::vector<Edge> moral_edges(const Digraph& graph) {
  std::vector<Edge> result;
  for (const Edge& edge : graph.edges())
    result.push_back({std::min(edge.source, edge.target), std::max(edge.source, edge.target)});
  for (int child = 0; child < graph.nodes(); ++child) {
    const auto parents = graph.parents(child);  // ascending
    for (std::size_t a = 0; a < parents.size(); ++a)
      for (std::size_t b = a + 1; b < parents.size(); ++b) result.push_back({parents[a], parents[b]});
  }
  std::sort(result.begin(), result.end());
  result.erase(std::unique(result.begin(), result.end()), result.end());
  return result;
}

}  // namespace causcale
