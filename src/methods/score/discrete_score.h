// Scores of discrete variables by their conditional probability tables: the BIC, and the marginal likelihood
// under a uniform Dirichlet prior (BDeu; Heckerman, Geiger and Chickering 1995), with a prior of the graph in
// which every edge is as probable as expected parents per node make it. Without it, BDeu takes an edge for
// every rare value that happens to fall together with others. All of it scores Markov-equivalent graphs
// alike.
#pragma once

#include <vector>

#include "causcale/table.h"
#include "methods/column_codes.h"
#include "methods/score/local_score.h"

namespace causcale {

enum class DiscreteScoreKind { kBic, kBdeu };

// Rows in which a node was set by intervention are left out of its term. With missing values a term of the
// BIC is the mean log-likelihood of the rows that have the node and its parents, times the number of rows
// (node-average likelihood; Balov 2013); BDeu cannot do without them.
class DiscreteScore final : public CachedScore {
 public:
  // `weight`: the BIC's factor of log(m) / 2 per parameter, or BDeu's equivalent sample size.
  // `expected_parents`: of BDeu's prior of the graph; 0: all graphs are equally probable.
  DiscreteScore(std::vector<CodedColumn> columns, const Interventions& interventions, DiscreteScoreKind kind,
                double weight, double expected_parents = 0.0);

  int nodes() const override { return static_cast<int>(columns_.size()); }
  bool constant(int node) const override { return columns_[node].levels < 2; }
  double most_parents(int) const override { return nodes(); }

 protected:
  double compute(int target, const std::vector<int>& parents) const override;

 private:
  std::vector<CodedColumn> columns_;
  std::vector<std::vector<char>> set_;  // per node: rows in which it was set; empty: none
  DiscreteScoreKind kind_;
  double weight_;
  double per_edge_ = 0.0;  // log odds of an edge
  std::size_t rows_;
};

}  // namespace causcale
