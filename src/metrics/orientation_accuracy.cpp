#include "metrics/orientation_accuracy.h"

#include <limits>

namespace causcale {

namespace {

template <class ScoreOf>
double accuracy(const Digraph& truth, const ScoreOf& score) {
  if (truth.edge_count() == 0) return std::numeric_limits<double>::quiet_NaN();
  std::size_t right = 0;
  for (const auto& [source, target] : truth.edges()) right += score(source, target) > score(target, source);
  return static_cast<double>(right) / static_cast<double>(truth.edge_count());
}

}  // namespace

double orientation_accuracy(const Matrix<double>& scores, const Digraph& truth) {
  return accuracy(truth, [&](int i, int j) { return scores(i, j); });
}

double orientation_accuracy(const SparseScores& scores, const Digraph& truth) {
  return accuracy(truth, [&](int i, int j) { return scores.at(i, j); });
}

}  // namespace causcale
