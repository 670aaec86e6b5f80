// Least squares whose standard errors need neither equal variances nor a design of full rank.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace causcale {

using Column = std::vector<double>;

struct Interval {
  double low, high;
};

inline constexpr double kEffectLevel = 0.90;

// The t with P(|T| <= t) = kEffectLevel for Student's T; NaN without degrees of freedom.
double critical_value(double degrees);

// Of an estimate that is off by the mean of `influence`, asymptotically.
Interval interval_of(double estimate, std::span<const double> influence, double degrees);

double mean_of(std::span<const double> x);
double deviation_of(std::span<const double> x);  // divisor: the number of values

// A regression with intercept on fixed columns.
class LeastSquares {
 public:
  explicit LeastSquares(const std::vector<Column>& columns, std::size_t rows);

  std::size_t rows() const { return rows_; }
  double degrees() const { return static_cast<double>(rows_) - 1.0 - static_cast<double>(rank_); }
  // False where a column is constant or a combination of others, or where no row is left over for the error.
  bool estimable(std::size_t column) const { return estimable_[column]; }

  std::vector<double> coefficients(std::span<const double> y) const;
  Column residuals(std::span<const double> y) const;
  // Of the coefficient of one column: summands of rows * its error, residuals enlarged as in HC3. NaN where a
  // row has the coefficient to itself, so that its error cannot be seen.
  Column influence(std::size_t column, std::span<const double> residuals) const;

 private:
  double x(std::size_t row, std::size_t column) const { return standard_[column * rows_ + row]; }

  std::size_t rows_, columns_, rank_ = 0;
  std::vector<double> standard_;  // column-major, mean 0, variance 1
  std::vector<double> scale_;     // by which a column was divided; 0 for a constant
  std::vector<double> inverse_;   // pseudo-inverse of their correlations
  std::vector<double> leverage_;  // of every row, the intercept's share included
  std::vector<char> estimable_;
};

}  // namespace causcale
