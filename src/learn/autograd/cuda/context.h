// The current stream and cuBLAS handle of libtorch, and memory from its allocator.
#pragma once

#include <ATen/core/Tensor.h>
#include <cublas_v2.h>
#include <cuda_runtime_api.h>

#include <functional>

#include "core/cuda/queue.h"  // order_streams
#include "core/cuda/storage.h"
#include "learn/autograd/cuda/packed_weights.h"

namespace causcale::cuda {

struct Context {
  cudaStream_t stream;
  cublasHandle_t blas;  // works on `stream`
};

// Of the current device: guard the tensors' device first.
Context current_context();

// Whether there are kernels for activations like these: bf16 or fp32, on compute capability 9.0 and nothing
// else.
bool has_kernels(const at::Tensor& activations);
// Of a tensor that has kernels, or of such a tensor's weights.
Storage storage_of(const at::Tensor& tensor);

// Two weights as `pack` brings them into the kernels' form by work on `stream`: from the cache, if there is
// one, where they are ready for any stream; else packed now.
at::Tensor packed_weights(autograd::PackedWeights* cache, const at::Tensor& first, const at::Tensor& second,
                          cudaStream_t stream, const std::function<at::Tensor()>& pack);

}  // namespace causcale::cuda
