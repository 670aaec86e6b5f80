#include "simulate/worlds/cyclic_graph.h"

#include <algorithm>
#include <cmath>

#include "simulate/graph_model.h"

namespace causcale {

Digraph with_feedback(const Digraph& graph, double share, RandomStream& random) {
  std::vector<Edge> edges(graph.edges().begin(), graph.edges().end());
  const std::size_t forward = edges.size();
  if (forward == 0) return graph;
  const int wanted = std::max(1, static_cast<int>(std::lround(share * static_cast<double>(forward))));
  for (int added = 0, attempt = 0; added < wanted && attempt < 100 * wanted; ++attempt) {
    const Edge first = edges[random.below(static_cast<std::uint32_t>(forward))];
    int end = first.target;
    for (int more = random.coin() ? 0 : 1 + static_cast<int>(random.below(3)); more > 0; --more) {
      const std::span<const int> next = graph.children(end);
      if (next.empty()) break;
      end = next[random.below(static_cast<std::uint32_t>(next.size()))];
    }
    const Edge back{end, first.source};
    if (std::ranges::find(edges, back) != edges.end()) continue;
    edges.push_back(back);
    ++added;
  }
  return Digraph(graph.nodes(), std::move(edges));
}

Digraph with_few_parents(const Digraph& graph, int most, RandomStream& random) {
  std::vector<Edge> edges;
  for (int node = 0; node < graph.nodes(); ++node) {
    const std::span<const int> parents = graph.parents(node);
    const std::vector<int> order = random_permutation(static_cast<int>(parents.size()), random);
    for (int k = 0; k < std::min(most, static_cast<int>(parents.size())); ++k)
      edges.push_back({parents[order[k]], node});
  }
  return Digraph(graph.nodes(), std::move(edges));
}

}  // namespace causcale
