// How good the second stage is, beside the network alone.
#include <algorithm>
#include <cmath>

#include "discover/stacking/fit_stacking.h"
#include "metrics/average_precision.h"
#include "metrics/calibration.h"

namespace causcale {
namespace {

Digraph graph_of(const Matrix<std::uint8_t>& adjacency) {
  const int n = static_cast<int>(adjacency.rows());
  std::vector<Edge> edges;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      if (adjacency(static_cast<std::size_t>(i), static_cast<std::size_t>(j)) != 0) edges.push_back({i, j});
  return Digraph(n, std::move(edges));
}

double class_probability(const Matrix<double>& p, double both, bool forward, bool reverse, std::size_t i,
                         std::size_t j) {
  if (forward && reverse) return both;
  if (forward) return p(i, j) - both;
  if (reverse) return p(j, i) - both;
  return 1.0 - p(i, j) - p(j, i) + both;
}

}  // namespace

StackingScore stacking_score(std::span<const StackingExample> examples, const StackedModel* model,
                             int threads) {
  StackingScore score;
  std::vector<double> probabilities;
  std::vector<unsigned char> truth;
  double with_edges = 0.0, pairs = 0.0;
  for (const StackingExample& example : examples) {
    const std::size_t n = example.statistics.columns;
    StackedAnswer answer{example.network.edges, example.network.feedback, example.network.confounded};
    if (answer.feedback.empty()) answer.feedback = Matrix<double>(n, n);
    if (model != nullptr) answer = model->answer(example.statistics, example.network, threads);
    const Digraph graph = graph_of(example.adjacency);
    const Matrix<double>& p = answer.probabilities;
    if (!graph.edges().empty()) {
      with_edges += 1.0;
      score.average_precision += average_precision(p, graph);
      score.skeleton_precision += skeleton_average_precision(p, graph, answer.feedback);
    }
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        if (i == j) continue;
        probabilities.push_back(std::clamp(p(i, j), 0.0, 1.0));
        truth.push_back(example.adjacency(i, j));
        if (i > j) continue;
        pairs += 1.0;
        const double right = class_probability(p, answer.feedback(i, j), example.adjacency(i, j) != 0,
                                               example.adjacency(j, i) != 0, i, j);
        score.loss -= std::log(std::max(1e-5, right));
      }
  }
  score.tables = examples.size();
  if (with_edges > 0.0) {
    score.average_precision /= with_edges;
    score.skeleton_precision /= with_edges;
  }
  if (pairs > 0.0) {
    score.loss /= pairs;
    score.calibration_error = calibration(probabilities, truth).expected_error;
  }
  return score;
}

}  // namespace causcale
