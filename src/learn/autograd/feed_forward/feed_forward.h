// Position-wise network with its layer norm and residual: x + W2 GELU(W1 LayerNorm(x) + b1) + b2.
#pragma once

#include <ATen/core/Tensor.h>

#include "learn/autograd/cuda/packed_weights.h"

namespace causcale::autograd {

// Weights, all in the type of x: norm [d], up [F, d] and [F], down [d, F] and [d].
struct FeedForwardWeights {
  const at::Tensor& norm_weight;
  const at::Tensor& norm_bias;
  const at::Tensor& up_weight;
  const at::Tensor& up_bias;
  const at::Tensor& down_weight;
  const at::Tensor& down_bias;
};

// x [..., d] -> [..., d]. Chooses the fused CUDA path (bf16 or fp32, d = 128) or the plain composition.
// `packed` serves the CUDA path without derivatives; null: it packs in every call.
at::Tensor feed_forward(const at::Tensor& x, const FeedForwardWeights& weights,
                        PackedWeights* packed = nullptr);

// The plain libtorch composition: the reference that every other path is tested against.
at::Tensor feed_forward_plain(const at::Tensor& x, const FeedForwardWeights& weights);

}  // namespace causcale::autograd
