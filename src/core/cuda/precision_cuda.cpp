#include "core/cuda/precision.h"

#include <cublas_v2.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "causcale/error.h"
#include "core/cuda/check.h"
#include "core/cuda/device_memory.h"
#include "core/cuda/prior_kernels.h"
#include "core/cuda/solver.h"
#include "prior/covariance.h"
#include "prior/precision.h"

namespace causcale::cuda {
namespace {

constexpr std::int64_t kDouble = sizeof(double);

class SolverHandle {
 public:
  explicit SolverHandle(cudaStream_t stream) : functions(*find_solver()) {
    check(functions.create(&handle), "cusolverDnCreate");
    functions.set_stream(handle, stream);
  }
  ~SolverHandle() { functions.destroy(handle); }
  SolverHandle(const SolverHandle&) = delete;
  SolverHandle& operator=(const SolverHandle&) = delete;

  const Solver& functions;
  cusolverDnHandle_t handle = nullptr;
};

// The symmetric matrices and vectors of one prior, in double precision.
class Precision {
 public:
  Precision(std::int64_t m, std::int64_t n, const Queue& queue)
      : m_(m),
        n_(n),
        queue_(queue),
        solver_(queue.stream()),
        values_(m * n * kDouble),
        symmetric_(n * n * kDouble),
        result_(n * n * kDouble),
        sums_(std::max(m, n) * kDouble),
        info_(sizeof(int)) {}

  Matrix<float> run(const Matrix<double>& centred) {
    check(cudaMemcpyAsync(values(), centred.data(), static_cast<std::size_t>(m_ * n_ * kDouble),
                          cudaMemcpyHostToDevice, stream()),
          "copying a table to the GPU");
    products();
    const auto count = static_cast<double>(m_);
    const bool shrinks = static_cast<std::size_t>(n_) >= kLedoitWolfFrom;
    if (shrinks)
      shrink(count);
    else
      scaled(symmetric(), 1.0 / (count - 1.0), 0.0, symmetric(), n_, stream());
    invert(shrinks ? kLeastCondition : kSmallestEigenvalue);
    std::vector<double> found(static_cast<std::size_t>(n_ * n_));
    check(cudaMemcpyAsync(found.data(), result(), found.size() * sizeof(double), cudaMemcpyDeviceToHost,
                          stream()),
          "copying a prior from the GPU");
    queue_.wait();
    const auto size = static_cast<std::size_t>(n_);
    return Matrix<float>(size, size, std::vector<float>(found.begin(), found.end()));
  }

 private:
  cudaStream_t stream() const { return queue_.stream(); }
  static double* doubles(const DeviceBlock& block) { return reinterpret_cast<double*>(block.data()); }
  double* values() const { return doubles(values_); }
  double* symmetric() const { return doubles(symmetric_); }
  double* result() const { return doubles(result_); }
  double* sums() const { return doubles(sums_); }
  int* info() const { return reinterpret_cast<int*>(info_.data()); }
  int size() const { return static_cast<int>(n_); }

  // symmetric = X^T X. To cuBLAS our X [m, n] is the matrix [n, m] of its columns.
  void products() {
    const double one = 1.0, zero = 0.0;
    check(cublasDsyrk(queue_.blas(), CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, size(), static_cast<int>(m_), &one,
                      values(), size(), &zero, symmetric(), size()),
          "cublasDsyrk");
    mirror_triangle(symmetric(), n_, stream());
  }

  // As ledoit_wolf() does; the covariance with divisor m takes the products' place.
  void shrink(double count) {
    scaled(symmetric(), 1.0 / count, 0.0, symmetric(), n_, stream());
    double trace = 0.0, size_of_all = 0.0, fourth = 0.0;
    check(cublasDasum(queue_.blas(), size(), symmetric(), size() + 1, &trace), "cublasDasum");
    check(cublasDnrm2_64(queue_.blas(), n_ * n_, symmetric(), 1, &size_of_all), "cublasDnrm2");
    row_squares(values(), sums(), m_, n_, stream());
    check(cublasDnrm2(queue_.blas(), static_cast<int>(m_), sums(), 1, &fourth), "cublasDnrm2");
    const double squares = size_of_all * size_of_all, mean_fourth = fourth * fourth / count;
    const double mean_variance = trace / static_cast<double>(n_);
    const double dispersion = squares - mean_variance * trace;
    const double shrinkage =
        dispersion > 0 ? std::clamp((mean_fourth - squares) / count / dispersion, 0.0, 1.0) : 0.0;
    scaled(symmetric(), 1.0 - shrinkage, shrinkage * mean_variance, symmetric(), n_, stream());
  }

  double one_norm(const double* matrix) {
    absolute_row_sums(matrix, sums(), n_, stream());
    int place = 1;
    check(cublasIdamax(queue_.blas(), size(), sums(), 1, &place), "cublasIdamax");
    double norm = 0.0;
    check(cudaMemcpyAsync(&norm, sums() + std::clamp(place, 1, size()) - 1, sizeof norm,
                          cudaMemcpyDeviceToHost, stream()),
          "cudaMemcpyAsync");
    queue_.wait();
    return norm;
  }

  int found_info() {
    int found = 0;
    check(cudaMemcpyAsync(&found, info(), sizeof found, cudaMemcpyDeviceToHost, stream()), "cudaMemcpyAsync");
    queue_.wait();
    return found;
  }

  // By Cholesky, or by eigenvalues where the condition is worse than the limit: the product of the norms
  // bounds the ratio of the extreme eigenvalues, so a matrix that passes would have dropped none.
  void invert(double least_condition) {
    const double norm = one_norm(symmetric());
    if (by_cholesky()) {
      const double condition = 1.0 / (norm * one_norm(result()));
      if (condition >= least_condition) return;
    }
    by_eigenvalues();
  }

  bool by_cholesky() {
    copy(symmetric(), result());
    int factor_size = 0, inverse_size = 0;
    check(solver_.functions.potrf_size(solver_.handle, CUBLAS_FILL_MODE_LOWER, size(), result(), size(),
                                       &factor_size),
          "cusolverDnDpotrf_bufferSize");
    check(solver_.functions.potri_size(solver_.handle, CUBLAS_FILL_MODE_LOWER, size(), result(), size(),
                                       &inverse_size),
          "cusolverDnDpotri_bufferSize");
    const int room = std::max(factor_size, inverse_size);
    const DeviceBlock work(std::int64_t{std::max(1, room)} * kDouble);
    check(solver_.functions.potrf(solver_.handle, CUBLAS_FILL_MODE_LOWER, size(), result(), size(),
                                  doubles(work), room, info()),
          "cusolverDnDpotrf");
    if (found_info() != 0) return false;
    check(solver_.functions.potri(solver_.handle, CUBLAS_FILL_MODE_LOWER, size(), result(), size(),
                                  doubles(work), room, info()),
          "cusolverDnDpotri");
    if (found_info() != 0) return false;
    mirror_triangle(result(), n_, stream());
    return true;
  }

  // As pseudo_inverse(): sum over the kept eigenvalues of v v^T / value.
  void by_eigenvalues() {
    const DeviceBlock vectors(n_ * n_ * kDouble), scaled_vectors(n_ * n_ * kDouble), spectrum(n_ * kDouble);
    copy(symmetric(), doubles(vectors));
    int room = 0;
    check(solver_.functions.syevd_size(solver_.handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER,
                                       size(), doubles(vectors), size(), doubles(spectrum), &room),
          "cusolverDnDsyevd_bufferSize");
    const DeviceBlock work(std::int64_t{std::max(1, room)} * kDouble);
    check(solver_.functions.syevd(solver_.handle, CUSOLVER_EIG_MODE_VECTOR, CUBLAS_FILL_MODE_LOWER, size(),
                                  doubles(vectors), size(), doubles(spectrum), doubles(work), room, info()),
          "cusolverDnDsyevd");
    if (found_info() != 0) throw Error("cuSOLVER found no eigenvalues of the covariance matrix");
    std::vector<double> found(static_cast<std::size_t>(n_));
    check(cudaMemcpyAsync(found.data(), doubles(spectrum), found.size() * sizeof(double),
                          cudaMemcpyDeviceToHost, stream()),
          "cudaMemcpyAsync");
    queue_.wait();
    double largest = 0.0;
    for (const double value : found) largest = std::max(largest, std::abs(value));
    for (double& value : found) value = std::abs(value) <= kSmallestEigenvalue * largest ? 0.0 : 1.0 / value;
    check(cudaMemcpyAsync(doubles(spectrum), found.data(), found.size() * sizeof(double),
                          cudaMemcpyHostToDevice, stream()),
          "cudaMemcpyAsync");
    // A column of cuSOLVER's is a row to us: vector k of n numbers one after the other.
    scaled_rows(doubles(vectors), doubles(spectrum), doubles(scaled_vectors), n_, stream());
    const double one = 1.0, zero = 0.0;
    check(cublasDgemm(queue_.blas(), CUBLAS_OP_N, CUBLAS_OP_T, size(), size(), size(), &one,
                      doubles(scaled_vectors), size(), doubles(vectors), size(), &zero, result(), size()),
          "cublasDgemm");
    queue_.wait();  // what it works on goes now
  }

  void copy(const double* from, double* to) {
    check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(n_ * n_ * kDouble), cudaMemcpyDeviceToDevice,
                          stream()),
          "cudaMemcpyAsync");
  }

  std::int64_t m_, n_;
  const Queue& queue_;
  SolverHandle solver_;
  DeviceBlock values_;     // X [m, n]
  DeviceBlock symmetric_;  // what is inverted
  DeviceBlock result_;
  DeviceBlock sums_, info_;
};

}  // namespace

bool finds_solver() {
  return find_solver() != nullptr;
}

Matrix<float> precision_of_centred(const Matrix<double>& centred, const Queue& queue) {
  if (!finds_solver()) throw Error("cuSOLVER is not installed");
  if (centred.empty()) return {};
  // cuBLAS keeps the workspace of the network's passes, which may have gone since; its own will do here.
  check(cublasSetStream(queue.blas(), queue.stream()), "cublasSetStream");
  return Precision(static_cast<std::int64_t>(centred.rows()), static_cast<std::int64_t>(centred.cols()),
                   queue)
      .run(centred);
}

std::int64_t precision_bytes(std::int64_t m, std::int64_t n) {
  return (m * n + 3 * n * n + std::max(m, n)) * kDouble;  // the largest work area of Cholesky included
}

}  // namespace causcale::cuda
