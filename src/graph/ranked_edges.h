// Edges by score.
#pragma once

#include <vector>

#include "causcale/graph.h"

namespace causcale {

// Highest score first; equal scores keep the order in which they stand.
void sort_by_score(std::vector<ScoredEdge>& edges);

}  // namespace causcale
