#include "metrics/score_counts.h"

#include <algorithm>
#include <functional>

namespace causcale {
namespace {

// Counts other pairs against the distinct scores of the true edges.
class LevelCounter {
 public:
  explicit LevelCounter(std::vector<double> positive) {
    std::sort(positive.begin(), positive.end(), std::greater<>());
    for (double score : positive) {
      if (distinct_.empty() || distinct_.back() != score) {
        distinct_.push_back(score);
        levels_.push_back({score, 0, 0, 0});
      }
      ++levels_.back().positives;
    }
    first_above_.assign(levels_.size() + 1, 0);
  }

  // So many other pairs of this score.
  void add(double score, std::size_t pairs) {
    // The first level at or below this score.
    const std::size_t level =
        std::lower_bound(distinct_.begin(), distinct_.end(), score, std::greater<>()) - distinct_.begin();
    if (level < levels_.size() && distinct_[level] == score) {
      levels_[level].tied += pairs;
      first_above_[level + 1] += pairs;
    } else {
      first_above_[level] += pairs;
    }
  }

  std::vector<ScoreLevel> finish() {
    std::size_t above = 0;
    for (std::size_t k = 0; k < levels_.size(); ++k) levels_[k].above = above += first_above_[k];
    return std::move(levels_);
  }

 private:
  std::vector<ScoreLevel> levels_;
  std::vector<double> distinct_;
  std::vector<std::size_t> first_above_;  // [k]: other pairs above level k but not above level k - 1
};

}  // namespace

std::vector<ScoreLevel> count_scores(const Matrix<double>& scores, const Digraph& truth) {
  std::vector<double> positive;
  positive.reserve(truth.edge_count());
  for (const auto& [source, target] : truth.edges()) positive.push_back(scores(source, target));
  LevelCounter counter(std::move(positive));
  for (int i = 0; i < truth.nodes(); ++i) {
    auto child = truth.children(i).begin();
    const auto last_child = truth.children(i).end();
    for (int j = 0; j < truth.nodes(); ++j) {
      if (child != last_child && *child == j)
        ++child;
      else if (i != j)
        counter.add(scores(i, j), 1);
    }
  }
  return counter.finish();
}

std::vector<ScoreLevel> count_scores(const SparseScores& scores, const Digraph& truth) {
  LevelCounter counter(scores_of_edges(scores, truth));
  const auto n = static_cast<std::size_t>(truth.nodes());
  std::size_t without_entry = n * (n - (n > 0)) - truth.edge_count();
  for (const auto& [edge, score] : scores.entries) {
    if (truth.has_edge(edge.source, edge.target)) continue;
    counter.add(score, 1);
    --without_entry;
  }
  counter.add(0.0, without_entry);
  return counter.finish();
}

}  // namespace causcale
