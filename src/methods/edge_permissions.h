// Which edges a method may use: knowledge as a table that is quick to ask.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "causcale/knowledge.h"
#include "causcale/matrix.h"

namespace causcale {

struct EdgePermissions {
  Matrix<std::uint8_t> allowed;  // [n, n]; 0 on the diagonal and against a required edge
  std::vector<Edge> required;    // sorted, each once

  EdgePermissions(int nodes, const Knowledge& knowledge)
      : allowed(static_cast<std::size_t>(nodes), static_cast<std::size_t>(nodes), 1),
        required(knowledge.required) {
    for (int v = 0; v < nodes; ++v) allowed(v, v) = 0;
    // Asking Knowledge::forbids for every pair would read the whole list each time.
    Knowledge tiers;
    tiers.tier_of = knowledge.tier_of;
    tiers.closed_tiers = knowledge.closed_tiers;
    if (!tiers.tier_of.empty())
      for (int i = 0; i < nodes; ++i)
        for (int j = 0; j < nodes; ++j)
          if (tiers.forbids({i, j})) allowed(i, j) = 0;
    for (const Edge& edge : knowledge.forbidden) allowed(edge.source, edge.target) = 0;
    for (const Edge& edge : required) allowed(edge.target, edge.source) = 0;
    std::ranges::sort(required);
    required.erase(std::unique(required.begin(), required.end()), required.end());
  }
};

}  // namespace causcale
