#include "graph/mixed_graph.h"

#include "causcale/error.h"

namespace causcale {

Digraph possible_directions(const MixedGraph& graph) {
  std::vector<Edge> edges;
  for (int a = 0; a < graph.nodes(); ++a)
    for (int b = 0; b < graph.nodes(); ++b)
      if (a != b && graph.adjacent(a, b) && graph.mark(b, a) != Mark::kArrow) edges.push_back({a, b});
  return Digraph(graph.nodes(), std::move(edges));
}

MixedGraph with_opposites_joined(const Digraph& graph) {
  MixedGraph result(graph);
  for (const Edge& edge : graph.edges())
    if (graph.has_edge(edge.target, edge.source))
      result.set(edge.source, edge.target, Mark::kTail, Mark::kTail);
  return result;
}

std::optional<Digraph> consistent_extension(const MixedGraph& graph) {
  const int n = graph.nodes();
  std::vector<std::vector<int>> neighbours(n);
  for (int a = 0; a < n; ++a)
    for (int b = 0; b < n; ++b)
      if (a != b && graph.adjacent(a, b)) {
        if (!graph.directed(a, b) && !graph.directed(b, a) && !graph.undirected(a, b)) return std::nullopt;
        neighbours[a].push_back(b);
      }
  std::vector<bool> gone(n, false);
  // A node that can come last: no edge leaves it, and orienting its undirected edges towards it makes no new
  // collider, as each undirected neighbour is adjacent to all its other neighbours.
  const auto can_be_sink = [&](int node) {
    for (const int b : neighbours[node])
      if (!gone[b] && graph.directed(node, b)) return false;
    for (const int b : neighbours[node]) {
      if (gone[b] || !graph.undirected(node, b)) continue;
      for (const int c : neighbours[node])
        if (!gone[c] && c != b && !graph.adjacent(b, c)) return false;
    }
    return true;
  };
  std::vector<Edge> edges;
  for (int left = n; left > 0; --left) {
    int sink = -1;
    for (int node = 0; node < n && sink < 0; ++node)
      if (!gone[node] && can_be_sink(node)) sink = node;
    if (sink < 0) return std::nullopt;
    for (const int b : neighbours[sink])
      if (!gone[b]) edges.push_back({b, sink});
    gone[sink] = true;
  }
  return Digraph(n, std::move(edges));
}

std::string graph_class_name(GraphClass graph_class) {
  switch (graph_class) {
    case GraphClass::kDirected:
      return "directed graph";
    case GraphClass::kDag:
      return "DAG";
    case GraphClass::kCpdag:
      return "CPDAG";
    case GraphClass::kPag:
      return "PAG";
    case GraphClass::kUndirected:
      return "undirected graph";
  }
  throw Error("unknown class of graphs");
}

std::string edge_text(const MixedGraph& graph, int a, int b) {
  const auto symbol = [](Mark mark, char arrow) {
    return mark == Mark::kArrow ? arrow : mark == Mark::kCircle ? 'o' : '-';
  };
  return {symbol(graph.mark(b, a), '<'), '-', symbol(graph.mark(a, b), '>')};
}

}  // namespace causcale
