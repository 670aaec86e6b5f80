// Launchers of the small kernels around priors: symmetric matrices [n, n] of doubles on the device.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace causcale::cuda {

// Copies the triangle that a column-major library calls the lower one onto the other.
void mirror_triangle(double* matrix, std::int64_t n, cudaStream_t stream);
// squares [m] = sum over the columns of x^2, for x [m, n]
void row_squares(const double* x, double* squares, std::int64_t m, std::int64_t n, cudaStream_t stream);
// sums [n] of absolute values in each row
void absolute_row_sums(const double* matrix, double* sums, std::int64_t n, cudaStream_t stream);
// out = factor matrix + diagonal I; out may be the matrix
void scaled(const double* matrix, double factor, double diagonal, double* out, std::int64_t n,
            cudaStream_t stream);
// out [k, i] = vectors [k, i] factors [k]
void scaled_rows(const double* vectors, const double* factors, double* out, std::int64_t n,
                 cudaStream_t stream);

}  // namespace causcale::cuda
