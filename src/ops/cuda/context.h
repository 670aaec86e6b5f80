// The current stream and cuBLAS handle of libtorch, and memory from its allocator.
#pragma once

#include <ATen/core/Tensor.h>
#include <cublas_v2.h>
#include <cuda_runtime_api.h>

namespace causcale::cuda {

struct Context {
  cudaStream_t stream;
  cublasHandle_t blas;  // works on `stream`
};

// Of the current device: guard the tensors' device first.
Context current_context();

// The kernels are built for compute capability 9.0 and run on nothing else.
bool device_has_kernels(const at::Tensor& tensor);

}  // namespace causcale::cuda
