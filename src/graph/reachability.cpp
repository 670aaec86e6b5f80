#include "graph/reachability.h"

#include "causcale/error.h"
#include "graph/order.h"

namespace causcale {

namespace {

template <class Neighbours>
std::vector<std::uint8_t> reached(int nodes, std::span<const int> from, Neighbours neighbours) {
  std::vector<std::uint8_t> seen(nodes, 0);
  std::vector<int> open;
  for (int node : from)
    if (!seen[node]) {
      seen[node] = 1;
      open.push_back(node);
    }
  while (!open.empty()) {
    const int node = open.back();
    open.pop_back();
    for (int next : neighbours(node))
      if (!seen[next]) {
        seen[next] = 1;
        open.push_back(next);
      }
  }
  return seen;
}

std::vector<int> order_of(const Digraph& dag) {
  auto order = topological_order(dag);
  if (!order) throw InputError("the graph has a directed cycle; an acyclic one is needed here");
  return std::move(*order);
}

}  // namespace

std::vector<std::uint8_t> descendants(const Digraph& graph, std::span<const int> from) {
  return reached(graph.nodes(), from, [&](int node) { return graph.children(node); });
}

std::vector<std::uint8_t> ancestors(const Digraph& graph, std::span<const int> from) {
  return reached(graph.nodes(), from, [&](int node) { return graph.parents(node); });
}

BitMatrix ancestor_sets(const Digraph& dag) {
  BitMatrix sets(dag.nodes());
  for (int node : order_of(dag)) {
    set_bit(sets.row(node), node);
    for (int parent : dag.parents(node)) unite(sets.row(node), sets.row(parent));
  }
  return sets;
}

BitMatrix descendant_sets(const Digraph& dag) {
  BitMatrix sets(dag.nodes());
  const std::vector<int> order = order_of(dag);
  for (auto node = order.rbegin(); node != order.rend(); ++node) {
    set_bit(sets.row(*node), *node);
    for (int child : dag.children(*node)) unite(sets.row(*node), sets.row(child));
  }
  return sets;
}

}  // namespace causcale
