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

template <class PointsBack>
std::vector<std::uint8_t> possibly_reached(const MixedGraph& graph, int start, int avoided,
                                           PointsBack points_back) {
  return reached(graph.nodes(), std::span(&start, 1), [&](int node) {
    std::vector<int> neighbours;
    for (int next = 0; next < graph.nodes(); ++next)
      if (next != avoided && graph.adjacent(node, next) && !points_back(node, next))
        neighbours.push_back(next);
    return neighbours;
  });
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

std::vector<std::uint8_t> possible_descendants(const MixedGraph& graph, int start, int avoided) {
  return possibly_reached(graph, start, avoided,
                          [&](int node, int next) { return graph.mark(next, node) == Mark::kArrow; });
}

std::vector<std::uint8_t> possible_ancestors(const MixedGraph& graph, int end, int avoided) {
  return possibly_reached(graph, end, avoided,
                          [&](int node, int next) { return graph.mark(node, next) == Mark::kArrow; });
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
