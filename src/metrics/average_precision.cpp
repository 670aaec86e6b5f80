#include "metrics/average_precision.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "metrics/score_counts.h"

namespace causcale {

namespace {

double average_precision(const std::vector<ScoreLevel>& levels) {
  double sum = 0.0;
  std::size_t found = 0;
  for (const ScoreLevel& level : levels) {
    found += level.positives;
    const double precision =
        static_cast<double>(found) / static_cast<double>(found + level.above + level.tied);
    sum += static_cast<double>(level.positives) * precision;
  }
  return found == 0 ? std::numeric_limits<double>::quiet_NaN() : sum / static_cast<double>(found);
}

}  // namespace

double average_precision(const Matrix<double>& scores, const Digraph& truth) {
  return average_precision(count_scores(scores, truth));
}

double average_precision(const SparseScores& scores, const Digraph& truth) {
  return average_precision(count_scores(scores, truth));
}

double skeleton_average_precision(const Matrix<double>& scores, const Digraph& truth,
                                  const Matrix<double>& feedback) {
  // As if every pair were directed from the lower to the higher number.
  const std::size_t n = scores.rows();
  Matrix<double> pairs(n, n, -std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j)
      pairs(i, j) = scores(i, j) + scores(j, i) - (feedback.empty() ? 0.0 : feedback(i, j));
  std::vector<Edge> edges;
  for (const Edge& edge : truth.edges())
    edges.push_back({std::min(edge.source, edge.target), std::max(edge.source, edge.target)});
  std::ranges::sort(edges);
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return average_precision(pairs, Digraph(truth.nodes(), std::move(edges)));
}

}  // namespace causcale
