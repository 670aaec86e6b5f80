#include "graph/ranked_edges.h"

#include <algorithm>

namespace causcale {

void sort_by_score(std::vector<ScoredEdge>& edges) {
  std::stable_sort(edges.begin(), edges.end(),
                   [](const ScoredEdge& a, const ScoredEdge& b) { return a.score > b.score; });
}

std::vector<ScoredEdge> surest_edges(const Matrix<double>& probabilities, std::size_t count, double least) {
  const auto before = [](const ScoredEdge& a, const ScoredEdge& b) {
    return a.score != b.score ? a.score > b.score : a.edge < b.edge;
  };
  // Twice as many are collected before the worse half goes, so that a pass over all pairs stays linear.
  std::vector<ScoredEdge> best;
  const auto thin_out = [&] {
    if (best.size() <= count) return;
    std::ranges::nth_element(best, best.begin() + static_cast<std::ptrdiff_t>(count), before);
    best.resize(count);
  };
  const int n = static_cast<int>(probabilities.rows());
  const std::size_t room = 2 * std::min<std::size_t>(count, std::size_t{1} << 40) + 1024;
  double bar = least;  // what does not exceed it cannot be among the best
  for (int i = 0; count > 0 && i < n; ++i)
    for (int j = 0; j < n; ++j) {
      if (i == j || !(probabilities(i, j) > bar)) continue;
      best.push_back({{i, j}, probabilities(i, j)});
      if (best.size() < room) continue;
      thin_out();
      // Later pairs of an equal score rank behind all that are there.
      for (bar = best.front().score; const ScoredEdge& entry : best) bar = std::min(bar, entry.score);
    }
  thin_out();
  std::ranges::sort(best, before);
  return best;
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
