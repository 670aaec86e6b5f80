#include "metrics/average_precision.h"

#include <limits>

#include "metrics/score_counts.h"

namespace causcale {

double average_precision(const Matrix<double>& scores, const Digraph& truth) {
  if (truth.edge_count() == 0) return std::numeric_limits<double>::quiet_NaN();
  double sum = 0.0;
  std::size_t found = 0;
  for (const ScoreLevel& level : count_scores(scores, truth)) {
    found += level.positives;
    const double precision =
        static_cast<double>(found) / static_cast<double>(found + level.above + level.tied);
    sum += static_cast<double>(level.positives) * precision;
  }
  return sum / static_cast<double>(truth.edge_count());
}

}  // namespace causcale
