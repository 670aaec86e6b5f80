#include "metrics/score_counts.h"

#include <algorithm>
#include <functional>

namespace causcale {

std::vector<ScoreLevel> count_scores(const Matrix<double>& scores, const Digraph& truth) {
  std::vector<double> positive;
  positive.reserve(truth.edge_count());
  for (const auto& [source, target] : truth.edges()) positive.push_back(scores(source, target));
  std::sort(positive.begin(), positive.end(), std::greater<>());
  std::vector<ScoreLevel> levels;
  std::vector<double> distinct;
  for (double score : positive) {
    if (distinct.empty() || distinct.back() != score) {
      distinct.push_back(score);
      levels.push_back({score, 0, 0, 0});
    }
    ++levels.back().positives;
  }

  // first_above[k]: other pairs that score above level k but not above level k - 1.
  std::vector<std::size_t> first_above(levels.size() + 1, 0);
  for (int i = 0; i < truth.nodes(); ++i) {
    auto child = truth.children(i).begin();
    const auto last_child = truth.children(i).end();
    for (int j = 0; j < truth.nodes(); ++j) {
      if (child != last_child && *child == j) {
        ++child;
        continue;
      }
      if (i == j) continue;
      const double score = scores(i, j);
      // The first level at or below this score.
      const std::size_t level =
          std::lower_bound(distinct.begin(), distinct.end(), score, std::greater<>()) - distinct.begin();
      if (level < levels.size() && distinct[level] == score) {
        ++levels[level].tied;
        ++first_above[level + 1];
      } else {
        ++first_above[level];
      }
    }
  }
  std::size_t above = 0;
  for (std::size_t k = 0; k < levels.size(); ++k) levels[k].above = above += first_above[k];
  return levels;
}

}  // namespace causcale
