#include "methods/dense_product.h"

#include <cmath>

#ifdef CAUSCALE_LAPACK
#include <cblas.h>
#include <lapacke.h>
#endif
#include <Eigen/Dense>

namespace causcale {

namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

}  // namespace

Matrix<double> dense_product(const Matrix<double>& a, const Matrix<double>& b) {
  Matrix<double> result(a.rows(), b.cols());
#ifdef CAUSCALE_LAPACK
  const int m = static_cast<int>(a.rows()), k = static_cast<int>(a.cols()), n = static_cast<int>(b.cols());
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1.0, a.data(), k, b.data(), n, 0.0,
              result.data(), n);
#else
  Eigen::Map<RowMajor>(result.data(), result.rows(), result.cols()).noalias() =
      Eigen::Map<const RowMajor>(a.data(), a.rows(), a.cols()) *
      Eigen::Map<const RowMajor>(b.data(), b.rows(), b.cols());
#endif
  return result;
}

bool invert_with_log_determinant(Matrix<double>& square, double& log_determinant) {
  const int n = static_cast<int>(square.rows());
  log_determinant = 0.0;
#ifdef CAUSCALE_LAPACK
  if (n >= 64) {
    // The inverse of the transpose is the transpose of the inverse, so the storage order does not matter.
    std::vector<int> pivots(n);
    if (LAPACKE_dgetrf(LAPACK_COL_MAJOR, n, n, square.data(), n, pivots.data()) != 0) return false;
    for (int i = 0; i < n; ++i) log_determinant += std::log(std::abs(square(i, i)));
    return LAPACKE_dgetri(LAPACK_COL_MAJOR, n, square.data(), n, pivots.data()) == 0;
  }
#endif
  Eigen::Map<RowMajor> view(square.data(), n, n);
  const Eigen::PartialPivLU<Eigen::MatrixXd> factor(view);
  for (int i = 0; i < n; ++i) {
    const double pivot = std::abs(factor.matrixLU()(i, i));
    if (!(pivot > 0.0)) return false;
    log_determinant += std::log(pivot);
  }
  view = factor.inverse();
  return true;
}

}  // namespace causcale
