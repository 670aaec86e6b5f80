#include <algorithm>

#include "core/cuda/check.h"
#include "core/cuda/prior_kernels.h"
#include "core/cuda/warp_sum.cuh"

namespace causcale::cuda {
namespace {

constexpr int kThreads = 256;

unsigned blocks_for(std::int64_t count) {
  const std::int64_t wanted = (count + kThreads - 1) / kThreads;
  return static_cast<unsigned>(std::min<std::int64_t>(wanted, std::int64_t{multiprocessors()} * 16));
}

// Column-major, the lower triangle has row >= column: entry [column n + row].
__global__ __launch_bounds__(kThreads) void mirror_kernel(double* matrix, std::int64_t n) {
  for (std::int64_t k = std::int64_t{blockIdx.x} * kThreads + threadIdx.x; k < n * n;
       k += std::int64_t{gridDim.x} * kThreads) {
    const std::int64_t column = k / n, row = k - column * n;
    if (row < column) matrix[k] = matrix[row * n + column];
  }
}

// A warp takes a row.
template <bool kSquares>
__global__ __launch_bounds__(kThreads) void row_sums_kernel(const double* x, double* sums, std::int64_t m,
                                                            std::int64_t n) {
  constexpr int kWarps = kThreads / 32;
  for (std::int64_t row = std::int64_t{blockIdx.x} * kWarps + threadIdx.x / 32; row < m;
       row += std::int64_t{gridDim.x} * kWarps) {
    double sum = 0.0;
    for (std::int64_t column = threadIdx.x % 32; column < n; column += 32) {
      const double value = x[row * n + column];
      sum += kSquares ? value * value : fabs(value);
    }
    sum = warp_sum(sum);
    if (threadIdx.x % 32 == 0) sums[row] = sum;
  }
}

__global__ __launch_bounds__(kThreads) void scaled_kernel(const double* matrix, double factor,
                                                          double diagonal, double* out, std::int64_t n) {
  for (std::int64_t k = std::int64_t{blockIdx.x} * kThreads + threadIdx.x; k < n * n;
       k += std::int64_t{gridDim.x} * kThreads)
    out[k] = factor * matrix[k] + (k / n == k % n ? diagonal : 0.0);
}

__global__ __launch_bounds__(kThreads) void scaled_rows_kernel(const double* vectors, const double* factors,
                                                               double* out, std::int64_t n) {
  for (std::int64_t k = std::int64_t{blockIdx.x} * kThreads + threadIdx.x; k < n * n;
       k += std::int64_t{gridDim.x} * kThreads)
    out[k] = vectors[k] * factors[k / n];
}

}  // namespace

void mirror_triangle(double* matrix, std::int64_t n, cudaStream_t stream) {
  mirror_kernel<<<blocks_for(n * n), kThreads, 0, stream>>>(matrix, n);
  check_launch("mirror_triangle");
}

void row_squares(const double* x, double* squares, std::int64_t m, std::int64_t n, cudaStream_t stream) {
  row_sums_kernel<true><<<blocks_for(m * 32), kThreads, 0, stream>>>(x, squares, m, n);
  check_launch("row_squares");
}

void absolute_row_sums(const double* matrix, double* sums, std::int64_t n, cudaStream_t stream) {
  row_sums_kernel<false><<<blocks_for(n * 32), kThreads, 0, stream>>>(matrix, sums, n, n);
  check_launch("absolute_row_sums");
}

void scaled(const double* matrix, double factor, double diagonal, double* out, std::int64_t n,
            cudaStream_t stream) {
  scaled_kernel<<<blocks_for(n * n), kThreads, 0, stream>>>(matrix, factor, diagonal, out, n);
  check_launch("scaled");
}

void scaled_rows(const double* vectors, const double* factors, double* out, std::int64_t n,
                 cudaStream_t stream) {
  scaled_rows_kernel<<<blocks_for(n * n), kThreads, 0, stream>>>(vectors, factors, out, n);
  check_launch("scaled_rows");
}

}  // namespace causcale::cuda
