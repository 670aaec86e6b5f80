// Best order score search (Andrews et al. 2023), apart from tables and settings.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "causcale/graph.h"
#include "methods/edge_permissions.h"
#include "methods/score/local_score.h"

namespace causcale {

struct BossResult {
  Digraph dag;
  double score = 0.0;
  int sweeps = 0;
};

// Begins with a random order, a function of seed and `start`, that respects the required edges. Moves one
// node after the other to the place that gives the best score, until a sweep over all nodes moves none.
// `after_move` is called after each node with the number of the sweep and the share of it that is done.
BossResult boss_search(const LocalScore& score, const EdgePermissions& permissions, std::uint64_t seed,
                       std::uint32_t start, const std::function<void(int sweep, double share)>& after_move);

}  // namespace causcale
