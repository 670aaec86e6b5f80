#include "prior/precision.h"

#include <algorithm>
#include <cmath>

#include "prior/dense_algebra.h"
#include "prior/shrinkage.h"

namespace causcale {

Matrix<double> pseudo_inverse(const Matrix<double>& symmetric) {
  const std::size_t n = symmetric.rows();
  SymmetricEigen eigen = symmetric_eigen(symmetric);
  double largest = 0.0;
  for (double value : eigen.values) largest = std::max(largest, std::abs(value));
  // Sum of v v^T / value over the kept pairs: the product W^T W of rows v / sqrt(|value|), negative values
  // apart.
  Matrix<double> result(n, n);
  for (const double sign : {1.0, -1.0}) {
    std::vector<double> scaled;
    std::size_t kept = 0;
    for (std::size_t k = 0; k < n; ++k) {
      const double value = sign * eigen.values[k];
      if (value <= kSmallestEigenvalue * largest) continue;
      for (double entry : eigen.vectors.row(k)) scaled.push_back(entry / std::sqrt(value));
      ++kept;
    }
    if (kept == 0) continue;
    const Matrix<double> part = gram(Matrix<double>(kept, n, std::move(scaled)));
    for (std::size_t i = 0; i < result.size(); ++i) result.values()[i] += sign * part.values()[i];
  }
  return result;
}

Matrix<double> positive_definite_inverse(const Matrix<double>& symmetric) {
  Matrix<double> result = symmetric;
  if (invert_positive_definite(result, kLeastCondition)) return result;
  return pseudo_inverse(symmetric);
}

Matrix<double> precision_prior(const Matrix<double>& values, const PriorOptions& options) {
  const std::size_t n = values.cols();
  const CentredMoments moments =
      centred_moments(CentredRows(values, options.rows, options.seed, options.scale));
  const bool shrink = options.method == PriorMethod::kLedoitWolf ||
                      (options.method == PriorMethod::kAuto && n >= kLedoitWolfFrom);
  if (n == 0) return {};
  if (shrink) return positive_definite_inverse(ledoit_wolf(moments).covariance);
  return pseudo_inverse(covariance(moments, static_cast<double>(moments.rows - 1)));
}

}  // namespace causcale
