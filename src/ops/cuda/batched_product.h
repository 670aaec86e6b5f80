// Batched matrix products of row-major bf16 matrices through cuBLAS.
#pragma once

#include <cublas_v2.h>

#include <cstdint>

namespace causcale::cuda {

// A row-major operand as stored: distance between rows and between the matrices of the batch, in elements.
struct BatchedMatrix {
  const void* data;
  std::int64_t row_stride;
  std::int64_t batch_stride;
  bool transposed = false;  // the product uses its transpose
};

enum class ProductType { kBf16, kFloat };

// out[b] = left[b] right[b] for b < batch: [m, k] times [k, n]; accumulated in fp32, stored as `type`.
struct BatchedProduct {
  BatchedMatrix left;
  BatchedMatrix right;
  void* out;
  std::int64_t out_row_stride;
  std::int64_t out_batch_stride;
  ProductType type;
  std::int64_t m, n, k, batch;
};
void multiply(cublasHandle_t handle, const BatchedProduct& product);

}  // namespace causcale::cuda
