#include "effects/separation.h"

#include <algorithm>

namespace causcale {

std::vector<std::uint8_t> connected_nodes(const Digraph& dag, int start, std::span<const int> given) {
  const auto n = static_cast<std::size_t>(dag.nodes());
  std::vector<std::uint8_t> in_set(n, 0), above_set(n, 0);
  std::vector<int> open(given.begin(), given.end());
  for (const int node : given) in_set[node] = 1;
  while (!open.empty()) {
    const int node = open.back();
    open.pop_back();
    if (above_set[node]) continue;
    above_set[node] = 1;
    for (const int parent : dag.parents(node)) open.push_back(parent);
  }
  // A walk arrives from a parent (down) or from a child (up).
  enum Arrival : std::uint8_t { kDown = 1, kUp = 2 };
  struct Step {
    int node;
    Arrival arrival;
  };
  std::vector<std::uint8_t> seen(n, 0);
  std::vector<Step> steps{{start, kUp}};
  const auto push = [&](int node, Arrival arrival) {
    if (!(seen[node] & arrival)) steps.push_back({node, arrival});
  };
  while (!steps.empty()) {
    const auto [node, arrival] = steps.back();
    steps.pop_back();
    if (seen[node] & arrival) continue;
    seen[node] |= arrival;
    const bool passes = !in_set[node] || node == start;
    if (passes)
      for (const int child : dag.children(node)) push(child, kDown);
    if (arrival == kUp ? passes : above_set[node] != 0)
      for (const int parent : dag.parents(node)) push(parent, kUp);
  }
  return seen;
}

Digraph without_edges_from(const Digraph& dag, std::span<const int> nodes) {
  std::vector<Edge> edges;
  for (const Edge& edge : dag.edges())
    if (std::ranges::find(nodes, edge.source) == nodes.end()) edges.push_back(edge);
  return Digraph(dag.nodes(), std::move(edges));
}

}  // namespace causcale
