// Launchers of the fused feed-forward kernels. Device pointers; activations and weights bf16 or fp32 as
// `storage` says, statistics fp32. Weights are packed in bf16 and as they are in fp32.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#include "core/cuda/storage.h"

namespace causcale::cuda {

constexpr int kHiddenChunk = 64;  // hidden channels in work at a time

// y = x + W2 GELU(W1 LayerNorm(x) + b1) + b2. In bf16 the hidden layer stays on the chip, in fp32 it passes
// through `hidden`, some tokens at a time. mean and rstd may be null.
struct FeedForward {
  const void* x;
  const void* norm_weight;
  const void* norm_bias;
  const void* up;  // [F, 128]; packed in images of kHiddenChunk rows
  const void* up_bias;
  const void* down;  // [128, F]; packed in one image
  const void* down_bias;
  void* y;
  float* mean;
  float* rstd;
  std::uint32_t tokens;
  int width;      // F, a multiple of kHiddenChunk
  float* hidden;  // fp32: [hidden_tokens, F]
  std::uint32_t hidden_tokens;
};
void feed_forward(const FeedForward& args, Storage storage, cudaStream_t stream);

// dx from dy; also leaves GELU(h) and the gradient of h [tokens, F] for the weight gradients.
struct FeedForwardBackward {
  const void* x;
  const void* dy;
  const void* norm_weight;
  const void* norm_bias;
  const void* up;
  const void* up_bias;
  const void* down;
  const float* mean;
  const float* rstd;
  void* activation;
  void* d_hidden;
  void* dx;
  std::uint32_t tokens;
  int width;
};
void feed_forward_backward(const FeedForwardBackward& args, Storage storage, cudaStream_t stream);

// Both in fp32, which the functions above call.
void feed_forward_fp32(const FeedForward& args, cudaStream_t stream);
void feed_forward_backward_fp32(const FeedForwardBackward& args, cudaStream_t stream);

}  // namespace causcale::cuda
