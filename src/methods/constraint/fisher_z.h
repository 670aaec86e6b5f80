// Fisher's z: independence as a vanishing partial correlation, for linear Gaussian data.
#pragma once

#include <cstddef>

#include "causcale/matrix.h"
#include "methods/constraint/independence_test.h"

namespace causcale {

// A variable that others explain up to this share of its variance counts as determined by them.
inline constexpr double kDeterminedVariance = 1e-9;

// The z with P(|Z| > z) = alpha for a standard normal Z.
double two_sided_normal_quantile(double alpha);

// The strength of dependence is |z| divided by its critical value at level alpha. Members of a conditioning
// set that the others determine add nothing and are passed over.
class FisherZ final : public IndependenceTest {
 public:
  // Unit diagonal; a constant variable has zeros in its row. At least 4 rows of data, alpha in (0, 1).
  FisherZ(Matrix<double> correlations, std::size_t rows, double alpha);

  int variables() const override { return static_cast<int>(correlations_.rows()); }
  int largest_set() const override { return static_cast<int>(rows_) - 4; }
  double strength(int x, int y, std::span<const int> given) const override;
  // Goes through the sets of one size as a tree: along a branch, candidates are made orthogonal to the
  // members chosen so far, so that a test costs a handful of operations on contiguous numbers. Within fresh
  // and other, the candidates that correlate most with x and y come first: they separate most often.
  SubsetSearch search(int x, int y, const SubsetRequest& request) const override;

  // NaN when the set determines x or y.
  double partial_correlation(int x, int y, std::span<const int> given) const;
  const Matrix<double>& correlations() const { return correlations_; }

 private:
  double strength_of(double correlation, std::size_t given) const;

  Matrix<double> correlations_;
  std::size_t rows_;
  double critical_;
};

}  // namespace causcale
