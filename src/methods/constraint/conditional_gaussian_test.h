// Independence in mixed tables by conditional Gaussian models: the likelihood ratio of Andrews, Ramsey and
// Cooper (2018), in which every combination of discrete values has a regression of its own.
#pragma once

#include "causcale/matrix.h"
#include "methods/constraint/independence_test.h"
#include "methods/mixed_moments.h"

namespace causcale {

struct MixedValue {
  double statistic = 0.0;
  double degrees = 0.0;
  double rows = 0.0;
  bool determined = false;  // x or y, by the set, for most of the rows
};

// The strength of dependence is z(p) / z(alpha). Combinations of values with fewer than five rows for every
// continuous variable of the test and one more are left out of it; degrees of freedom are those of the
// combinations that stay. Rows with a missing value among the variables of a test are left out of that test.
class ConditionalGaussianTest final : public IndependenceTest {
 public:
  ConditionalGaussianTest(MixedColumns columns, double alpha, int threads = 1);

  int variables() const override { return static_cast<int>(columns_.discrete.size()); }
  int largest_set() const override { return variables(); }
  double strength(int x, int y, std::span<const int> given) const override;
  MixedValue value(int x, int y, std::span<const int> given) const;

 protected:
  double relevance(int x, int y, int candidate) const override;

 private:
  double strength_of(const MixedValue& value) const;

  MixedColumns columns_;
  double critical_;
  Matrix<double> pairs_;  // strengths without a condition
};

}  // namespace causcale
