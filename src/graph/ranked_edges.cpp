#include "graph/ranked_edges.h"

#include <algorithm>

namespace causcale {

void sort_by_score(std::vector<ScoredEdge>& edges) {
  std::stable_sort(edges.begin(), edges.end(),
                   [](const ScoredEdge& a, const ScoredEdge& b) { return a.score > b.score; });
}

std::vector<ScoredEdge> ranked_edges(const Matrix<double>& probabilities, double least) {
  std::vector<ScoredEdge> result;
  const int n = static_cast<int>(probabilities.rows());
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (i != j && probabilities(i, j) > least) result.push_back({{i, j}, probabilities(i, j)});
  sort_by_score(result);
  return result;
}

}  // namespace causcale
