// Scores of mixed tables: BICs of conditional Gaussian models and of degenerate Gaussian ones. Both are
// differences of a function of sets of variables, that of a node with its parents less that of the parents,
// so that Markov-equivalent graphs score alike.
#pragma once

#include <vector>

#include "causcale/matrix.h"
#include "methods/mixed_moments.h"
#include "methods/score/local_score.h"
#include "methods/widened_columns.h"

namespace causcale {

// Andrews, Ramsey and Cooper (2018). Combinations of discrete values with too few rows for a covariance of
// their own take that of the whole table. Rows in which a node was set by intervention are left out of its
// term; with missing values a term is the mean over the rows that have all of its variables, times the rows.
class ConditionalGaussianScore final : public CachedScore {
 public:
  ConditionalGaussianScore(MixedColumns columns, const Interventions& interventions, double penalty);

  int nodes() const override { return static_cast<int>(columns_.discrete.size()); }
  bool constant(int node) const override { return columns_.constant(node); }
  double most_parents(int) const override { return nodes(); }

 protected:
  double compute(int target, const std::vector<int>& parents) const override;

 private:
  struct SetScore {
    double likelihood = 0.0, parameters = 0.0;
  };
  SetScore set_score(const std::vector<CellMoments>& cells, const MixedMembers& members,
                     double combinations) const;

  MixedColumns columns_;
  std::vector<std::vector<char>> set_;
  double penalty_;
};

// Andrews, Ramsey and Cooper (2019): indicators of discrete values and continuous columns together are taken
// as Gaussian. With missing values covariances are over the rows that a pair of columns has.
class DegenerateGaussianScore final : public CachedScore {
 public:
  // Throws InputError with both missing values and interventions.
  DegenerateGaussianScore(WidenedColumns columns, const Interventions& interventions, double penalty);

  int nodes() const override { return static_cast<int>(blocks_.size()); }
  bool constant(int node) const override { return blocks_[node].width == 0; }
  double most_parents(int target) const override;

 protected:
  double compute(int target, const std::vector<int>& parents) const override;

 private:
  std::vector<ColumnBlock> blocks_;
  Matrix<double> covariances_;
  std::vector<Matrix<double>> own_;  // per node that was intervened on; empty: covariances_
  std::vector<double> rows_;         // per node
  double penalty_;
};

}  // namespace causcale
