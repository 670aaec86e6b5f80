// Edges by score.
#pragma once

#include <vector>

#include "causcale/graph.h"

namespace causcale {

// Highest score first; equal scores keep the order in which they stand.
void sort_by_score(std::vector<ScoredEdge>& edges);

// The first `count` of ranked_edges(probabilities, least), without a list of all the others.
std::vector<ScoredEdge> surest_edges(const Matrix<double>& probabilities, std::size_t count,
                                     double least = 0.0);

}  // namespace causcale
