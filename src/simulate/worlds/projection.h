// What a graph with hidden variables says about the measured ones.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "causcale/graph.h"
#include "causcale/matrix.h"

namespace causcale {

struct LatentProjection {
  std::vector<int> visible;         // column -> node, ascending
  Matrix<std::uint8_t> adjacency;   // i -> j: a path i -> h -> ... -> j, all between hidden
  Matrix<std::uint8_t> confounded;  // i <- h -> j, with hidden ones only on both ways; symmetric
};

// The graph may have cycles; a path from i back to i is no edge. `hidden`: one flag per node.
LatentProjection latent_projection(const Digraph& graph, std::span<const std::uint8_t> hidden);

// The same `confounded` alone, [visible, visible], of a graph of which `visible` (ascending) is measured.
Matrix<std::uint8_t> hidden_common_causes(const Digraph& graph, std::span<const int> visible);

}  // namespace causcale
