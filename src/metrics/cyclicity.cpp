#include "metrics/cyclicity.h"

#include "graph/components.h"

namespace causcale {

Cyclicity cyclicity(const Digraph& graph) {
  const Components components = strongly_connected_components(graph);
  std::vector<int> size(components.count, 0);
  for (int component : components.component_of) ++size[component];
  Cyclicity result;
  for (int component : components.component_of) result.nodes_on_cycles += size[component] > 1;
  // Within a strongly connected component every edge lies on a cycle.
  for (const auto& [source, target] : graph.edges())
    result.edges_on_cycles += components.component_of[source] == components.component_of[target];
  result.cyclic = result.nodes_on_cycles > 0;
  return result;
}

}  // namespace causcale
