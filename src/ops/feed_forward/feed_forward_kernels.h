// Launchers of the fused feed-forward kernels. Device pointers; activations and weights bf16, statistics
// fp32.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

namespace causcale::cuda {

constexpr int kHiddenChunk = 64;  // hidden channels in work at a time

// y = x + W2 GELU(W1 LayerNorm(x) + b1) + b2; the hidden layer stays on the chip. mean and rstd may be null.
struct FeedForward {
  const void* x;
  const void* norm_weight;
  const void* norm_bias;
  const void* packed_up;  // [F, 128] in images of kHiddenChunk rows
  const void* up_bias;
  const void* packed_down;  // [128, F] in one image
  const void* down_bias;
  void* y;
  float* mean;
  float* rstd;
  std::uint32_t tokens;
  int width;  // F, a multiple of kHiddenChunk
};
void feed_forward(const FeedForward& args, cudaStream_t stream);

// dx from dy; also leaves GELU(h) and the gradient of h [tokens, F] for the weight gradients.
struct FeedForwardBackward {
  const void* x;
  const void* dy;
  const void* norm_weight;
  const void* norm_bias;
  const void* packed_up;
  const void* up_bias;
  const void* packed_down;
  const float* mean;
  const float* rstd;
  void* activation;
  void* d_hidden;
  void* dx;
  std::uint32_t tokens;
  int width;
};
void feed_forward_backward(const FeedForwardBackward& args, cudaStream_t stream);

}  // namespace causcale::cuda
