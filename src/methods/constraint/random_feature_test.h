// Independence of whatever form by random features: x and y are mapped to a few random cosines, what the
// cosines of the conditioning set explain is taken out, and the covariance of the rests is judged. The
// approximation to the kernel test of Zhang et al. (2011) that Strobl, Zhang and Visweswaran (2019) call
// RCoT. Time grows linearly with the rows.
#pragma once

#include <cstdint>
#include <vector>

#include "causcale/table.h"
#include "methods/constraint/independence_test.h"
#include "methods/widened_columns.h"

namespace causcale {

// Features are a function of the seed and the number of a column. The strength of dependence is
// z(p) / z(alpha); p comes from a gamma distribution with the first three cumulants of the statistic under
// independence (Hall, Buckley and Eagleson). Rows with a missing value among the variables of a test are left
// out of that test.
class RandomFeatureTest final : public IndependenceTest {
 public:
  // The columns as widened_columns() makes them: discrete ones as indicators.
  RandomFeatureTest(WidenedColumns columns, double alpha, std::uint64_t seed);

  int variables() const override { return static_cast<int>(columns_.blocks.size()); }
  int largest_set() const override { return variables(); }
  double strength(int x, int y, std::span<const int> given) const override;

 protected:
  double relevance(int x, int y, int candidate) const override;

 private:
  double log_p(int x, int y, std::span<const int> given) const;

  WidenedColumns columns_;
  double critical_;
  std::uint64_t seed_;
  Matrix<double> correlations_;
};

}  // namespace causcale
