#include "metrics/precision_recall.h"

#include <limits>

namespace causcale {

namespace {

double ratio(std::size_t part, std::size_t whole) {
  if (whole == 0) return std::numeric_limits<double>::quiet_NaN();
  return static_cast<double>(part) / static_cast<double>(whole);
}

bool joined(const Digraph& graph, const Edge& edge) {
  return graph.has_edge(edge.source, edge.target) || graph.has_edge(edge.target, edge.source);
}

// Counts a pair that is joined both ways once: at its ascending edge.
bool counts_as_pair(const Digraph& graph, const Edge& edge) {
  return edge.source < edge.target || !graph.has_edge(edge.target, edge.source);
}

}  // namespace

double PrecisionRecall::precision() const {
  return ratio(true_positives, true_positives + false_positives);
}
double PrecisionRecall::recall() const {
  return ratio(true_positives, true_positives + false_negatives);
}
double PrecisionRecall::f1() const {
  return ratio(2 * true_positives, 2 * true_positives + false_positives + false_negatives);
}

PrecisionRecall skeleton_precision_recall(const Digraph& truth, const Digraph& guess) {
  PrecisionRecall result;
  for (const Edge& edge : guess.edges()) {
    if (!counts_as_pair(guess, edge)) continue;
    ++(joined(truth, edge) ? result.true_positives : result.false_positives);
  }
  for (const Edge& edge : truth.edges())
    if (counts_as_pair(truth, edge) && !joined(guess, edge)) ++result.false_negatives;
  return result;
}

PrecisionRecall direction_precision_recall(const Digraph& truth, const Digraph& guess) {
  PrecisionRecall result;
  for (const auto& [source, target] : guess.edges())
    ++(truth.has_edge(source, target) ? result.true_positives : result.false_positives);
  result.false_negatives = truth.edge_count() - result.true_positives;
  return result;
}

}  // namespace causcale
