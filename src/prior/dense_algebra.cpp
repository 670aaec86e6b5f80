#include "prior/dense_algebra.h"

#include <algorithm>
#include <cmath>

#include "linalg/eigen.h"
#include "linalg/triangular.h"

namespace causcale {

namespace {

// Block by block, as a walk down the columns of a large matrix misses the cache at every step.
void mirror_upper(Matrix<double>& matrix) {
  constexpr std::size_t kBlock = 32;
  const std::size_t n = matrix.rows();
  for (std::size_t top = 0; top < n; top += kBlock)
    for (std::size_t left = top; left < n; left += kBlock)
      for (std::size_t i = top; i < std::min(top + kBlock, n); ++i)
        for (std::size_t j = std::max(left, i + 1); j < std::min(left + kBlock, n); ++j)
          matrix(j, i) = matrix(i, j);
}

// The largest sum of absolute values of a row of a symmetric matrix; not a number if an entry is none.
double norm(const Matrix<double>& symmetric) {
  double result = 0.0;
  for (std::size_t i = 0; i < symmetric.rows(); ++i) {
    double sum = 0.0;
    for (const double value : symmetric.row(i)) sum += std::abs(value);
    if (std::isnan(sum)) return sum;
    result = std::max(result, sum);
  }
  return result;
}

}  // namespace

Matrix<double> gram(const Matrix<double>& x) {
  const auto m = static_cast<std::int64_t>(x.rows()), n = static_cast<std::int64_t>(x.cols());
  Matrix<double> result(x.cols(), x.cols());
  linalg::multiply({}, n, n, m, 1.0, {x.data(), 1, n}, {x.data(), n, 1}, result.data(), n, false,
                   linalg::Part::kUpper);
  mirror_upper(result);
  return result;
}

SymmetricEigen symmetric_eigen(const Matrix<double>& symmetric) {
  linalg::Eigenpairs pairs = linalg::symmetric_eigenpairs({}, symmetric);
  return {std::move(pairs.values), std::move(pairs.vectors)};
}

// With A = U^T U the inverse is U^-1 U^-T.
bool invert_positive_definite(Matrix<double>& symmetric, double least_condition) {
  const linalg::Context context;
  const auto n = static_cast<std::int64_t>(symmetric.rows());
  const double norm_before = norm(symmetric);
  if (!linalg::cholesky(context, n, symmetric.data(), n)) return false;
  linalg::invert_upper(context, n, symmetric.data(), n);
  linalg::square_upper(context, n, symmetric.data(), n);
  mirror_upper(symmetric);
  return 1.0 >= least_condition * norm_before * norm(symmetric);
}

}  // namespace causcale
