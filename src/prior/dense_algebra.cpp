#include "prior/dense_algebra.h"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/Eigenvalues>

#include "causcale/error.h"

#ifdef CAUSCALE_LAPACK
#include <cblas.h>
#include <lapacke.h>
#endif

namespace causcale {

namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

void mirror_upper(Matrix<double>& matrix) {
  for (std::size_t i = 0; i < matrix.rows(); ++i)
    for (std::size_t j = i + 1; j < matrix.cols(); ++j) matrix(j, i) = matrix(i, j);
}

#ifdef CAUSCALE_LAPACK

constexpr std::size_t kLapackFrom =
    400;  // variables; below, Eigen takes a few hundredths of a second at most

Matrix<double> lapack_gram(const Matrix<double>& x) {
  const int m = static_cast<int>(x.rows()), n = static_cast<int>(x.cols());
  Matrix<double> result(n, n);
  cblas_dsyrk(CblasRowMajor, CblasUpper, CblasTrans, n, m, 1.0, x.data(), n, 0.0, result.data(), n);
  mirror_upper(result);
  return result;
}

// Row-major storage read by column-major routines is the transpose: for a symmetric matrix that is the matrix
// itself, their lower triangle being our upper one and their columns our rows.
SymmetricEigen lapack_eigen(const Matrix<double>& symmetric) {
  const int n = static_cast<int>(symmetric.rows());
  SymmetricEigen result{std::vector<double>(n), symmetric};
  const int info =
      LAPACKE_dsyevd(LAPACK_COL_MAJOR, 'V', 'L', n, result.vectors.data(), n, result.values.data());
  if (info != 0) throw Error(fmt::format("eigenvalue decomposition failed (dsyevd returned {})", info));
  return result;
}

bool lapack_invert(Matrix<double>& symmetric, double least_condition) {
  const int n = static_cast<int>(symmetric.rows());
  double* a = symmetric.data();
  const double norm = LAPACKE_dlansy(LAPACK_COL_MAJOR, '1', 'L', n, a, n);
  if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', n, a, n) != 0) return false;
  double condition = 0.0;
  LAPACKE_dpocon(LAPACK_COL_MAJOR, 'L', n, a, n, norm, &condition);
  if (!(condition >= least_condition)) return false;
  if (LAPACKE_dpotri(LAPACK_COL_MAJOR, 'L', n, a, n) != 0) return false;
  mirror_upper(symmetric);
  return true;
}

#endif

}  // namespace

Matrix<double> gram(const Matrix<double>& x) {
#ifdef CAUSCALE_LAPACK
  if (x.cols() >= kLapackFrom) return lapack_gram(x);
#endif
  const Eigen::Map<const RowMajor> view(x.data(), x.rows(), x.cols());
  Matrix<double> result(x.cols(), x.cols());
  Eigen::Map<RowMajor> out(result.data(), result.rows(), result.cols());
  out.selfadjointView<Eigen::Upper>().rankUpdate(view.transpose());
  mirror_upper(result);
  return result;
}

SymmetricEigen symmetric_eigen(const Matrix<double>& symmetric) {
#ifdef CAUSCALE_LAPACK
  if (symmetric.cols() >= kLapackFrom) return lapack_eigen(symmetric);
#endif
  const std::size_t n = symmetric.rows();
  const Eigen::Map<const RowMajor> view(symmetric.data(), n, n);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(view);
  if (solver.info() != Eigen::Success) throw Error("eigenvalue decomposition failed");
  SymmetricEigen result;
  result.values.assign(solver.eigenvalues().begin(), solver.eigenvalues().end());
  result.vectors = Matrix<double>(n, n);
  Eigen::Map<RowMajor>(result.vectors.data(), n, n) = solver.eigenvectors().transpose();
  return result;
}

bool invert_positive_definite(Matrix<double>& symmetric, double least_condition) {
#ifdef CAUSCALE_LAPACK
  if (symmetric.cols() >= kLapackFrom) return lapack_invert(symmetric, least_condition);
#endif
  Eigen::Map<RowMajor> view(symmetric.data(), symmetric.rows(), symmetric.cols());
  const Eigen::LLT<Eigen::MatrixXd> factor(view);
  if (factor.info() != Eigen::Success || !(factor.rcond() >= least_condition)) return false;
  view = factor.solve(Eigen::MatrixXd::Identity(view.rows(), view.cols()));
  mirror_upper(symmetric);
  return true;
}

}  // namespace causcale
