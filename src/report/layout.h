// Layered placement of a directed graph (after Sugiyama): causes above their effects, few crossings, long
// edges led between the nodes. Shared by the drawings (SVG, PNG) and the HTML report.
#pragma once

#include <span>
#include <vector>

#include "causcale/graph.h"

namespace causcale {

struct LayoutPoint {
  double x;
  double y;
  bool operator==(const LayoutPoint&) const = default;
};

struct LayoutSpacing {
  double node_height = 24;
  double layer_gap = 56;  // between the lower side of a layer and the upper side of the next
  double node_gap = 18;
  double edge_gap = 10;               // room for an edge that passes through a layer
  std::size_t most_bends = 60'000;    // edges beyond it are not led around nodes
  double isolated_row_width = 720.0;  // nodes without edges stand in rows beneath, at least this wide
};

struct LayeredLayout {
  std::vector<LayoutPoint> centers;             // of the nodes
  std::vector<std::vector<LayoutPoint>> bends;  // of graph.edges()[k], from source to target, ends left out
  std::vector<int> layer_of;                    // 0 is the top; nodes without edges have the last numbers
  double width = 0, height = 0;                 // everything lies within [0, width] x [0, height]
};

// scores[k] belongs to graph.edges()[k]: of a directed cycle the lowest points upwards. widths: of the nodes.
// Deterministic.
LayeredLayout layered_layout(const Digraph& graph, std::span<const double> scores,
                             std::span<const double> widths, const LayoutSpacing& spacing = {});

}  // namespace causcale
