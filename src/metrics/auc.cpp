#include "metrics/auc.h"

#include <limits>

#include "metrics/score_counts.h"

namespace causcale {

namespace {

template <class Scores>
double auc_of(const Scores& scores, const Digraph& truth) {
  const std::size_t n = truth.nodes();
  const std::size_t positives = truth.edge_count();
  const std::size_t negatives = n > 0 ? n * (n - 1) - positives : 0;
  if (positives == 0 || negatives == 0) return std::numeric_limits<double>::quiet_NaN();
  double wins = 0.0;
  for (const ScoreLevel& level : count_scores(scores, truth)) {
    const double below = static_cast<double>(negatives - level.above - level.tied);
    wins += static_cast<double>(level.positives) * (below + 0.5 * static_cast<double>(level.tied));
  }
  return wins / (static_cast<double>(positives) * static_cast<double>(negatives));
}

}  // namespace

double roc_auc(const Matrix<double>& scores, const Digraph& truth) {
  return auc_of(scores, truth);
}

double roc_auc(const SparseScores& scores, const Digraph& truth) {
  return auc_of(scores, truth);
}

}  // namespace causcale
