#include <fmt/format.h>
#include <algorithm>

#include "causcale/error.h"
#include "causcale/graph.h"

namespace causcale {

Digraph::Digraph(int nodes, std::vector<Edge> edges) : nodes_(nodes), edges_(std::move(edges)) {
  std::sort(edges_.begin(), edges_.end());
  for (std::size_t e = 0; e < edges_.size(); ++e) {
    const auto [source, target] = edges_[e];
    if (source < 0 || target < 0 || source >= nodes || target >= nodes)
      throw InputError(fmt::format("edge {} -> {} is outside a graph of {} nodes", source, target, nodes));
    if (source == target) throw InputError(fmt::format("node {} has an edge to itself", source));
    if (e > 0 && edges_[e] == edges_[e - 1])
      throw InputError(fmt::format("edge {} -> {} is given twice", source, target));
  }
  child_begin_.assign(nodes + 1, 0);
  parent_begin_.assign(nodes + 1, 0);
  for (const Edge& edge : edges_) {
    ++child_begin_[edge.source + 1];
    ++parent_begin_[edge.target + 1];
  }
  for (int i = 0; i < nodes; ++i) {
    child_begin_[i + 1] += child_begin_[i];
    parent_begin_[i + 1] += parent_begin_[i];
  }
  child_.resize(edges_.size());
  parent_.resize(edges_.size());
  std::vector<std::size_t> next_child(child_begin_.begin(), child_begin_.end() - 1);
  std::vector<std::size_t> next_parent(parent_begin_.begin(), parent_begin_.end() - 1);
  // Edges are visited by source, then target, so both lists come out in ascending order.
  for (const Edge& edge : edges_) {
    child_[next_child[edge.source]++] = edge.target;
    parent_[next_parent[edge.target]++] = edge.source;
  }
}

Digraph Digraph::from_adjacency(const Matrix<std::uint8_t>& adjacency) {
  if (adjacency.rows() != adjacency.cols())
    throw InputError(fmt::format("an adjacency matrix must be square, this one is {} x {}", adjacency.rows(),
                                 adjacency.cols()));
  const int nodes = static_cast<int>(adjacency.rows());
  std::vector<Edge> edges;
  for (int i = 0; i < nodes; ++i)
    for (int j = 0; j < nodes; ++j)
      if (adjacency(i, j)) edges.push_back({i, j});
  return Digraph(nodes, std::move(edges));
}

bool Digraph::has_edge(int source, int target) const {
  const auto list = children(source);
  return std::binary_search(list.begin(), list.end(), target);
}

Matrix<std::uint8_t> Digraph::adjacency() const {
  Matrix<std::uint8_t> result(nodes_, nodes_);
  for (const Edge& edge : edges_) result(edge.source, edge.target) = 1;
  return result;
}

}  // namespace causcale
