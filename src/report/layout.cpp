#include "report/layout.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "graph/cycles.h"
#include "report/layout_ranks.h"

namespace causcale {
namespace {

// The graph with the edges that close cycles turned round, so that all can point downwards.
Digraph pointing_down(const Digraph& graph, std::span<const double> scores) {
  CycleBreaking broken = break_cycles(graph, scores);
  std::vector<Edge> edges(broken.graph.edges().begin(), broken.graph.edges().end());
  for (const ScoredEdge& removed : broken.removed)
    edges.push_back({removed.edge.target, removed.edge.source});
  std::ranges::sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return Digraph(graph.nodes(), std::move(edges));
}

// Depth-first order keeps what belongs together side by side: a good start for the crossing reduction.
std::vector<int> depth_first_order(const Digraph& graph) {
  std::vector<int> order, stack;
  std::vector<char> seen(graph.nodes(), 0);
  for (int root = 0; root < graph.nodes(); ++root) {
    stack.push_back(root);
    while (!stack.empty()) {
      const int node = stack.back();
      stack.pop_back();
      if (seen[node]) continue;
      seen[node] = 1;
      order.push_back(node);
      for (int next : graph.children(node))
        if (!seen[next]) stack.push_back(next);
      for (int next : graph.parents(node))
        if (!seen[next]) stack.push_back(next);
    }
  }
  return order;
}

bool is_isolated(const Digraph& graph, int node) {
  return graph.children(node).empty() && graph.parents(node).empty();
}

// Nodes without edges, in rows beneath the rest.
void place_isolated(const Digraph& graph, std::span<const double> widths, const LayoutSpacing& spacing,
                    LayeredLayout& layout) {
  const double row_width = std::max(layout.width, spacing.isolated_row_width);
  double x = 0, y = layout.height > 0 ? layout.height + spacing.layer_gap : 0;
  int row = 1 + *std::ranges::max_element(layout.layer_of);
  bool any = false;
  for (int node = 0; node < graph.nodes(); ++node) {
    if (!is_isolated(graph, node)) continue;
    if (x > 0 && x + widths[node] > row_width) {
      x = 0;
      y += spacing.node_height + spacing.node_gap;
      ++row;
    }
    layout.centers[node] = {x + widths[node] / 2, y + spacing.node_height / 2};
    layout.layer_of[node] = row;
    x += widths[node];
    layout.width = std::max(layout.width, x);
    x += spacing.node_gap;
    any = true;
  }
  if (any) layout.height = y + spacing.node_height;
}

}  // namespace

LayeredLayout layered_layout(const Digraph& graph, std::span<const double> scores,
                             std::span<const double> widths, const LayoutSpacing& spacing) {
  const int n = graph.nodes();
  LayeredLayout layout;
  layout.centers.assign(n, {0, 0});
  layout.bends.resize(graph.edge_count());
  layout.layer_of.assign(n, -1);
  if (n == 0) return layout;

  const Digraph downwards = pointing_down(graph, scores);
  std::vector<int> layer = assign_layers(downwards);
  // Wider than high, but not a single line: hubs have hundreds of effects in one layer.
  split_wide_layers(downwards, std::max<std::size_t>(10, static_cast<std::size_t>(1.6 * std::sqrt(n))),
                    layer);
  LayerNetwork network;
  std::vector<int> vertex_of(n, -1);
  for (int node : depth_first_order(graph)) {
    if (is_isolated(graph, node)) continue;
    vertex_of[node] = network.add(layer[node], (widths[node] + spacing.node_gap) / 2, false);
    layout.layer_of[node] = layer[node];
  }

  // The most certain edges first: should the bends run out, it is the doubtful ones that go straight.
  std::vector<std::size_t> by_score(graph.edge_count());
  std::iota(by_score.begin(), by_score.end(), std::size_t{0});
  std::ranges::stable_sort(by_score, std::greater<>(), [&](std::size_t k) { return scores[k]; });
  std::vector<std::vector<int>> bend_vertices(graph.edge_count());
  std::size_t bends = 0;
  for (std::size_t k : by_score) {
    const auto [source, target] = graph.edges()[k];
    const bool upward = layer[source] > layer[target];
    const int upper = upward ? target : source, lower = upward ? source : target;
    const std::size_t needed = layer[lower] - layer[upper] - 1;
    if (bends + needed > spacing.most_bends) continue;
    bends += needed;
    int previous = vertex_of[upper];
    for (int at = layer[upper] + 1; at < layer[lower]; ++at) {
      const int bend = network.add(at, spacing.edge_gap / 2, true);
      network.link(previous, bend);
      bend_vertices[k].push_back(bend);
      previous = bend;
    }
    network.link(previous, vertex_of[lower]);
    if (upward) std::ranges::reverse(bend_vertices[k]);
  }

  if (!network.vertices.empty()) {
    reduce_crossings(network);
    const std::vector<double> x = place_vertices(network);
    double left = std::numeric_limits<double>::max(), right = std::numeric_limits<double>::lowest();
    for (std::size_t v = 0; v < x.size(); ++v) {
      left = std::min(left, x[v] - network.vertices[v].half_width);
      right = std::max(right, x[v] + network.vertices[v].half_width);
    }
    const double step = spacing.node_height + spacing.layer_gap;
    const auto center = [&](int vertex) {
      return LayoutPoint{x[vertex] - left, network.vertices[vertex].layer * step + spacing.node_height / 2};
    };
    for (int node = 0; node < n; ++node)
      if (vertex_of[node] >= 0) layout.centers[node] = center(vertex_of[node]);
    for (std::size_t k = 0; k < bend_vertices.size(); ++k)
      for (int bend : bend_vertices[k]) layout.bends[k].push_back(center(bend));
    layout.width = right - left;
    layout.height = (static_cast<double>(network.layers.size()) - 1) * step + spacing.node_height;
  }
  place_isolated(graph, widths, spacing, layout);
  return layout;
}

}  // namespace causcale
