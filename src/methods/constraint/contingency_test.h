// Independence of discrete variables: Pearson's chi-square and the likelihood ratio G2, summed over the
// strata that a conditioning set makes.
#pragma once

#include <memory>
#include <vector>

#include "causcale/matrix.h"
#include "methods/column_codes.h"
#include "methods/constraint/independence_test.h"

namespace causcale {

enum class ContingencyStatistic { kChiSquare, kLikelihoodRatio };

struct ContingencyValue {
  double statistic = 0.0;
  double degrees = 0.0;  // of freedom: (values of x - 1)(values of y - 1) of those that a stratum has, summed
  std::size_t rows = 0;  // that miss none of the values
  std::size_t strata = 0;
};

// The strength of dependence is z(p) / z(alpha), z(p) being the normal quantile of the two-sided p value; so
// it compares between tests of different degrees of freedom. Rows with a missing value among the variables of
// a test are left out of that test. Without any degree of freedom a set that leaves five rows per stratum or
// more determines x or y, and the question is undecidable; with fewer the rows are too few to show anything,
// which counts as independence.
class ContingencyTest final : public IndependenceTest {
 public:
  ContingencyTest(std::vector<CodedColumn> columns, ContingencyStatistic statistic, double alpha,
                  int threads = 1);

  int variables() const override { return static_cast<int>(columns_.size()); }
  int largest_set() const override { return variables(); }
  double strength(int x, int y, std::span<const int> given) const override;
  // Goes through the sets of one size as a tree whose branches share the strata of their members. Candidates
  // that depend most on both x and y come first.
  SubsetSearch search(int x, int y, const SubsetRequest& request) const override;

  ContingencyValue value(int x, int y, std::span<const int> given) const;

 private:
  friend class StrataBranches;  // the search
  double strength_of(const ContingencyValue& value, int x, int y) const;

  std::vector<CodedColumn> columns_;
  ContingencyStatistic statistic_;
  double critical_;
  std::size_t rows_ = 0;
  std::vector<double> n_log_n_;  // of all counts up to the number of rows
  Matrix<double> pairs_;         // strengths without a condition
};

}  // namespace causcale
