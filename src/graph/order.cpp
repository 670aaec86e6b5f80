#include "graph/order.h"

namespace causcale {

std::optional<std::vector<int>> topological_order(const Digraph& graph) {
  const int n = graph.nodes();
  std::vector<int> waiting(n);  // parents not yet placed
  std::vector<int> order;
  order.reserve(n);
  for (int i = 0; i < n; ++i) {
    waiting[i] = static_cast<int>(graph.parents(i).size());
    if (waiting[i] == 0) order.push_back(i);
  }
  for (std::size_t placed = 0; placed < order.size(); ++placed)
    for (int child : graph.children(order[placed]))
      if (--waiting[child] == 0) order.push_back(child);
  if (order.size() < static_cast<std::size_t>(n)) return std::nullopt;
  return order;
}

bool is_acyclic(const Digraph& graph) {
  return topological_order(graph).has_value();
}

}  // namespace causcale
