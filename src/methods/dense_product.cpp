#include "methods/dense_product.h"

#include <algorithm>
#include <cmath>

#include "linalg/triangular.h"

namespace causcale {

Matrix<double> dense_product(const Matrix<double>& a, const Matrix<double>& b) {
  Matrix<double> result(a.rows(), b.cols());
  const auto m = static_cast<std::int64_t>(a.rows()), depth = static_cast<std::int64_t>(a.cols());
  const auto n = static_cast<std::int64_t>(b.cols());
  linalg::multiply({}, m, n, depth, 1.0, {a.data(), depth, 1}, {b.data(), n, 1}, result.data(), n, false);
  return result;
}

// P A = L U, so the inverse is U^-1 L^-1 P.
bool invert_with_log_determinant(Matrix<double>& square, double& log_determinant) {
  const linalg::Context context;
  const auto n = static_cast<std::int64_t>(square.rows());
  log_determinant = 0.0;
  std::vector<std::int64_t> pivots;
  if (!linalg::lu(context, n, square.data(), n, pivots)) return false;
  for (std::int64_t i = 0; i < n; ++i) log_determinant += std::log(std::abs(square(i, i)));
  const Matrix<double> lower = square;
  for (std::int64_t i = 1; i < n; ++i) std::fill_n(square.row(i).begin(), i, 0.0);
  linalg::invert_upper(context, n, square.data(), n);
  linalg::divide_by_unit_lower(context, n, n, lower.data(), n, square.data(), n);
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = n; j-- > 0;)
      if (pivots[j] != j) std::swap(square(i, j), square(i, pivots[j]));
  return true;
}

}  // namespace causcale
