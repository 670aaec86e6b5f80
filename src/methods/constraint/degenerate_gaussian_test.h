// Independence in mixed tables by a degenerate Gaussian: discrete columns as indicators, all of them taken as
// jointly Gaussian (Andrews, Ramsey and Cooper 2019). With continuous columns alone this is Fisher's z, and
// with missing values Fisher's z with test-wise deletion.
#pragma once

#include "causcale/matrix.h"
#include "methods/constraint/independence_test.h"
#include "methods/widened_columns.h"

namespace causcale {

// The likelihood ratio of two blocks of columns given others has width of x times width of y degrees of
// freedom, less what the others determine, with Bartlett's correction; Fisher's z where both are one column.
// The strength is z(p) / z(alpha). With missing values every test uses the rows that have all its variables.
class DegenerateGaussianTest final : public IndependenceTest {
 public:
  DegenerateGaussianTest(WidenedColumns columns, double alpha);

  int variables() const override { return static_cast<int>(columns_.blocks.size()); }
  int largest_set() const override;
  double strength(int x, int y, std::span<const int> given) const override;

 protected:
  double relevance(int x, int y, int candidate) const override;

 private:
  WidenedColumns columns_;
  double critical_;
  std::size_t rows_;
  Matrix<double> correlations_;  // pairwise where values are missing: then for relevance alone
};

}  // namespace causcale
