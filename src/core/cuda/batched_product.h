// Batched matrix products of row-major bf16 or fp32 matrices through cuBLAS.
#pragma once

#include <cublas_v2.h>

#include <cstdint>

#include "core/cuda/storage.h"

namespace causcale::cuda {

// A row-major operand as stored: distance between rows and between the matrices of the batch, in elements.
struct BatchedMatrix {
  const void* data;
  std::int64_t row_stride;
  std::int64_t batch_stride;
  bool transposed = false;  // the product uses its transpose
};

// out[b] = left[b] right[b] for b < batch: [m, k] times [k, n]; accumulated in fp32. fp32 operands are
// multiplied as such, never as tf32, and have fp32 results.
struct BatchedProduct {
  BatchedMatrix left;
  BatchedMatrix right;
  void* out;
  std::int64_t out_row_stride;
  std::int64_t out_batch_stride;
  Storage operands;
  Storage result;
  std::int64_t m, n, k, batch;
};
void multiply(cublasHandle_t handle, const BatchedProduct& product);

}  // namespace causcale::cuda
