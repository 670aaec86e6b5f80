#include "simulate/worlds/projection.h"

namespace causcale {
namespace {

// The visible nodes that paths from `start` reach first, as columns.
std::vector<int> first_visible(const Digraph& graph, std::span<const std::uint8_t> hidden,
                               const std::vector<int>& column, int start) {
  std::vector<int> found, waiting{start};
  std::vector<std::uint8_t> seen(graph.nodes(), 0);
  while (!waiting.empty()) {
    const int node = waiting.back();
    waiting.pop_back();
    for (const int child : graph.children(node)) {
      if (seen[child]) continue;
      seen[child] = 1;
      if (hidden[child])
        waiting.push_back(child);
      else
        found.push_back(column[child]);
    }
  }
  return found;
}

void join_all(const std::vector<int>& reached, Matrix<std::uint8_t>& confounded) {
  for (const int i : reached)
    for (const int j : reached)
      if (i != j) confounded(i, j) = 1;
}

}  // namespace

LatentProjection latent_projection(const Digraph& graph, std::span<const std::uint8_t> hidden) {
  LatentProjection result;
  std::vector<int> column(graph.nodes(), -1);
  for (int node = 0; node < graph.nodes(); ++node)
    if (!hidden[node]) {
      column[node] = static_cast<int>(result.visible.size());
      result.visible.push_back(node);
    }
  const std::size_t n = result.visible.size();
  result.adjacency = Matrix<std::uint8_t>(n, n);
  result.confounded = Matrix<std::uint8_t>(n, n);
  for (int node = 0; node < graph.nodes(); ++node) {
    const std::vector<int> reached = first_visible(graph, hidden, column, node);
    if (hidden[node]) {
      join_all(reached, result.confounded);
    } else {
      for (const int j : reached)
        if (j != column[node]) result.adjacency(column[node], j) = 1;
    }
  }
  return result;
}

Matrix<std::uint8_t> hidden_common_causes(const Digraph& graph, std::span<const int> visible) {
  std::vector<std::uint8_t> hidden(graph.nodes(), 1);
  std::vector<int> column(graph.nodes(), -1);
  for (std::size_t c = 0; c < visible.size(); ++c) {
    hidden[visible[c]] = 0;
    column[visible[c]] = static_cast<int>(c);
  }
  Matrix<std::uint8_t> confounded(visible.size(), visible.size());
  for (int node = 0; node < graph.nodes(); ++node)
    if (hidden[node]) join_all(first_visible(graph, hidden, column, node), confounded);
  return confounded;
}

}  // namespace causcale
